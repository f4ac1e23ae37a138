package optimize

import (
	"errors"
	"fmt"
	"time"

	"jtune/learn"
	"jtune/tegra"
)

// OverLimit is the error of a measurement that was ended because the board drew more than Step.MostW.
type OverLimit struct {
	PowerW float64 // as far as it was read
	After  time.Duration
}

func (e *OverLimit) Error() string {
	return fmt.Sprintf("ended after %.0f s: %.0f W", e.After.Seconds(), e.PowerW)
}

// overLnSD is the standard deviation of ln power of such a reading: power was not steady yet.
const overLnSD = 0.05

// mostW is what a probe of the closed loop may draw before it is ended, in watts; 0: anything. The present mode is read
// to its end: the job runs there today.
func (o *TuneOptions) mostW(l Limit, why Why) float64 {
	if o.Strategy != Auto && o.Strategy != "" || why == Before {
		return 0
	}
	return MaxOvershoot * l.PowerW
}

// overs are the settings whose measurement was ended for the power that they drew.
type overs []learn.PowerReading

// take keeps what is known of a setting from the error of its measurement; false for other errors.
func (o *overs) take(at tegra.Setting, err error) bool {
	var over *OverLimit
	if !errors.As(err, &over) || over.PowerW <= 0 {
		return false
	}
	*o = append(*o, learn.PowerReading{Setting: at, PowerW: over.PowerW, LnSD: overLnSD})
	return true
}
