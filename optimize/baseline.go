package optimize

// The papers' other ways to a mode: the best of randomly profiled ones (RND),
// and PowerTrain's, which measures random modes, transfers the reference
// workload's networks to them, and trusts the predicted front. Here its answer
// is measured as well, and given up for the next best as long as the networks
// promise a better one.

import (
	"errors"
	"fmt"

	"jtune/learn"
)

var errOneSize = errors.New("strategy powertrain knows no minibatch sizes: use auto or random")

// random measures as many random modes as there are probes for.
func (s *search) random() error {
	s.draw(s.cap - s.reserve())
	if s.ended == Converged && len(s.probes) < s.places.Len() {
		s.ended = OutOfProbes
	}
	return nil
}

// draw measures n random modes that were not measured; false when it had to
// stop early.
func (s *search) draw(n int) bool {
	for _, at := range s.places.Sample(s.places.Len(), s.o.Seed) {
		if n <= 0 {
			break
		}
		i, _ := s.places.Index(at)
		if len(s.readings[i]) > 0 || s.failed[i] {
			continue
		}
		if !s.probe(i, Start) {
			return false
		}
		n--
	}
	return true
}

// powerTrain measures random modes, then what the networks predict to be best,
// until the best of all, measured ones as they were measured, is a measured one.
func (s *search) powerTrain() error {
	if s.places.Batches != nil {
		return errOneSize
	}
	if !s.draw(s.randomFirst()) || len(s.order) == 0 {
		return nil
	}
	model, err := learn.Fit(s.ctx, s.samples(), learn.Options{Method: learn.PowerTrain, Space: s.o.Space, Reference: s.o.Reference, Seed: s.o.Seed, SkipCV: true})
	if err != nil {
		return fmt.Errorf("powertrain on %d modes: %w", len(s.order), err)
	}
	preds := model.Predict(s.o.Space.Modes())
	for {
		s.known(preds)
		c, err := Choose(preds, s.limit)
		if errors.Is(err, ErrInfeasible) {
			s.ended = NoWay
			return nil
		}
		if err != nil {
			return err
		}
		i := c.Index
		if len(s.readings[i]) > 0 {
			s.ended = Converged
			return nil
		}
		if !s.mayGoOn() || !s.probe(i, Improve) {
			return nil
		}
	}
}

// randomFirst is how many random modes powerTrain begins with: one probe at
// least stays for a mode that the networks choose, beside the verification's.
func (s *search) randomFirst() int {
	return min(randomModes, max(1, s.cap-max(s.reserve()+1, s.cap/6)))
}

// known puts readings in the place of predictions; a mode that failed, or
// broke the limit in any reading, is out.
func (s *search) known(preds []learn.Prediction) {
	for i := range s.failed {
		preds[i].TimeMS = 0
	}
	for _, i := range s.order {
		if m := s.mean(i); s.met(i) {
			preds[i] = learn.Prediction{Mode: m.Mode, TimeMS: m.TimeMS, PowerW: m.PowerW}
		} else {
			preds[i].TimeMS = 0
		}
	}
}
