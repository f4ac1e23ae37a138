package optimize

// The papers' other strategies: the best of randomly profiled modes (RND), and PowerTrain's (sections 3.2 and 5), which
// measures 50 random modes, transfers the reference workload's networks to them, and picks from the predicted Pareto
// front. The papers count the limits that the pick violates; jtune measures and verifies it. A pick within the limit is
// the answer, even if a random mode measured better. After a pick over the limit, no other pick follows: the answer is
// the best measured mode within the limit. Both cases give a warning. If the networks predict no mode within the limit,
// the pick is the nearest prediction. Random modes and pick belong to the grid that the paper profiles (section 2.5),
// beyond which the networks extrapolate.

import (
	"errors"
	"fmt"
	"math"

	"jtune/internal/text"
	"jtune/learn"
	"jtune/tegra"
	"jtune/tegra/metric"
)

// verifications are the probes that random modes leave for reading the answer again.
const verifications = 1

// random measures as many random modes as there are probes.
func (s *search) random() error {
	s.draw(max(s.left()-verifications, min(s.left(), 1)), s.o.Space)
	if s.ended == Converged && len(s.probes) < s.places.Len() {
		s.ended = OutOfProbes
	}
	return nil
}

// draw measures n random unmeasured modes of from; false if it stopped early.
func (s *search) draw(n int, from *tegra.Space) bool {
	for _, at := range s.places.Sample(s.places.Len(), s.o.Seed) {
		if n <= 0 {
			break
		}
		i, _ := s.places.Index(at)
		if len(s.readings[i]) > 0 || s.failed[i] || !from.Contains(at.Mode) {
			continue
		}
		if !s.probe(i, Start) {
			return false
		}
		n--
	}
	return true
}

// powerTrain measures random modes, then the networks' pick.
func (s *search) powerTrain() error {
	grid := s.o.Space
	if grid.Full() { // a replayed sweep is already a grid
		grid = grid.Grid()
	}
	if !s.draw(s.randomFirst(), grid) || len(s.order) == 0 {
		return nil
	}
	var err error
	samples, _ := s.samples()
	s.networks, err = learn.Fit(s.ctx, samples, learn.Options{
		Method:    learn.PowerTrain,
		Space:     s.o.Space,
		Reference: s.o.Reference,
		Seed:      s.o.Seed,
		SkipCV:    true,
	})
	if err != nil {
		return fmt.Errorf("powertrain on %d modes: %w", len(s.order), err)
	}
	pick, err := s.networksPick(grid)
	if err != nil {
		return err
	}
	s.ended = Converged
	if len(s.readings[pick]) == 0 && !s.probe(pick, Improve) {
		return nil
	}
	s.pick = tegra.Some(pick)
	return nil
}

// networksPick returns the index of the mode that Choose picks from the networks' predictions, among all that did not
// fail.
func (s *search) networksPick(from *tegra.Space) (int, error) {
	preds := s.networks.Predict(s.o.Space.Modes())
	for i, p := range preds {
		if s.failed[i] || !from.Contains(p.Mode) {
			preds[i].TimeMS = 0
		}
	}
	medians := s.limit
	medians.Margin = metric.NoMargin
	i, err := Choose(preds, medians)
	if errors.Is(err, ErrInfeasible) {
		s.warn("the networks expect no mode to meet the limit: %s is the one that they think nearest",
			s.o.Space.Format(preds[i].Mode))
		return i, nil
	}
	return i, err
}

// networksSay returns the networks' prediction for a setting, without bands, since the errors are unknown.
func networksSay(networks *learn.Model, at tegra.Setting) learn.Prediction {
	p := networks.PredictSettings([]tegra.Setting{at})[0]
	nan := math.NaN()
	p.TimeLoMS, p.TimeHiMS, p.PowerLoW, p.PowerHiW = nan, nan, nan, nan
	return p
}

// published returns the answer of powertrain, by readings alone: the networks' pick if it keeps the limits, else the
// best measured mode that does; -1 for none.
func (s *search) published() int {
	if s.pick.OK && s.reads(s.pick.V) {
		return s.pick.V
	}
	return s.bestRead()
}

// reads reports whether the newest reading of a mode and the mean of all keep the limits.
func (s *search) reads(i int) bool {
	n := len(s.readings[i])
	return n > 0 && !s.failed[i] && s.limit.Met(s.readings[i][n-1]) && s.limit.Met(s.mean(i))
}

// bestRead returns the mode with the best mean of those that keep the limits by it; -1 for none.
func (s *search) bestRead() int {
	best := -1
	for _, i := range s.order {
		if s.reads(i) && (best < 0 || s.limit.Better(s.mean(i), s.mean(best))) {
			best = i
		}
	}
	return best
}

// readPublished reads the answer of powertrain a second time, and the next one's if it breaks the limits then.
func (s *search) readPublished() {
	for s.mayGoOn() {
		i := s.published()
		if i < 0 || len(s.readings[i]) > 1 || !s.probe(i, Verify) {
			return
		}
	}
}

// warnOfPick warns if the answer is not the networks' pick, or a random mode measured better.
func (s *search) warnOfPick() {
	if !s.pick.OK {
		return
	}
	name, instead := s.o.Space.Format(s.places.At(s.pick.V).Mode), ""
	i := s.bestRead()
	if i >= 0 {
		instead = ": the answer is the best of the other measured modes"
	}
	switch {
	case s.failed[s.pick.V]:
		s.warn("%s, the networks' pick, could not be measured%s", name, instead)
	case !s.reads(s.pick.V):
		m := s.worst(s.pick.V)
		s.warn("%s, the networks' pick, broke the limit (%s ms, %s W)%s",
			name, text.Of(m.TimeMS), text.Of(m.PowerW), instead)
	case i != s.pick.V:
		m := s.mean(i)
		s.warn("%s, one of the random modes, measured better than the networks' pick: %s ms, %s W",
			s.o.Space.Format(m.Mode), text.Of(m.TimeMS), text.Of(m.PowerW))
	}
}

// randomFirst returns the number of random modes for powerTrain, which leaves probes for the pick, its second reading,
// and that of another answer if the pick breaks the limits.
func (s *search) randomFirst() int {
	return min(randomModes, max(1, s.left()-3))
}
