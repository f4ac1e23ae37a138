package learn

import (
	"context"

	"jtune/learn/nn"
	"jtune/tegra"
)

// network is one of PowerTrain's, transferred or trained from nothing.
type network struct{ *nn.Net }

func (n network) at(modes []tegra.Mode) []float64 {
	out := make([]float64, len(modes))
	parallel(len(modes), func(from, to int) { copy(out[from:to], n.Predict(nn.Inputs(modes[from:to]))) })
	return out
}

// networks are the predictors of a pair.
func networks(p nn.Pair) *targets {
	t := &targets{time: network{p.Time}}
	if p.Power != nil {
		t.power = network{p.Power}
	}
	return t
}

// pair gives the networks of such targets; false for other ones.
func (t *targets) pair() (nn.Pair, bool) {
	time, ok := t.time.(network)
	p := nn.Pair{Time: time.Net}
	if power, ok := t.power.(network); ok {
		p.Power = power.Net
	}
	return p, ok
}

// fitNetworks trains the networks, or transfers the reference's.
func (t *teacher) fitNetworks(ctx context.Context, samples []tegra.Measured) (*targets, error) {
	learn, c := nn.TrainPair, NetworkDefaults(t.options.Method)
	if t.network != nil {
		learn = t.network.Transfer
	}
	if t.options.Network != nil {
		c = *t.options.Network
	}
	c.Seed = t.options.Seed
	pair, err := learn(ctx, t.withEntries(samples), c)
	return networks(pair), err
}

// NetworkDefaults are the settings of a method's networks unless
// Options.Network says otherwise.
func NetworkDefaults(m Method) nn.Config {
	if m == PowerTrain {
		return nn.ForTransfer()
	}
	return nn.FromScratch()
}

// withEntries puts single measurements in the place of medians where they are
// known.
func (t *teacher) withEntries(samples []tegra.Measured) []nn.Sample {
	known := make(map[tegra.Mode]nn.Sample, len(t.options.Entries))
	for _, e := range t.options.Entries {
		if snapped, err := t.model.Space.Snap(e.Mode); err == nil {
			e.Mode = snapped
		}
		known[e.Mode] = e
	}
	out := nn.Medians(samples)
	for i := range out {
		e := known[out[i].Mode]
		if len(e.TimesMS) > 0 {
			out[i].TimesMS = e.TimesMS
		}
		if len(e.PowersW) > 0 && samples[i].HasPower() {
			out[i].PowersW = e.PowersW
		}
	}
	return out
}
