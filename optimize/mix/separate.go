package mix

import (
	"cmp"
	"math"

	"jtune/learn"
	"jtune/tegra"
	"jtune/tegra/metric"
)

// Separate is training and inference sharing a GPU with a power mode each: the board switches to the inference mode
// before a batch and to the training mode after it. Each switch takes some time in which no work is done.
type Separate struct {
	Infer     tegra.Setting
	Train     tegra.Mode
	SwitchS   float64 // of one switch
	WindowS   float64 // between two batches
	TrainPerS float64
	LatencyMS float64 // at the quantile, with even arrivals
	PeakW     float64
	Offered   bool // two switches take less than switchShare of the window
}

// switchShare is the largest share of the window that two switches may take for separate modes to be offered.
const switchShare = 0.05

// Separate returns the best pair of modes for an ask, by the formulas of even arrivals; false if none keeps the limits.
func (a *Ask) Separate(settings []tegra.Setting, infer, train Phase, switchS float64) (Separate, bool) {
	best := Separate{TrainPerS: -1}
	draws := func(p *learn.Prediction) bool { // too much
		most, limited := a.Goal.Limits.On(metric.Power)
		return limited && p.PowerW*math.Exp(a.Goal.Margin.Z()*p.LnPowerSD) > most.Value
	}
	fastest, mode, trainW := math.Inf(1), tegra.Mode{}, 0.0
	for m := range train.at {
		t, ok := train.At(tegra.Setting{Mode: m})
		if !ok || !(t.TimeMS > 0) || draws(t) || t.TimeMS > fastest ||
			t.TimeMS == fastest && tegra.CompareModes(m, mode) > 0 {
			continue
		}
		fastest, mode, trainW = t.TimeMS, m, t.PowerW
	}
	if math.IsInf(fastest, 1) {
		return best, false
	}
	for _, at := range settings {
		s, ok := infer.At(at)
		if !ok || !(s.TimeMS > 0) || draws(s) {
			continue
		}
		b := float64(max(1, at.Batch))
		window := b / a.Load.RatePerS
		serve := s.TimeMS / 1000 * math.Exp(a.Goal.Margin.Z()*s.LnTimeSD)
		late := 1000 * (a.wait(b, window) + switchS + serve)
		left := window - s.TimeMS/1000 - 2*switchS
		if left < 0 || late > a.MostMS() {
			continue
		}
		found := Separate{Infer: at, Train: mode, SwitchS: switchS, WindowS: window,
			TrainPerS: left / (window * fastest / 1000), LatencyMS: late, PeakW: max(s.PowerW, trainW),
			Offered: 2*switchS < switchShare*window}
		if cmp.Or(cmp.Compare(found.TrainPerS, best.TrainPerS), cmp.Compare(best.PeakW, found.PeakW)) > 0 {
			best = found
		}
	}
	return best, best.TrainPerS >= 0
}
