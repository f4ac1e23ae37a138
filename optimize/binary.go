package optimize

// The binary search of a job; its rule is ladder's.

import (
	"errors"
	"math"

	"jtune/internal/text"
	"jtune/internal/usage"
	"jtune/optimize/ladder"
	"jtune/tegra/metric"
)

var errEnded = errors.New("the search has ended")

// binary runs the search until just before the verification.
func (s *search) binary() error {
	if !s.limit.Limited() {
		return errors.New("a binary search needs a power limit or a time limit")
	}
	err := ladder.NewWalk(s.places, s.absent, s.walked).Binary(s.o.Rotation, s.limit.Aim().InTime > 0,
		func(h ladder.Halving) {
			if s.trace = append(s.trace, h); s.o.Halved != nil {
				s.o.Halved(h)
			}
		})
	if errors.Is(err, errEnded) {
		return nil
	}
	return err
}

const (
	poorBy   = 0.1 // in ln of the objective: by how much a prediction beats a poor answer
	poorFrom = 6   // measured modes; with fewer, predictions are unreliable
)

// warnOfPoor warns if a model of all readings predicts a mode within the limits that is much better than the answer of
// a binary search.
func (s *search) warnOfPoor(r Answer) {
	if s.o.Strategy != Binary || !r.Feasible || s.model == nil || len(s.order) < poorFrom {
		return
	}
	preds := s.model.PredictSettings(s.places.All())
	for i := range preds {
		if s.failed[i] || len(s.readings[i]) > 0 {
			preds[i].TimeMS = 0
		}
	}
	medians := s.limit
	medians.Margin = metric.NoMargin
	i, err := Choose(preds, medians)
	if err != nil {
		return
	}
	c := preds[i]
	if aim := s.limit.Aim().Aim; math.Log(aim(r.Measured)/aim(c.Measured)) < poorBy {
		return
	}
	name := s.o.Space.Format(c.Mode) + text.IfAny(" with batch size %d", c.Batch)
	s.warn("the answer is poor: going by the %s that were measured, %s would come to about %s ms at %s W; a binary "+
		"search assumes that every clock alone trades time for power: %s auto looks further",
		text.Count(len(s.order), "mode"), name, text.Of(c.TimeMS), text.Of(c.PowerW), usage.Strategy)
}

// walked measures a setting, unless it was measured, and returns which limits it breaks.
func (s *search) walked(i int) (seen ladder.Seen, err error) {
	if len(s.readings[i]) == 0 && !s.failed[i] {
		why := Improve
		if s.compared.own() == 0 {
			why = Start
		}
		if !s.mayDraw() {
			s.ended = OutOfProbes
			return seen, errEnded
		}
		if !s.probe(i, why) {
			return seen, errEnded
		}
	}
	if s.failed[i] {
		return ladder.Seen{Power: true, Late: true}, nil
	}
	m := s.mean(i)
	for b := range s.limit.Limits.Each() {
		over, timed := b.Over(b.Of(m)) > 0, b.Metric == metric.Time
		seen.Power, seen.Late = seen.Power || over && !timed, seen.Late || over && timed
	}
	return seen, nil
}
