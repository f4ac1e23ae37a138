package learn

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"jtune/internal/must"
	"jtune/learn/baseline/nn"
)

func TestNetworksTakeTheCallersSettings(t *testing.T) {
	t.Parallel()
	space := smallSpace(t)
	samples := truths(space.Sample(12, 1))
	brief := nn.Config{Epochs: 2, MinSteps: -1, Loss: nn.MAPE, Freeze: true, Seed: 9}
	for _, method := range []Method{PowerTrain, NN} {
		m := must.Get(Fit(t.Context(), samples,
			Options{Method: method, Space: space, Network: &brief, Seed: 3, SkipCV: true}))(t)
		pair, _ := m.predictor.(*banded).Networks()
		if c := pair.Time.Config; c.Loss != nn.MAPE || !c.Freeze || c.Epochs != 2 || c.Seed != 3 {
			t.Errorf("%s: trained with %+v", method, c)
		}
		sane(t, m.Predict(space.Modes()))
	}
	bad := nn.Config{Dropout: 2}
	if _, err := Fit(t.Context(), samples, Options{Method: NN, Space: space, Network: &bad}); err == nil {
		t.Error("a dropout of 2 was accepted")
	}
}

// Trainings that would never end stop with their context.
func TestFitStopsWhenItsContextEnds(t *testing.T) {
	t.Parallel()
	space := smallSpace(t)
	samples := truths(space.Sample(12, 1))
	for _, method := range []Method{NN, PowerTrain} {
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(20*time.Millisecond, cancel)
		endless := nn.Config{Epochs: 1 << 40, MinSteps: -1}
		if m, err := Fit(ctx, samples, Options{Method: method, Space: space, Network: &endless}); !errors.Is(err,
			context.Canceled) ||
			m != nil {
			t.Errorf("%s: got %v, %v", method, m, err)
		}
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	for _, method := range Methods() {
		if m, err := Fit(ended, samples, Options{Method: method, Space: space}); !errors.Is(err, context.Canceled) ||
			m != nil {
			t.Errorf("%s, ended before it began: got %v, %v", method, m, err)
		}
	}
}

// endsAfter is a context that ends at its call number calls.
type endsAfter struct {
	context.Context
	calls *atomic.Int64
}

func (c endsAfter) Err() error {
	if c.calls.Add(-1) < 0 {
		return context.Canceled
	}
	return nil
}

// One fit to all samples and one without each of them: an end in any of them,
// and after the last, leaves no model.
func TestFitCancelledLateGivesNoModel(t *testing.T) {
	t.Parallel()
	space := smallSpace(t)
	samples := truths(space.Sample(12, 1))
	for calls := range 1 + len(samples) + 1 {
		ctx := endsAfter{t.Context(), new(atomic.Int64)}
		ctx.calls.Store(int64(calls))
		if m, err := Fit(ctx, samples, Options{Method: GP, Space: space}); !errors.Is(err, context.Canceled) ||
			m != nil {
			t.Errorf("ended after %d questions: got %v, %v", calls, m, err)
		}
	}
}

// Individual minibatches replace medians, repeated up to the largest number; a mode without any uses its sample.
// Cross-validation holds out whole modes.
func TestNetworksLearnFromSingleMinibatches(t *testing.T) {
	t.Parallel()
	space := smallSpace(t)
	samples := truths(space.Sample(12, 1))
	var entries []nn.Sample
	for i, s := range samples[1:] {
		e := nn.Sample{Mode: s.Mode, TimesMS: []float64{s.TimeMS, 1.1 * s.TimeMS, 0.9 * s.TimeMS}}
		if i == 0 {
			e.PowersW = []float64{s.PowerW, s.PowerW + 1}
		}
		entries = append(entries, e)
	}
	brief := nn.Config{Epochs: 2, MinSteps: -1}
	for _, method := range []Method{PowerTrain, NN} {
		m := mustFit(t, samples, Options{Method: method, Space: space, Network: &brief, Entries: entries})
		pair, _ := m.predictor.(*banded).Networks()
		if pair.Time.Report.Rows != 3*12 || pair.Power.Report.Rows != 2*12 {
			t.Errorf("%s: learned from %d times and %d powers, want 36 and 24",
				method, pair.Time.Report.Rows, pair.Power.Report.Rows)
		}
		if !m.CV.Known() || len(m.Samples) != 12 {
			t.Errorf("%s: errors %+v of %d samples", method, m.CV, len(m.Samples))
		}
	}
}

// A reference whose networks were trained on raw values passes its layers to the networks retrained on its samples.
func TestNetworksKeepTheirLayersInFilesAndTransfers(t *testing.T) {
	t.Parallel()
	space := smallSpace(t)
	samples := truths(space.Sample(12, 1))
	layersOf := func(m *Model) [2]nn.Layers {
		pair, _ := m.Networks()
		return [2]nn.Layers{pair.Time.Config.Layers, pair.Power.Config.Layers}
	}
	fit := func(method Method, r *Reference, l nn.Layers) (*Model, error) {
		return Fit(t.Context(), samples, Options{Method: method, Space: space, Reference: r, SkipCV: true,
			Network: &nn.Config{Epochs: 2, MinSteps: -1, RawTarget: method == NN, Layers: l}})
	}
	want := nn.Layers{16, 8}
	own := must.Get(fit(NN, nil, want))(t)
	path := filepath.Join(t.TempDir(), "own.model")
	must.NoError(t, own.Save(path))
	read := must.Get(Load(path))(t)
	if got := layersOf(read); got != [2]nn.Layers{want, want} {
		t.Errorf("the file has layers %v, want %s", got, want)
	}
	reference := must.Get(LoadReference(path))(t)
	moved := must.Get(fit(PowerTrain, reference, nn.Layers{}))(t)
	if got := layersOf(moved); got != [2]nn.Layers{want, want} {
		t.Errorf("transferred from %s to layers %v", want, got)
	}
	if _, err := fit(PowerTrain, nil, want); err == nil || strings.Contains(err.Error(), "\n") ||
		!strings.Contains(err.Error(), "256,128,64") {
		t.Errorf("other layers than the shipped reference's: %v", err)
	}
	wide := nn.Layers{24}
	if m, err := fit(PowerTrain, &Reference{Name: "rows", Samples: samples}, wide); err != nil {
		t.Error(err)
	} else if got := layersOf(m); got != [2]nn.Layers{wide, wide} {
		t.Errorf("networks of measured rows have layers %v, want %s", got, wide)
	}
}

// The drawn losses come from the training that made the model, also after saving and loading.
func TestModelLossesAreThoseOfItsTraining(t *testing.T) {
	t.Parallel()
	space := smallSpace(t)
	m := mustFit(t, truths(space.Sample(12, 1)), Options{Method: NN, Space: space, SkipCV: true,
		Network: &nn.Config{Epochs: 9, MinSteps: -1, Loss: nn.MAPE, Layers: nn.Layers{16}}})
	path := filepath.Join(t.TempDir(), "own.model")
	must.NoError(t, m.Save(path))
	read := must.Get(Load(path))(t)
	made, _ := m.Networks()
	got := must.Get(read.Losses(t.Context()))(t)
	for name, of := range map[string][2]*nn.Net{"time": {made.Time, got.Time}, "power": {made.Power, got.Power}} {
		if c := of[1].Report.Curve; len(c) != 9 || !slices.Equal(c, of[0].Report.Curve) {
			t.Errorf("%s: %d passes in the file, %d in the training", name, len(c), len(of[0].Report.Curve))
		}
	}
}

func TestFitWarnsOfAReferenceMeasuredWithOtherSoftware(t *testing.T) {
	t.Parallel()
	space := smallSpace(t)
	samples := truths(space.Sample(20, 1))
	const here = "L4T 35.1; JetPack 5.0.2; kernel 5.10.104; torch 2.0.0 on cuda; CUDA 11.4"
	for _, method := range []Method{GP, PowerTrain} {
		for there, want := range map[string]string{
			here: "",
			"":   "",
			"L4T 36.4; JetPack 5.0.2; kernel 5.10.104; torch 2.0.0 on cuda; CUDA 11.4": "L4T 36.4 and 35.1",
			"L4T 35.1; JetPack 6.1; kernel 5.10.104; torch 2.0.0 on cuda; CUDA 11.4":   "JetPack 6.1 and 5.0.2",
			"L4T 35.1; JetPack 5.0.2; kernel 5.15; torch 2.0.0 on cuda; CUDA 11.4":     "kernel 5.15 and 5.10.104",
			"L4T 35.1; JetPack 5.0.2; kernel 5.10.104; torch 2.1.0 on cuda; CUDA 11.4": "torch 2.1.0 on cuda and 2.0.0",
			"L4T 35.1; JetPack 5.0.2; kernel 5.10.104; torch 2.0.0 on cuda; CUDA 12.2": "CUDA 12.2 and 11.4",
		} {
			m := mustFit(t, samples, Options{
				Method:     method,
				Space:      space,
				SkipCV:     true,
				Network:    &nn.Config{Epochs: 1, MinSteps: -1, Layers: nn.Layers{8}},
				Provenance: Provenance{Device: "x", Software: here},
				Reference: &Reference{Name: "ref", Samples: truths(space.Sample(120, 2)),
					Provenance: Provenance{Device: "x", Software: there}},
			})
			said := strings.Join(m.Warnings, "; ")
			if has := strings.Contains(said, "other software"); has != (want != "") || !strings.Contains(said, want) {
				t.Errorf("%s, reference of %q: warned %q, want %q", method, there, said, want)
			}
		}
	}
}

// Networks of another board are taken with the advice of the paper, to transfer by the relative loss.
func TestPowerTrainAdvisesTheRelativeLossForAnotherBoard(t *testing.T) {
	t.Parallel()
	space := smallSpace(t)
	samples := truths(space.Sample(12, 1))
	for _, c := range []struct {
		here, there string
		loss        nn.Loss
		want        string // of the warning; "" for none
	}{
		{"Orin Nano", "AGX Orin", nn.MSE, "come from AGX Orin, the samples from Orin Nano: the relative loss, mape"},
		{"Orin Nano", "AGX Orin", nn.MAPE, "come from AGX Orin, the samples from Orin Nano"},
		{"AGX Orin", "AGX Orin", nn.MSE, ""},
		{"AGX Orin", "", nn.MSE, ""},
	} {
		m := mustFit(t, samples, Options{Method: PowerTrain, Space: space, SkipCV: true,
			Network:    &nn.Config{Epochs: 1, MinSteps: -1, Loss: c.loss, Layers: nn.Layers{8}},
			Provenance: Provenance{Device: c.here},
			Reference: &Reference{Name: "ref", Samples: truths(space.Sample(120, 2)),
				Provenance: Provenance{Device: c.there}}})
		if !hasWarning(m, c.want) || c.want == "" && hasWarning(m, "the samples from") ||
			c.loss == nn.MAPE && hasWarning(m, "relative loss") {
			t.Errorf("%s for %s by %s: %q", c.there, c.here, c.loss, m.Warnings)
		}
	}
}
