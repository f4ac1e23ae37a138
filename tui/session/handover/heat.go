package handover

import (
	"fmt"
	"time"

	"jtune/tegra"
	"jtune/telemetry"
	"jtune/tui/session"
)

// warmth is how near a mode came to the module's thermal limits while it was measured.
type warmth struct {
	marginC   tegra.Val[float64] // to the trip point that is nearest; absent where none is known
	hottest   string             // the zone
	throttled int                // samples in which heat or over-current slowed the module
	samples   int
}

// warming follows the board until stop is called; it counts from the moment the mode is set.
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

// words are the margin in words, to be added to a sentence.
func (w *warmth) words() string {
	if !w.marginC.OK {
		return ""
	}
	return fmt.Sprintf("; %s stayed %.0f °C below its trip point", w.hottest, w.marginC.V)
}

// fault is why the mode does not hold for its heat; "" where it does.
func (w *warmth) fault() string {
	if w.throttled == 0 {
		return ""
	}
	return fmt.Sprintf("heat or over-current slowed the module in %d of %d s", w.throttled, w.samples)
}
