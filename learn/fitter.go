package learn

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"jtune/learn/baseline"
	"jtune/learn/baseline/nn"
	"jtune/tegra"
)

// mostSamples limits the samples of gp, whose cost per predicted mode grows with their square; of more, a random subset
// is used.
const mostSamples = 500

// fitter fits one method to all samples and, for cross-validation, to subsets.
type fitter struct {
	model    *Model
	options  Options
	residual *Residual // gp
	network  *nn.Pair  // powertrain: networks to transfer from
	// tuned holds the hyper-parameters chosen on all samples, for cross-validation.
	tuned *hyperparameters
	kept  *keptFit // of the model's file; nil: none
}

// newFitter prepares the reference, or drops an unusable one with a warning.
func newFitter(ctx context.Context, m *Model, o Options) (*fitter, error) {
	t := &fitter{model: m, options: o}
	switch o.Method {
	case GP:
		t.residualFrom(o.Reference)
	case PowerTrain:
		return t, t.networksFrom(ctx, o.Reference)
	default:
		if o.Reference != nil {
			m.warn("reference %s is not used: method %s learns from the samples alone", o.Reference.Name, o.Method)
		}
	}
	return t, nil
}

func (t *fitter) residualFrom(r *Reference) {
	if r == nil {
		return
	}
	if len(t.model.Batches) > 1 {
		t.model.warn("reference %s is not used: the batch size is an input here, and references have one size", r.Name)
		return
	}
	residual, err := r.Residual(t.model.Space)
	if err == nil {
		err = t.sameDevice(r)
	}
	if err != nil {
		t.model.warn("reference %s is not used: %v", r.Name, err)
		return
	}
	t.residual, t.model.reference = residual, residual.samples
	t.sameSoftware(r)
}

// sameSoftware adds a warning if the reference was measured with other software.
func (t *fitter) sameSoftware(r *Reference) {
	if list := tegra.SoftwareDifferences(strings.Split(r.Provenance.Software, "; "),
		strings.Split(t.options.Provenance.Software, "; ")); list != nil {
		t.model.warn("reference %s and the samples were measured with other software, %s: results move with versions",
			r.Name, strings.Join(list, ", "))
	}
}

func (t *fitter) sameDevice(r *Reference) error {
	here, there := t.options.Provenance, r.Provenance
	if here.Device != "" && there.Device != "" && here.Device != there.Device {
		return fmt.Errorf("it was measured on %s, the samples on %s; a reference must be of the same device",
			there.Device, here.Device)
	}
	if there.Device != "" && here.simulated() != there.simulated() {
		return fmt.Errorf("one of it and the samples comes from a simulation, the other does not")
	}
	return nil
}

// networksFrom takes a reference's networks, or trains them if it has only measured modes.
func (t *fitter) networksFrom(ctx context.Context, r *Reference) error {
	if r == nil || r.Networks == nil && len(r.Samples) == 0 { // a residual alone does not help here
		r = ShippedReference()
	}
	grid := r
	if r.Networks == nil {
		c := nn.Config{Seed: t.options.Seed, Layers: r.Layers}
		if o := t.options.Network; o != nil {
			c.Layers = cmp.Or(o.Layers, c.Layers)
		}
		pair, err := nn.TrainPair(ctx, nn.Medians(r.Samples), c)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			t.model.warn("reference %s is not used: %v", r.Name, err)
			r = ShippedReference()
			pair, grid = *r.Networks, r
		}
		r = &Reference{Name: r.Name, Networks: &pair, Provenance: r.Provenance}
	}
	t.network = r.Networks
	t.model.Reference = r.Name
	if words := grid.Beyond(tegra.ModesOf(tegra.SettingsOf(t.model.Samples))); words != "" {
		t.model.warn("%s", words)
	}
	if here, there := t.options.Provenance.Device, r.Provenance.Device; here != "" && there != "" && here != there {
		advice := ""
		if c := t.options.Network; c == nil || c.Loss != nn.MAPE {
			advice = ": the relative loss, mape, is what the paper takes for another board"
		}
		t.model.warn("the networks of reference %s come from %s, the samples from %s%s", r.Name, there, here, advice)
	}
	t.sameSoftware(r)
	return nil
}

// fit fits the method to samples unless ctx has ended.
func (t *fitter) fit(ctx context.Context, samples []tegra.Measured) (Predictor, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if t.options.Method == GP {
		return t.fitGP(thin(samples, mostSamples, t.options.Seed))
	}
	fitted, err := t.fitBaseline(ctx, samples)
	if err != nil {
		return nil, err
	}
	// very wide error bars until cross-validation narrows them
	return &banded{Pair: fitted, timeSD: unknownSD, powerSD: unknownSD, dof: leastDoF}, nil
}

func (t *fitter) fitBaseline(ctx context.Context, samples []tegra.Measured) (*baseline.Pair, error) {
	if fit, ok := baseline.Of(string(t.options.Method)); ok {
		return baseline.FitPair(ctx, samples, t.options.Seed, fit)
	}
	train, c := nn.TrainPair, NetworkDefaults(t.options.Method)
	if t.network != nil {
		train = t.network.Transfer
	}
	if t.options.Network != nil {
		c = *t.options.Network
	}
	c.Seed = t.options.Seed
	entries := slices.Clone(t.options.Entries)
	for i, e := range entries {
		if snapped, err := t.model.Space.Snap(e.Mode); err == nil {
			entries[i].Mode = snapped
		}
	}
	pair, err := train(ctx, baseline.WithEntries(samples, entries), c)
	return baseline.OfNetworks(pair), err
}

// NetworkDefaults returns the network settings of a method without Options.Network.
func NetworkDefaults(m Method) nn.Config {
	if m == PowerTrain {
		return nn.ForTransfer()
	}
	return nn.FromScratch()
}

func (t *fitter) fitGP(samples []tegra.Measured) (Predictor, error) {
	if t.tuned != nil {
		o := SurrogateOptions{Robust: 1, Reference: t.residual, Batches: t.model.Batches}
		return fitSurrogate(t.model.Space, samples, o, *t.tuned)
	}
	o := SurrogateOptions{Grid: true, Robust: 2, Reference: t.residual, Batches: t.model.Batches, kept: t.kept}
	s, err := FitSurrogate(t.model.Space, samples, o)
	if err != nil && t.kept != nil {
		o.kept = nil
		s, err = FitSurrogate(t.model.Space, samples, o)
	}
	if err != nil {
		return nil, err
	}
	tuned := s.hyperparameters()
	t.tuned = &tuned
	return s, nil
}
