package soak

import (
	"fmt"
	"math"
	"slices"

	"jtune/tegra"
	"jtune/tegra/metric"
	"jtune/tui/session"
	"jtune/tui/session/campaigns"
)

const (
	mostSoaks   = 8
	endOfCourse = 0.25 // the share of a soak's samples whose power counts
	leastHeatSD = 0.1  // of the logarithm of a rise: other air, dust, another load's hot spot
	usualAirC   = 25.0
	noSoakSD    = 0.5 // of a rise that the board now shows
	fanShare    = 0.5 // of the rise per watt then is what a further watt adds, as the fan speeds up
)

// HeatOf returns how a board warms, as its newest soaks show: from their rest to their end, with the 90 % band of that.
// Soaks is 0 if there is none.
func HeatOf(list []campaigns.Campaign, board string) (h metric.Heat) {
	var lnPerW, weights, airs []float64
	for _, c := range slices.Backward(list) {
		if c.Err != nil || c.Board != board || !Is(*c.Header) || len(airs) == mostSoaks {
			continue
		}
		k, err := Read(c.Dir)
		s := k.Result.Steady
		watts, rise := endW(k.Course), s.TjC.V-k.IdleC
		if err != nil || !s.TjC.OK || !(watts > 0) || !(rise > 0) || k.IdleC <= 0 {
			continue
		}
		const inBand = 2 * 1.645
		sd := math.Hypot(leastHeatSD, max(0, s.HiC.Or(s.TjC.V)-s.LoC.Or(s.TjC.V))/inBand/rise)
		lnPerW, weights = append(lnPerW, math.Log(rise/watts)), append(weights, 1/(sd*sd))
		airs = append(airs, k.IdleC)
	}
	if len(airs) == 0 {
		return h
	}
	sum, ln := 0.0, 0.0
	for i, w := range weights {
		sum, ln = sum+w, ln+w*lnPerW[i]
	}
	return metric.Heat{AirC: airs[0], PerW: math.Exp(ln / sum), LnSD: max(leastHeatSD, 1/math.Sqrt(sum)),
		Soaks: len(airs)}
}

// endW returns the mean power of a soak's end; 0 if it is unknown.
func endW(course []Seen) float64 {
	sum, n := 0.0, 0
	for _, s := range course[int((1-endOfCourse)*float64(len(course))):] {
		if w := s.Reading.TotalW; w.OK {
			sum, n = sum+w.V, n+1
		}
	}
	return sum / float64(max(1, n))
}

// HeatFor returns how the board warms where goals limit its temperature, else nothing. Without a soak the temperature
// of the present reading tells it, roughly.
func HeatFor(s *session.Session, now tegra.Reading, goals ...metric.Goal) (metric.Heat, error) {
	if !slices.ContainsFunc(goals, ofHeat) {
		return metric.Heat{}, nil
	}
	list, err := campaigns.List(s.Options.Paths)
	if err != nil {
		return metric.Heat{}, err
	}
	h := HeatOf(list, s.Board())
	if c := now.Hottest(); h.Soaks == 0 && c.OK && now.TotalW.V > 0 {
		h = metric.Heat{PerW: fanShare * max(1, c.V-usualAirC) / now.TotalW.V, LnSD: noSoakSD}
		h.AirC = c.V - h.PerW*now.TotalW.V
	}
	return h, nil
}

// ofHeat reports whether a goal limits the steady temperature.
func ofHeat(g metric.Goal) bool {
	_, ok := g.Limits.On(metric.Temperature)
	return ok
}

// HeatSays describes where steady temperatures come from, for a search that a limit on them is given; "" without one.
func HeatSays(h metric.Heat) string {
	switch {
	case h.PerW == 0:
		return ""
	case h.Soaks == 0:
		return fmt.Sprintf("temperatures are a guess from the board now (%.2g °C per watt above %.0f °C): a soak "+
			"of the answer, until the board is steady, decides", h.PerW, h.AirC)
	}
	return fmt.Sprintf("temperatures follow from %d of the board's soaks (%.2g °C per watt above %.0f °C): a soak "+
		"of the answer, until the board is steady, decides", h.Soaks, h.PerW, h.AirC)
}
