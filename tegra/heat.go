package tegra

import (
	"fmt"
	"strings"
)

const (
	// HotMarginC is how close to its trip point a zone makes the board hot.
	HotMarginC = 5.0
	// hotWithoutTripC is where a zone without such a trip point makes it hot.
	hotWithoutTripC = 95.0
)

// Hot is why the board is too hot to be measured: a thermal limit slows it, or a
// zone is close to its trip point; "" when it is not. Of several zones it names the
// one that is closest to its limit, or furthest above.
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

// Dummy reports whether no sensor stands behind a zone: a PMIC that always reads 50 or
// 100 °C.
func (t TempReading) Dummy() bool {
	return strings.HasPrefix(t.Name, "PMIC") && (t.C == 50 || t.C == 100)
}

func (t TempReading) hot() string {
	if !t.Trip.OK {
		return fmt.Sprintf("%s at %.0f °C (no trip point known)", t.Name, t.C)
	}
	return fmt.Sprintf("%s at %.0f °C (%s trip point at %.0f °C)", t.Name, t.C, t.Trip.V.Kind, t.Trip.V.C)
}
