package optimize

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"time"

	"jtune/learn"
	"jtune/tegra"
)

// OverLimit is the error of a measurement that was stopped because the board drew more than Step.MostW.
type OverLimit struct {
	PowerW float64 // power read so far
	After  time.Duration
}

func (e *OverLimit) Error() string {
	return fmt.Sprintf("ended after %.0f s: %.0f W", e.After.Seconds(), e.PowerW)
}

// overLnSD is the standard deviation of ln power of such a reading, taken before power was steady.
const overLnSD = 0.05

// mostW returns the power at which a closed-loop probe is stopped, in watts; 0: never. The current mode is always
// measured to the end: the job already runs there.
func (s *search) mostW(why Why) float64 {
	if s.o.Strategy != Auto && s.o.Strategy != "" || why == Before || s.toItsEnd {
		return 0
	}
	return MaxOvershoot * s.limit.PowerW
}

// readNearest completes the measurement of the stopped mode that drew least if no mode keeps the power limit: it is the
// nearest one. This is safe, as every other mode draws more.
func (s *search) readNearest() {
	if s.limit.PowerW == 0 || len(s.tooMuch) == 0 {
		return
	}
	least := slices.MinFunc(s.tooMuch, func(a, b learn.PowerReading) int { return cmp.Compare(a.PowerW, b.PowerW) })
	i, ok := s.places.Index(least.Setting)
	if near := s.nearest(); !ok || s.absent[i] || near >= 0 && s.worst(near).PowerW <= least.PowerW {
		return
	}
	delete(s.failed, i)
	s.toItsEnd = true
	s.probe(i, Verify)
	s.toItsEnd = false
}

// overs are settings whose measurement was stopped for their power.
type overs []learn.PowerReading

// take records the power of a setting from the error of its measurement; false for other errors.
func (o *overs) take(at tegra.Setting, err error) bool {
	var over *OverLimit
	if !errors.As(err, &over) || over.PowerW <= 0 {
		return false
	}
	*o = append(*o, learn.PowerReading{Setting: at, PowerW: over.PowerW, LnSD: overLnSD})
	return true
}
