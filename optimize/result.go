package optimize

import (
	"cmp"
	"fmt"
	"math"

	"jtune/learn"
	"jtune/tegra"
)

// verify measures the winner once more. If that reading breaks the limit, or
// shows that the first was lucky, the search goes on with what it has learnt;
// the next best has its turn when it finds nothing better.
func (s *search) verify() {
	ended := s.ended
	for ended != Cancelled && ended != Failing {
		i, ok := s.best()
		if !ok || s.settled(i) || !s.again(i) {
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

// settled tells whether the winner i was measured twice, or is so near to one
// that was that the difference is noise.
func (s *search) settled(i int) bool {
	return len(s.probes) >= s.cap || s.twice(i) || s.verifiedNear(i) >= 0
}

func (s *search) twice(i int) bool { return len(s.readings[i]) > 1 }

// verifiedNear is the best mode that was measured twice, meets the limit and
// is as good as i but for noise; -1 when there is none.
func (s *search) verifiedNear(i int) int {
	found, o := -1, s.limit.objective()
	goal, _ := o.value(MeasuredPoint(s.mean(i)))
	for _, j := range s.order {
		v, _ := o.value(MeasuredPoint(s.mean(j)))
		if s.twice(j) && s.met(j) && !s.failed[j] && v <= goal*(1+sameValue) &&
			(found < 0 || o.better(MeasuredPoint(s.mean(j)), MeasuredPoint(s.mean(found)))) {
			found = j
		}
	}
	return found
}

// again makes the second measurement; one failure is forgiven.
func (s *search) again(i int) bool {
	if !s.probe(i, Verify) {
		return false
	}
	if s.failed[i] {
		delete(s.failed, i)
		return s.probe(i, Verify)
	}
	return true
}

// fit learns from all readings.
func (s *search) fit() error {
	model, err := learn.FitSurrogate(s.o.Space, s.samples(), learn.SurrogateOptions{Grid: true, Robust: 1, Reference: s.residual, Batches: s.places.Batches})
	if err != nil {
		return fmt.Errorf("fit to %d measured modes: %w", len(s.order), err)
	}
	s.model = model
	return nil
}

// finish gives the answer, and the error that a search without one has.
func (s *search) finish() (Result, error) {
	s.ownUp()
	r := s.result()
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
		return r, &InfeasibleError{Limit: s.limit, Nearest: MeasuredPoint(r.Measured), Measured: true}
	}
	return r, nil
}

// result tells what is known so far.
func (s *search) result() Result {
	r := Result{Probes: s.probes, Ended: s.ended, Trace: s.trace, Warnings: s.warnings}
	if len(s.order) == 0 {
		return r
	}
	if s.fit() == nil {
		r.Model = s.model
	}
	i, ok := s.best()
	if ok {
		if near := s.verifiedNear(i); near >= 0 {
			i = near
		}
	} else {
		i = s.nearest()
	}
	at := s.places.At(i)
	r.Mode, r.Batch, r.Measured, r.Feasible, r.Verified = at.Mode, at.Batch, s.mean(i), ok, s.twice(i)
	r.Predicted = s.predictedFirst(at)
	return r
}

// nearest is the measured mode that misses the limits least, going by each
// mode's worst reading.
func (s *search) nearest() int {
	found, least := -1, math.Inf(1)
	for _, i := range s.order {
		if over := s.limit.excess(MeasuredPoint(s.worst(i)), 0, 0); over < least {
			found, least = i, over
		}
	}
	return found
}

// worst is the reading of a mode that misses the limits most.
func (s *search) worst(i int) tegra.Measured {
	worst, most := tegra.Measured{}, -1.0
	for _, m := range s.readings[i] {
		if over := s.limit.excess(MeasuredPoint(m), 0, 0); over > most {
			worst, most = m, over
		}
	}
	return worst
}

// predictedFirst is what was expected of a mode before it was measured.
func (s *search) predictedFirst(at learn.Setting) learn.Prediction {
	for _, p := range s.probes {
		if learn.SettingOf(p.Measured) == at && p.Predicted.TimeMS > 0 {
			return p.Predicted
		}
	}
	switch {
	case s.networks != nil:
		return s.networks.PredictSettings([]learn.Setting{at})[0]
	case s.model == nil:
		return learn.Prediction{}
	}
	return s.model.PredictSettings([]learn.Setting{at})[0]
}
