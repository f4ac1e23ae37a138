package learn

import (
	"context"
	"fmt"

	"jtune/learn/forest"
	"jtune/learn/nn"
	"jtune/tegra"
)

// mostSamples bounds the gp method's cost, which grows with their square per
// predicted mode: of more, a random part is used.
const mostSamples = 500

// teacher fits one method again and again: to all samples, and to those that
// cross-validation leaves.
type teacher struct {
	model    *Model
	options  Options
	residual *Residual // gp
	network  *nn.Pair  // powertrain: to transfer from
	// tuned are the hyper-parameters chosen on all samples; cross-validation
	// keeps them.
	tuned *hyper
}

// newTeacher settles the reference. What cannot be used is said and left out.
func newTeacher(ctx context.Context, m *Model, o Options) (*teacher, error) {
	t := &teacher{model: m, options: o}
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

func (t *teacher) residualFrom(r *Reference) {
	if r == nil {
		return
	}
	if t.model.Batches != nil {
		t.model.warn("reference %s is not used: the size of a minibatch is an input here, and references know one size", r.Name)
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
	t.residual, t.model.reference, t.model.compact = residual, residual.samples, r.Compact
}

func (t *teacher) sameDevice(r *Reference) error {
	here, there := t.options.Provenance, r.Provenance
	if here.Device != "" && there.Device != "" && here.Device != there.Device {
		return fmt.Errorf("it was measured on %s, the samples on %s; only the same device's quirks carry over", there.Device, here.Device)
	}
	if there.Device != "" && here.simulated() != there.simulated() {
		return fmt.Errorf("one of it and the samples comes from a simulation, the other does not")
	}
	return nil
}

// networksFrom takes a reference's networks, or trains them when it has
// measured modes only.
func (t *teacher) networksFrom(ctx context.Context, r *Reference) error {
	if r == nil {
		r = ShippedReference()
	}
	if r.Networks == nil {
		pair, err := nn.TrainPair(ctx, nn.Medians(r.Samples), nn.Config{Seed: t.options.Seed})
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			t.model.warn("reference %s is not used: %v", r.Name, err)
			r = ShippedReference()
			pair = *r.Networks
		}
		r = &Reference{Name: r.Name, Networks: &pair, Provenance: r.Provenance}
	}
	t.network = r.Networks
	t.model.Reference = r.Name
	if here, there := t.options.Provenance.Device, r.Provenance.Device; here != "" && there != "" && here != there {
		t.model.warn("the networks of reference %s come from %s, the samples from %s", r.Name, there, here)
	}
	return nil
}

// teach fits the method to samples, unless ctx has ended.
func (t *teacher) teach(ctx context.Context, samples []tegra.Measured) (Predictor, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if t.options.Method == GP {
		return t.fitGP(thin(samples, mostSamples, t.options.Seed))
	}
	fitted, err := t.fitTargets(ctx, samples)
	if err != nil {
		return nil, err
	}
	// very wide error bars, until cross-validation tells better
	return &banded{targets: fitted, timeSD: unknownSD, powerSD: unknownSD, dof: leastDoF}, nil
}

func (t *teacher) fitTargets(ctx context.Context, samples []tegra.Measured) (*targets, error) {
	if t.options.Method == NN || t.options.Method == PowerTrain {
		return t.fitNetworks(ctx, samples)
	}
	return fitTargets(ctx, samples, t.options.Seed, baselines[t.options.Method])
}

// baselines are the methods that learn time and power each by itself, and are
// fitted again when a model file is read.
var baselines = map[Method]fitTarget{Linear: fitLine, Tree: growing(forest.Tree), Forest: growing(forest.Config{}), MLP: fitPerceptron}

func (t *teacher) fitGP(samples []tegra.Measured) (Predictor, error) {
	if t.tuned != nil {
		return fitSurrogate(t.model.Space, samples, SurrogateOptions{Robust: 1, Reference: t.residual, Batches: t.model.Batches}, *t.tuned)
	}
	s, err := FitSurrogate(t.model.Space, samples, SurrogateOptions{Grid: true, Robust: 2, Reference: t.residual, Batches: t.model.Batches})
	if err != nil {
		return nil, err
	}
	tuned := s.hyper()
	t.tuned = &tuned
	return s, nil
}
