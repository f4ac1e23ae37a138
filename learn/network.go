package learn

import (
	"fmt"
	"strings"

	"jtune/internal/text"
	"jtune/learn/baseline/nn"
)

// Network describes one network of a model.
type Network struct {
	Of        string    `json:"of"`     // time or power
	Layers    []int     `json:"layers"` // inputs, then the widths
	Config    nn.Config `json:"config"`
	Rows      int       `json:"rows"`       // training rows
	Validated int       `json:"validated"`  // held out for the checkpoint; 0: training rows were used
	Epochs    int       `json:"epochs"`     // passes over the data
	BestEpoch int       `json:"best_epoch"` // epoch of the kept weights, from 1
	BestLoss  float64   `json:"best_loss"`
}

// NetworksOf returns a model's networks; nil for methods without networks.
func NetworksOf(m *Model) (list []Network) {
	pair, ok := m.Networks()
	if !ok {
		return nil
	}
	for _, n := range []struct {
		of  string
		net *nn.Net
	}{{"time", pair.Time}, {"power", pair.Power}} {
		if n.net == nil {
			continue
		}
		r, c := n.net.Report, n.net.Config
		c.Seed = pair.Time.Config.Seed // that of the power network follows from it
		list = append(list, Network{n.of, n.net.Layers(), c, r.Rows, r.Validated, r.Epochs, r.BestEpoch, r.BestLoss})
	}
	return list
}

// Words describes a network in one line.
func (n *Network) Words() string {
	var layers []string
	for _, w := range n.Layers {
		layers = append(layers, fmt.Sprint(w))
	}
	c := n.Config
	targets := "standardised"
	switch {
	case c.LogTarget:
		targets = "logarithms"
	case c.RawTarget:
		targets = "as measured"
	}
	words := fmt.Sprintf("%s, Adam %g, %s, batch %d, dropout %g, %s rows, %d passes, that of pass %d kept, seed %d, "+
		"held out %g %% (%d rows), targets %s", strings.Join(layers, "-"), c.LearnRate, c.Loss, c.Batch, c.Dropout,
		text.Thousands(n.Rows), n.Epochs, n.BestEpoch, c.Seed, 100*c.Holdout, n.Validated, targets)
	if c.Freeze {
		words += ", only the last layer trained"
	}
	return words
}
