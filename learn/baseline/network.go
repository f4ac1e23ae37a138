package baseline

import (
	"jtune/learn/baseline/nn"
	"jtune/learn/internal/parallel"
	"jtune/tegra"
)

// network is one of PowerTrain's networks (package nn), transferred or trained only on the samples.
type network struct{ *nn.Net }

func (n network) At(modes []tegra.Mode) []float64 {
	out := make([]float64, len(modes))
	parallel.Ranges(len(modes), func(from, to int) {
		copy(out[from:to], n.Predict(nn.Inputs(modes[from:to])))
	})
	return out
}

// OfNetworks returns a pair of networks as predictors.
func OfNetworks(p nn.Pair) *Pair {
	out := &Pair{Time: network{p.Time}}
	if p.Power != nil {
		out.Power = network{p.Power}
	}
	return out
}

// Networks returns the networks of a pair made by OfNetworks; false for others.
func (p *Pair) Networks() (nn.Pair, bool) {
	time, ok := p.Time.(network)
	out := nn.Pair{Time: time.Net}
	if power, ok := p.Power.(network); ok {
		out.Power = power.Net
	}
	return out, ok
}

// WithEntries returns the training data of networks: the individual measurements of a mode if entries have them, else
// its medians.
func WithEntries(medians []tegra.Measured, entries []nn.Sample) []nn.Sample {
	known := make(map[tegra.Mode]nn.Sample, len(entries))
	for _, e := range entries {
		known[e.Mode] = e
	}
	out := nn.Medians(medians)
	for i := range out {
		e := known[out[i].Mode]
		if len(e.TimesMS) > 0 {
			out[i].TimesMS = e.TimesMS
		}
		if len(e.PowersW) > 0 && medians[i].HasPower() {
			out[i].PowersW = e.PowersW
		}
	}
	return out
}
