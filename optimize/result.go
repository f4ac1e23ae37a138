package optimize

import (
	"cmp"
	"fmt"
	"math"

	"jtune/learn"
	"jtune/tegra"
)

// verify measures the winner once more. If that reading violates the limit, or shows that the first was lucky, the
// search continues with the new reading; if it finds nothing better, the next best mode is verified.
func (s *search) verify() {
	ended := s.ended
	for ended != Cancelled && ended != Failing {
		i, ok := s.best()
		if !ok {
			s.readNearest()
			break
		}
		if s.settled(i) || !s.measureAgain(i) || !s.thirdTime(i) {
			break
		}
		if next, ok := s.best(); s.goOn != nil && (!ok || next != i) {
			s.goOn()
			ended = s.ended
		}
	}
	if s.ended != Cancelled && s.ended != Failing {
		s.ended = ended
	}
}

// settled reports whether the winner i was measured twice, or differs only by noise from a mode that was.
func (s *search) settled(i int) bool {
	return len(s.probes) >= s.cap-s.compared.forPreset() || s.twice(i) || s.verifiedNear(i) >= 0
}

func (s *search) twice(i int) bool { return len(s.readings[i]) > 1 }

// verifiedNear returns the best mode that was measured twice, meets the limit in the mean and equals i within the
// noise; -1 if there is none.
func (s *search) verifiedNear(i int) int {
	found, o := -1, s.limit.objective()
	goal, _ := o.value(s.mean(i))
	for _, j := range s.order {
		v, _ := o.value(s.mean(j))
		if s.twice(j) && s.limit.Met(s.mean(j)) && !s.failed[j] && v <= goal*(1+sameValue) &&
			(found < 0 || o.better(s.mean(j), s.mean(found))) {
			found = j
		}
	}
	return found
}

// measureAgain makes the second measurement, and repeats it once if it fails.
func (s *search) measureAgain(i int) bool {
	if !s.probe(i, Verify) {
		return false
	}
	if s.failed[i] && !isOver(s.lastErr) {
		delete(s.failed, i)
		return s.probe(i, Verify)
	}
	return true
}

// thirdTime measures the winner of a binary search once more if its second reading violates the limit: the search has
// no other mode near it, so that reading and the mean decide. It reports whether the search continues.
func (s *search) thirdTime(i int) bool {
	if s.o.Strategy != Binary || s.met(i) || s.failed[i] || len(s.readings[i]) != 2 {
		return true
	}
	return s.probe(i, Verify)
}

// fit refits the model to all readings.
func (s *search) fit() error {
	o := learn.SurrogateOptions{Grid: true, Robust: 1, Reference: s.residual, Batches: s.places.Batches,
		Over: s.tooMuch, Earlier: s.model}
	model, err := learn.FitSurrogate(s.o.Space, s.samples(), o)
	if err != nil {
		return fmt.Errorf("fit to %d measured modes: %w", len(s.order), err)
	}
	s.model, s.expected = model, nil
	return nil
}

// finish returns the answer, or the error of a search without one.
func (s *search) finish() (Result, error) {
	s.warnOfPick()
	r := s.result()
	s.warnOfPoor(&r)
	r.Warnings = s.warnings
	switch {
	case s.ended == Cancelled:
		return r, s.ctx.Err()
	case s.fitErr != nil:
		return r, s.fitErr
	case s.ended == Failing:
		return r, fmt.Errorf("%d modes in a row could not be measured, last: %w", s.inARow, s.lastErr)
	case len(s.order) == 0:
		return r, fmt.Errorf("no mode could be measured: %w", cmp.Or(s.lastErr, errNoProbe))
	case !r.Feasible:
		return r, &InfeasibleError{Limit: s.limit, Nearest: r.Measured, Measured: true}
	}
	return r, nil
}

// result returns the answer so far. Several readings of a mode count as their mean, as in ChooseKnown.
func (s *search) result() Result {
	r := Result{Probes: s.probes, Ended: s.ended, Trace: s.trace, Warnings: s.warnings, Known: len(s.known),
		Drift: s.drift}
	s.compared.baselines(&r)
	if len(s.order) == 0 {
		return r
	}
	if s.fit() == nil {
		r.Model = s.model
	}
	i, ok := s.best()
	if !ok {
		i, ok = s.bestMean()
	}
	if !ok {
		i = s.nearest()
	} else if near := s.verifiedNear(i); near >= 0 {
		i = near
	}
	r.Measured, r.N, r.Feasible, r.Verified = s.mean(i), counting(s.readings[i]), ok, s.twice(i)
	r.Predicted = s.predictedFirst(r.Setting)
	return r
}

// bestMean returns the best mode whose mean meets the limits; false if there is none.
func (s *search) bestMean() (index int, ok bool) {
	index = -1
	for _, i := range s.order {
		if m := s.mean(i); !s.failed[i] && s.limit.Met(m) && (index < 0 || s.limit.Better(m, s.mean(index))) {
			index = i
		}
	}
	return index, index >= 0
}

// nearest returns the measured mode that exceeds the limits least, judged by each mode's worst reading.
func (s *search) nearest() int {
	found, least := -1, math.Inf(1)
	for _, i := range s.order {
		if over := s.limit.excess(s.worst(i), 0, 0); over < least {
			found, least = i, over
		}
	}
	return found
}

// worst returns the reading of a mode that exceeds the limits most.
func (s *search) worst(i int) tegra.Measured {
	worst, most := tegra.Measured{}, -1.0
	for _, m := range s.readings[i] {
		if over := s.limit.excess(m, 0, 0); over > most {
			worst, most = m, over
		}
	}
	return worst
}

// predictedFirst returns the prediction for a mode before it was measured.
func (s *search) predictedFirst(at tegra.Setting) learn.Prediction {
	for _, p := range s.probes {
		if p.Setting == at && p.Predicted.TimeMS > 0 {
			return p.Predicted
		}
	}
	switch {
	case s.networks != nil:
		return networksSay(s.networks, at)
	case s.model == nil:
		return learn.Prediction{}
	}
	return s.model.PredictSettings([]tegra.Setting{at})[0]
}
