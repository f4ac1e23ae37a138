package tegra

import (
	"fmt"
	"path"
	"strconv"
	"strings"
)

const (
	// HotMarginC is how close to its trip point a zone makes the board hot.
	HotMarginC = 5.0
	// hotWithoutTripC is where a zone without such a trip point makes it hot.
	hotWithoutTripC = 95.0
)

// Hot is why the board is too hot to be measured: a thermal limit slows it, or a zone is close to its trip point; ""
// when it is not. Among several zones it names the one that is closest to its limit, or furthest above.
func (r Reading) Hot() string {
	if r.Heat.Or(false) {
		return "thermal throttling"
	}
	why, most := "", 0.0
	for _, t := range r.Temps {
		if over := t.C - t.HotFromC(); over >= 0 && !t.Dummy() && (why == "" || over > most) {
			why, most = t.hot(), over
		}
	}
	return why
}

// HotFromC is the temperature at which a zone makes the board hot, in °C.
func (t TempReading) HotFromC() float64 {
	if t.Trip.OK {
		return t.Trip.V.C - HotMarginC
	}
	return hotWithoutTripC
}

// Dummy reports whether a zone has no sensor: a PMIC that always reads 50 or 100 °C.
func (t TempReading) Dummy() bool {
	return strings.HasPrefix(t.Name, "PMIC") && (t.C == 50 || t.C == 100)
}

func (t TempReading) hot() string {
	if !t.Trip.OK {
		return fmt.Sprintf("%s at %.0f °C (no trip point known)", t.Name, t.C)
	}
	return fmt.Sprintf("%s at %.0f °C (%s trip point at %.0f °C)", t.Name, t.C, t.Trip.V.Kind, t.Trip.V.C)
}

// Capped reports whether a limit of a clock reads back lower than it was set because heat slows the SoC now. The kernel
// shows the lowest limit in force, of the user's, the governors' and the cooling devices' (frequency QoS), and the
// user's own again when it has cooled: nobody has changed the setting. UNVERIFIED on a Jetson.
func (c *Control) Capped(f KnobFile) bool {
	switch path.Base(f.Path) {
	case path.Base(minFile), path.Base(maxFile), "min_freq", "max_freq":
	default:
		return false
	}
	asked, err := strconv.ParseInt(f.Asked, 10, 64)
	actual, aerr := strconv.ParseInt(f.Actual, 10, 64)
	if err != nil || aerr != nil || actual >= asked {
		return false
	}
	defer c.begin()()
	for _, cooler := range c.s.throttle.coolers {
		if state, err := cooler.int(); err == nil && state > 0 {
			return true
		}
	}
	return false
}
