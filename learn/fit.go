package learn

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"jtune/learn/baseline/nn"
	"jtune/tegra"
)

// Method is a prediction method.
type Method string

// Methods.
const (
	Auto       Method = "auto"       // gp
	GP         Method = "gp"         // physics and Gaussian process, the default
	PowerTrain Method = "powertrain" // the paper's networks, transferred from a reference workload
	NN         Method = "nn"         // the paper's networks, trained on the samples alone
	Linear     Method = "linear"     // linear regression on the raw knobs
	Tree       Method = "tree"       // one decision tree, for comparison
	Forest     Method = "forest"     // a random forest, for comparison
	MLP        Method = "mlp"        // a small network trained on the samples alone, for comparison
)

// Methods lists the methods in the order of help texts.
func Methods() []Method { return []Method{Auto, GP, PowerTrain, NN, Linear, Tree, Forest, MLP} }

// Options are the options of Fit. The zero value works.
type Options struct {
	Method Method // "" means auto
	// Space is the device's: its largest values scale the knobs, and samples must be modes of it. nil: every
	// combination of the sampled values.
	Space *tegra.Space
	// Reference is another workload on the same device (gp) or networks to transfer from (powertrain). nil: none; for
	// powertrain the shipped ResNet-18 networks of an AGX Orin.
	Reference *Reference
	// Network holds the network settings of powertrain and nn, such as the loss or a frozen body; Seed replaces its
	// seed. nil: nn.ForTransfer and nn.FromScratch.
	Network *nn.Config
	// Entries are the known individual measurements behind the samples. powertrain and nn train on them, as the paper
	// does, and on the sample of modes without entries.
	Entries    []nn.Sample
	Seed       uint64
	Provenance Provenance
	// SkipCV skips cross-validation: Model.CV is unknown, and methods other than gp, whose bands come from it, get very
	// wide bands.
	SkipCV bool

	// Means are the means of samples that are already medians of several readings.
	Means []tegra.Mean

	repeated []tegra.Setting // samples that are medians of consistent readings
}

// Provenance is the origin of a model's samples.
type Provenance struct {
	Device   string    `json:"device"`
	Workload string    `json:"workload"`
	Virtual  bool      `json:"virtual"`          // samples from a virtual board
	Replay   string    `json:"replay,omitempty"` // measured file that the virtual board replays; "" if simulated
	Jtune    string    `json:"jtune"`            // program version that fitted the model
	When     time.Time `json:"when"`
	// Pool identifies the workload and board whose known measurements are all used; "" if the samples were chosen in
	// another way.
	Pool      string `json:"pool,omitempty"`
	Campaigns int    `json:"campaigns,omitempty"` // in the pool
	Readings  int    `json:"readings,omitempty"`  // in the pool: samples are medians of the usable ones
	Sources   string `json:"sources,omitempty"`   // digest of these campaigns
	Batch     int    `json:"batch,omitempty"`     // of all samples; 0: unknown or several
	// Software lists the known releases that the samples depend on: "JetPack 5.0.2; L4T 35.1".
	Software string `json:"software,omitempty"`
	// Presets are the board's, and Found is how it was set when the newest of the campaigns began; absent where not
	// known, as in files of older versions.
	Presets []tegra.Preset `json:"presets,omitempty"`
	Found   tegra.Setup    `json:"found,omitzero"`
}

// Origin describes a virtual board's data; "" for a real board.
func (p *Provenance) Origin() string { return tegra.Origin(p.Virtual, p.Replay) }

// simulated reports whether no sample was measured on a real board.
func (p *Provenance) simulated() bool { return p.Virtual && p.Replay == "" }

// Fit fits time and power to measured modes. One mode gives an answer, ten a useful one. Equal arguments give equal
// models. If ctx ends, Fit returns ctx.Err() soon: between two fits of the cross-validation, between two passes of a
// network's training, or at the end.
//
// Out-of-range values, modes that the device lacks, and power in only some samples are errors. Samples without power
// give a model of time alone. A mode measured more than once counts with its median. Several batch sizes make the size
// an input of gp. Warnings lists the model's limitations.
func Fit(ctx context.Context, samples []tegra.Measured, o Options) (*Model, error) {
	if o.Method == "" || o.Method == Auto {
		o.Method = GP
	}
	if !slices.Contains(Methods(), o.Method) {
		return nil, fmt.Errorf("method %q is unknown; known: %s", o.Method, methodNames())
	}
	if len(samples) == 0 {
		return nil, fmt.Errorf("no measured modes to learn from; measure some with jtune lab profile")
	}
	m := &Model{Method: o.Method, Space: o.Space, Provenance: o.Provenance, Seed: o.Seed}
	var err error
	if err = m.setSizes(samples); err != nil {
		return nil, err
	}
	if m.Space == nil {
		if m.Space, err = tegra.Spanned(tegra.ModesOf(tegra.SettingsOf(samples))); err != nil {
			return nil, err
		}
		m.warn("no device given: the model knows the %d modes of the grid that the samples span", m.Space.Len())
	}
	if m.Samples, err = m.prepare(samples, o); err != nil {
		return nil, err
	}
	t, err := newFitter(ctx, m, o)
	if err != nil {
		return nil, err
	}
	if m.predictor, err = t.fit(ctx, m.Samples); err != nil {
		return nil, fmt.Errorf("%s: %w", o.Method, err)
	}
	if !o.SkipCV {
		if err := m.validate(ctx, t); err != nil {
			return nil, fmt.Errorf("%s: cross-validation: %w", o.Method, err)
		}
	}
	m.describe(t)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return m, nil
}

// setSizes sets the batch sizes to those of samples.
func (m *Model) setSizes(samples []tegra.Measured) (err error) {
	if m.Batches, err = checkBatches(tegra.BatchSizes(tegra.SettingsOf(samples))); err != nil {
		return err
	}
	if len(m.Batches) == 1 {
		m.Batch = m.Batches[0]
	} else if m.Method != GP {
		return fmt.Errorf("method %s takes samples of one batch size, these have %d: choose one, or use method gp",
			m.Method, len(m.Batches))
	}
	return nil
}

func methodNames() string {
	var names []string
	for _, m := range Methods() {
		names = append(names, string(m))
	}
	return strings.Join(names, ", ")
}

// prepare checks the samples, snaps nominal frequencies to the device's, and computes medians and means of settings
// measured more than once. Samples of o.repeated and o.Means are already medians.
func (m *Model) prepare(samples []tegra.Measured, o Options) ([]tegra.Measured, error) {
	if err := checkPower(samples); err != nil {
		return nil, err
	}
	samples = slices.Clone(samples)
	for i := range samples {
		s := &samples[i]
		if snapped, err := m.Space.Snap(s.Mode); err == nil {
			s.Mode = snapped
		}
		if err := checkSample(m.Space, *s); err != nil {
			return nil, fmt.Errorf("sample %d of %d: %w", i+1, len(samples), err)
		}
	}
	groups, before := tegra.BySetting(samples), meansOf(o.Means)
	out := make([]tegra.Measured, len(groups))
	var scattered []tegra.Setting
	for i, g := range groups {
		out[i] = g.Median()
		more := g
		if before[g.Setting].N > 0 { // the first sample of the group represents them
			more.TimesMS, more.PowersW = g.TimesMS[1:], g.PowersW[1:]
		}
		if mean := before[g.Setting].And(more.Mean()); mean.N > 1 {
			m.Means = append(m.Means, mean)
		}
		if spread(g.TimesMS) > repeatSpread || spread(g.PowersW) > repeatSpread {
			scattered = append(scattered, g.Setting)
		}
		if agreeing(g, out[i]) || len(g.TimesMS) == 1 && slices.Contains(o.repeated, g.Setting) {
			m.Repeated = append(m.Repeated, g.Setting)
		}
	}
	if len(scattered) > 0 {
		m.warn("%s measured more than once with values more than %.0f %% apart; the median counts: %s",
			count(len(scattered), "mode was", "modes were"), 100*repeatSpread, m.list(scattered))
	}
	return out, nil
}

// meansOf indexes means by setting.
func meansOf(list []tegra.Mean) map[tegra.Setting]tegra.Mean {
	out := make(map[tegra.Setting]tegra.Mean, len(list))
	for _, m := range list {
		out[m.Setting] = m
	}
	return out
}

// repeatSpread is the largest spread of repeated measurements of one mode, relative to the smallest, without a warning.
const repeatSpread = 0.1

// agreeing reports whether two readings of a setting lie near the median of all, in time and, if measured, in power.
func agreeing(g tegra.Repeats, median tegra.Measured) bool {
	near := 0
	for i, t := range g.TimesMS {
		if spread([]float64{t, median.TimeMS}) <= repeatSpread &&
			!(spread([]float64{g.PowersW[i], median.PowerW}) > repeatSpread) {
			near++
		}
	}
	return near > 1
}

func spread(v []float64) float64 { return slices.Max(v)/slices.Min(v) - 1 }
