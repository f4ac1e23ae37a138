package tegra

import (
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"
)

const (
	// hotMarginC is the margin in °C below its trip point at which a zone makes the board hot.
	hotMarginC = 5.0
	// hotWithoutTripC is that temperature for a zone without a trip point, in °C.
	hotWithoutTripC = 95.0
)

// Hot returns why the board is too hot to measure: a thermal limit slows it, or a zone is near its trip point; "" if it
// is not. Among several zones it names the one closest to its limit, or furthest above.
func (r Reading) Hot() string {
	if r.Heat.Or(false) {
		return r.throttling()
	}
	why, most := "", 0.0
	for _, t := range r.Temps {
		if over := t.C - t.HotFromC(); over >= 0 && !t.Dummy() && (why == "" || over > most) {
			why, most = t.hot(), over
		}
	}
	return why
}

// throttling names the cooling devices at work and the hottest zone.
func (r Reading) throttling() string {
	text := "thermal throttling"
	if len(r.Cooling) > 0 {
		text += " (" + strings.Join(r.Cooling, ", ") + ")"
	}
	if hot, ok := r.HottestZone(); ok {
		text += fmt.Sprintf(", %s at %.0f °C", hot.Name, hot.C)
	}
	return text
}

// HotFromC returns the temperature at which a zone makes the board hot, in °C.
func (t TempReading) HotFromC() float64 {
	if t.Trip.OK {
		return t.Trip.V.C - hotMarginC
	}
	return hotWithoutTripC
}

// Dummy reports whether a zone has no sensor, such as a PMIC that always reads 50 or 100 °C.
func (t TempReading) Dummy() bool {
	return strings.HasPrefix(t.Name, "PMIC") && (t.C == 50 || t.C == 100)
}

func (t TempReading) hot() string {
	if !t.Trip.OK {
		return fmt.Sprintf("%s at %.0f °C (no trip point known)", t.Name, t.C)
	}
	return fmt.Sprintf("%s at %.0f °C (%s trip point at %.0f °C)", t.Name, t.C, t.Trip.V.Kind, t.Trip.V.C)
}

// Capped reports whether a clock limit reads back lower than it was set because the SoC is hot now. The kernel shows
// the lowest limit of user, governors and cooling devices (frequency QoS), and the user's again once it has cooled.
// UNVERIFIED on a Jetson.
func (c *Planner) Capped(f KnobFile) bool {
	switch "/" + path.Base(f.Path) {
	case minFile, maxFile, gpuMin, gpuMax:
	default:
		return false
	}
	asked, err := strconv.ParseInt(f.Asked, 10, 64)
	actual, aerr := strconv.ParseInt(f.Actual, 10, 64)
	if err != nil || aerr != nil || actual >= asked {
		return false
	}
	defer c.begin()()
	return c.cooling("")
}

// cooling reports whether a cooling device of that kind acts now.
func (c *Planner) cooling(kind string) bool {
	for _, cooler := range c.s.coolers {
		if !strings.Contains(cooler.kind, kind) {
			continue
		}
		if state, err := cooler.int(); err == nil && state > 0 {
			return true
		}
	}
	return false
}

// Lowered returns the limits in a state that may be a cooling device's: one of that unit acts now, and the maximum is
// below the highest clock. A minimum is lowered with the maximum if it equals it. UNVERIFIED on a Jetson, as Capped.
func (c *Planner) Lowered(st State) []string {
	defer c.begin()()
	var out []string
	values := st.byPath()
	lowered := func(min, max string, top Freq) {
		if limit := clockOf(values, max); !limit.OK || limit.V >= top {
			return
		}
		if out = append(out, max); values[min] == values[max] {
			out = append(out, min)
		}
	}
	if c.cooling("cpufreq") {
		for _, core := range c.s.cpu.cores {
			dir := c.s.cpu.dir(core.n)
			if top, err := clock(core.clocks.files[capClock]); err == nil && !slices.Contains(out, dir+maxFile) {
				lowered(dir+minFile, dir+maxFile, top)
			}
		}
	}
	if gpu := c.s.gpu; gpu.max != nil && len(gpu.freqs) > 0 && c.cooling("devfreq") {
		lowered(gpu.min.path, gpu.max.path, last(gpu.freqs))
	}
	return out
}

// HottestZone returns the hottest zone that has a sensor; ok is false if there is none.
func (r Reading) HottestZone() (hot TempReading, ok bool) {
	for _, z := range r.Temps {
		if !z.Dummy() && (!ok || z.C > hot.C) {
			hot, ok = z, true
		}
	}
	return hot, ok
}

// Hottest returns its temperature.
func (r Reading) Hottest() Val[float64] {
	hot, ok := r.HottestZone()
	return Val[float64]{V: hot.C, OK: ok}
}
