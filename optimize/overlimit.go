package optimize

import (
	"cmp"
	"errors"
	"slices"

	"jtune/tegra"
	"jtune/tegra/metric"
)

// OverLimit is the error of a measurement that was stopped because the board drew more than Step.MostW. The reading has
// the power until then.
type OverLimit string

func (e OverLimit) Error() string { return string(e) }

func isOver(err error) bool {
	_, over := errors.AsType[OverLimit](err)
	return over
}

// Read takes what a measurement of the probe's setting returned. A probe that was ended for its power keeps the watts.
func (p *Probe) Read(m tegra.Measured, err error) {
	p.Err, p.Over = err, isOver(err)
	switch {
	case err == nil:
		p.Measured = m
	case p.Over:
		p.Measured = tegra.Measured{Setting: p.Setting, PowerW: m.PowerW}
	}
}

// mostW returns the power at which a closed-loop probe is stopped, in watts; 0: never. The current mode is always
// measured to the end: the job already runs there.
func (s *search) mostW(why Why) float64 {
	if s.o.Strategy != Auto && s.o.Strategy != "" || why == Before || s.toItsEnd {
		return 0
	}
	return MaxOvershoot * s.limit.Of(metric.Power)
}

// readNearest completes the measurement of the stopped mode that drew least if no mode keeps the power limit: it is the
// nearest one. This is safe, as every other mode draws more.
func (s *search) readNearest() {
	if !s.limit.Limits.Harm() || len(s.tooMuch) == 0 {
		return
	}
	least := slices.MinFunc(s.tooMuch, func(a, b tegra.Measured) int { return cmp.Compare(a.PowerW, b.PowerW) })
	if near := s.nearest(); near >= 0 && s.worst(near).PowerW <= least.PowerW {
		return
	}
	i := s.at(least.Setting)
	delete(s.failed, i)
	s.toItsEnd = true
	s.probe(i, Verify)
	s.toItsEnd = false
}
