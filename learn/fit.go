package learn

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"jtune/learn/nn"
	"jtune/tegra"
	"jtune/tegra/quantile"
)

// Method names a way to predict.
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

// Methods lists them in the order to show them.
func Methods() []Method { return []Method{Auto, GP, PowerTrain, NN, Linear, Tree, Forest, MLP} }

// Options say how to fit. The zero value works.
type Options struct {
	Method Method // "" means auto
	// Space is the device's: its largest values scale the knobs, its modes are
	// those a sample may have. nil: every combination of the sampled values.
	Space *tegra.Space
	// Reference is another workload on the same device (gp) or the networks
	// to transfer from (powertrain). nil: none; for powertrain the shipped
	// ResNet-18 networks of an AGX Orin.
	Reference *Reference
	// Network holds the settings of powertrain and nn, such as the loss or a
	// frozen body; its seed is Seed. nil: nn.ForTransfer and nn.FromScratch.
	Network *nn.Config
	// Entries are the single measurements behind samples, as far as they are
	// known: powertrain and nn learn from these, as the paper does. A mode
	// without stands by its sample alone.
	Entries    []nn.Sample
	Seed       uint64
	Provenance Provenance
	// SkipCV leaves cross-validation out: Model.CV is unknown, and the bands of
	// methods other than gp, which are made from it, are very wide.
	SkipCV bool

	repeated []Setting // samples that are the medians of readings that agreed
}

// Provenance says where a model's samples come from.
type Provenance struct {
	Device   string    `json:"device"`
	Workload string    `json:"workload"`
	Virtual  bool      `json:"virtual"`          // samples of a virtual board
	Replay   string    `json:"replay,omitempty"` // the file that it answered from; "" when it was simulated
	Jtune    string    `json:"jtune"`            // version of the program that fitted
	When     time.Time `json:"when"`
}

// Origin says in words where samples that nobody measured on a board come
// from; "" for measured ones.
func (p Provenance) Origin() string { return tegra.Origin(p.Virtual, p.Replay) }

// simulated tells that no measurement at all stands behind the samples.
func (p Provenance) simulated() bool { return p.Virtual && p.Replay == "" }

// Fit learns to predict time and power from measured modes; one is enough to
// get an answer, ten for a useful one. Equal arguments give equal models. When
// ctx ends it gives up with ctx.Err() soon: between two fits of the
// cross-validation, between two passes of a network's training, or at the end.
//
// Samples whose values cannot be, modes that are not the device's, and power
// that only some of the samples have, are errors. Samples without any power give
// a model of time alone. Of a mode that stands more than once the median counts.
// Samples with several minibatch sizes make the size an input of the gp. What limits
// the trust in the model is said in its Warnings.
func Fit(ctx context.Context, samples []tegra.Measured, o Options) (*Model, error) {
	if o.Method == "" || o.Method == Auto {
		o.Method = GP
	}
	if !slices.Contains(Methods(), o.Method) {
		return nil, fmt.Errorf("method %q is unknown; known: %s", o.Method, methodNames())
	}
	if len(samples) == 0 {
		return nil, fmt.Errorf("no measured modes to learn from; measure some with jtune profile")
	}
	m := &Model{Method: o.Method, Space: o.Space, Provenance: o.Provenance, Seed: o.Seed}
	var err error
	if m.Batches, err = batchesOf(samples); err != nil {
		return nil, err
	}
	if m.Batches != nil && o.Method != GP {
		return nil, fmt.Errorf("method %s takes samples of one minibatch size, these have %d: choose one, or use method gp", o.Method, len(m.Batches))
	}
	if m.Space == nil {
		if m.Space, err = spanned(samples); err != nil {
			return nil, err
		}
		m.warn("no device given: the model speaks of the %d modes of the grid that the samples span", m.Space.Len())
	}
	if m.Samples, err = m.prepare(samples, o.repeated); err != nil {
		return nil, err
	}
	t, err := newTeacher(ctx, m, o)
	if err != nil {
		return nil, err
	}
	if m.predictor, err = t.teach(ctx, m.Samples); err != nil {
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

func methodNames() string {
	var names []string
	for _, m := range Methods() {
		names = append(names, string(m))
	}
	return strings.Join(names, ", ")
}

// spanned is the space of every combination of the sampled values.
func spanned(samples []tegra.Measured) (*tegra.Space, error) {
	var cores []int
	var cpu, gpu, emc []tegra.Freq
	for _, m := range samples {
		cores, cpu, gpu, emc = append(cores, m.Mode.Cores), append(cpu, m.Mode.CPU), append(gpu, m.Mode.GPU), append(emc, m.Mode.EMC)
	}
	return tegra.NewSpace(cores, cpu, gpu, emc)
}

// prepare checks the samples, moves nominal frequencies to the device's own
// and joins what was measured more than once, as those of repeated were before.
func (m *Model) prepare(samples []tegra.Measured, repeated []Setting) ([]tegra.Measured, error) {
	times, powers := map[Setting][]float64{}, map[Setting][]float64{}
	var order []Setting
	if err := checkPower(samples); err != nil {
		return nil, err
	}
	for i, s := range samples {
		if snapped, err := m.Space.Snap(s.Mode); err == nil {
			s.Mode = snapped
		}
		if err := checkSample(m.Space, s); err != nil {
			return nil, fmt.Errorf("sample %d of %d: %w", i+1, len(samples), err)
		}
		a := Setting{Mode: s.Mode}
		if m.Batches != nil {
			a.Batch = s.Batch
		}
		if times[a] == nil {
			order = append(order, a)
		}
		times[a] = append(times[a], s.TimeMS)
		powers[a] = append(powers[a], s.PowerW)
	}
	out := make([]tegra.Measured, len(order))
	var apart []Setting
	for i, a := range order {
		out[i] = tegra.Measured{Mode: a.Mode, Batch: a.Batch, TimeMS: quantile.Median(times[a]).V, PowerW: quantile.Median(powers[a]).Or(math.NaN())}
		if spread(times[a]) > repeatSpread || spread(powers[a]) > repeatSpread {
			apart = append(apart, a)
		}
		if agreeing(times[a], powers[a]) || len(times[a]) == 1 && slices.Contains(repeated, a) {
			m.Repeated = append(m.Repeated, a)
		}
	}
	if len(apart) > 0 {
		m.warn("%s measured more than once with values more than %.0f %% apart; the median counts: %s",
			count(len(apart), "mode was", "modes were"), 100*repeatSpread, m.list(apart))
	}
	return out, nil
}

// repeatSpread is how far repeated measurements of one mode may lie apart,
// relative to the least, before it is said.
const repeatSpread = 0.1

// agreeing tells whether two readings of a mode lie near the median of all of
// them, in time and in power where that was measured.
func agreeing(times, powers []float64) bool {
	time, power, near := quantile.Median(times).V, quantile.Median(powers).Or(math.NaN()), 0
	for i := range times {
		if spread([]float64{times[i], time}) <= repeatSpread && !(spread([]float64{powers[i], power}) > repeatSpread) {
			near++
		}
	}
	return near > 1
}

func spread(v []float64) float64 { return slices.Max(v)/slices.Min(v) - 1 }
