package handover

import (
	"fmt"
	"time"

	"jtune/tegra"
	"jtune/telemetry"
	"jtune/tui/session"
)

// warmth is the distance of a mode from the module's thermal limits during its measurement.
type warmth struct {
	marginC   tegra.Val[float64] // to the nearest trip point; absent if none is known
	hottest   string             // its zone
	throttled int                // samples in which the module was throttled
	samples   int
}

// warming observes the board until stop is called, starting when the mode is set.
func warming(s *session.Session, m tegra.Mode) (w *warmth, stop func()) {
	w = &warmth{}
	return w, s.Sampler.Subscribe(time.Second, func(one telemetry.Sample) {
		if r := one.Reading; w.samples > 0 || r.Mode.OK && r.Mode.V == m {
			w.add(r)
		}
	})
}

func (w *warmth) add(r tegra.Reading) {
	w.samples++
	if r.Throttled.Or(false) {
		w.throttled++
	}
	for _, t := range r.Temps {
		if left := t.Trip.V.C - t.C; t.Trip.OK && !t.Dummy() && (!w.marginC.OK || left < w.marginC.V) {
			w.marginC, w.hottest = tegra.Some(left), t.Name
		}
	}
}

// words returns the margin as the end of a sentence.
func (w *warmth) words() string {
	if !w.marginC.OK {
		return ""
	}
	return fmt.Sprintf("; %s stayed %.0f °C below its trip point", w.hottest, w.marginC.V)
}

// fault returns why heat prevents the mode from holding; "" if it does not.
func (w *warmth) fault() string {
	if w.throttled == 0 {
		return ""
	}
	return fmt.Sprintf("heat, or a clock below what was set, slowed the module in %d of %d s", w.throttled, w.samples)
}
