package learn

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"jtune/internal/must"
	"jtune/learn/baseline/nn"
	"jtune/tegra"
	"jtune/tegra/sweep/sweeptest"
)

func TestBeyondSaysWhichModesLieOffTheReferencesGrid(t *testing.T) {
	t.Parallel()
	orin := func(cores int, cpuKHz int64) tegra.Mode {
		return tegra.Mode{Cores: cores, CPU: tegra.Freq(cpuKHz) * tegra.KHz, GPU: 624_750_000, EMC: 3_199_000_000}
	}
	shipped := ShippedReference()
	for name, c := range map[string]struct {
		modes []tegra.Mode
		want  []string
	}{
		"on the grid":        {[]tegra.Mode{orin(2, 268_800), orin(12, 2_201_600)}, nil},
		"between its values": {[]tegra.Mode{orin(3, 345_600)}, nil},
		"one core": {
			[]tegra.Mode{orin(1, 1_036_800), orin(4, 1_036_800)},
			[]string{"1 of 2 modes", "cores 2 to 12"},
		},
		"the slowest clocks": {
			[]tegra.Mode{orin(2, 115_200)},
			[]string{"1 of 1 mode", "CPU 268.8 MHz to 2.20 GHz", "random modes of it"},
		},
		"a core and a clock apart": {
			[]tegra.Mode{orin(1, 115_200), orin(2, 192_000)},
			[]string{"2 of 2", "cores", "CPU"},
		},
	} {
		got := shipped.Beyond(c.modes)
		if c.want == nil && got != "" {
			t.Errorf("%s: %q", name, got)
		}
		for _, w := range c.want {
			if !strings.Contains(got, w) {
				t.Errorf("%s: %q does not say %q", name, got, w)
			}
		}
	}
	own := &Reference{Name: "own", Samples: []tegra.Measured{{Setting: tegra.Setting{Mode: orin(4, 1_036_800)}},
		{Setting: tegra.Setting{Mode: orin(8, 2_201_600)}}}}
	if got := own.Beyond([]tegra.Mode{orin(6, 1_500_000), orin(2, 1_500_000)}); !strings.Contains(got, "1 of 2") {
		t.Errorf("samples as a reference: %q", got)
	}
	if got := (&Reference{Networks: shipped.Networks}).Beyond([]tegra.Mode{orin(1, 1)}); got != "" {
		t.Errorf("networks of unknown origin: %q", got)
	}
}

func TestPowerTrainSaysWhenSamplesLieOffTheGrid(t *testing.T) {
	if testing.Short() {
		t.Skip("trains networks")
	}
	t.Parallel()
	space := smallSpace(t)
	samples := truths(space.Sample(6, 1))
	ref := &Reference{Name: "high modes", Samples: truths(space.Sample(5, 2))}
	least := space.Cores[0]
	for i := 0; i < len(ref.Samples); i++ {
		if ref.Samples[i].Mode.Cores == least {
			ref.Samples = append(ref.Samples[:i], ref.Samples[i+1:]...)
			i--
		}
	}
	samples[0].Mode.Cores = least
	brief := nn.Config{Epochs: 2, MinSteps: -1}
	pair := must.Get(nn.TrainPair(t.Context(), nn.Medians(ref.Samples), brief))(t)
	for name, r := range map[string]*Reference{"measured modes": ref, "networks alone": {Name: "n", Networks: &pair}} {
		o := Options{Method: PowerTrain, Space: space, Reference: r, Network: &brief, SkipCV: true}
		m := must.Get(Fit(t.Context(), samples, o))(t)
		if said := strings.Contains(strings.Join(m.Warnings, "\n"), "off the grid"); said != (r == ref) {
			t.Errorf("%s: warnings %q", name, m.Warnings)
		}
	}
}

// A model of networks from scratch is scaled to plain milliseconds and watts, which a
// transfer cannot start from: it is as good a reference as the sweep that it was fitted to.
func TestReferenceSavedByNNTransfersAsItsSweepDoes(t *testing.T) {
	if testing.Short() {
		t.Skip("trains networks")
	}
	t.Parallel()
	space := smallSpace(t)
	// few: both transfers train networks on the rows
	rows, samples := truths(space.Sample(4, 1)), truths(space.Sample(4, 2))
	brief := NetworkDefaults(NN)
	brief.Epochs, brief.MinSteps = 10, -1
	saved := must.Get(Fit(t.Context(), rows, Options{Method: NN, Space: space, Network: &brief, SkipCV: true}))(t)
	transfer := func(r *Reference) []Prediction {
		brief := NetworkDefaults(PowerTrain)
		brief.Epochs, brief.MinSteps = 10, -1
		o := Options{Method: PowerTrain, Space: space, Reference: r, Network: &brief, SkipCV: true}
		m := must.Get(Fit(t.Context(), samples, o))(t)
		return m.Predict(space.Modes())
	}
	got := transfer(savedAndLoaded(t, saved))
	if want := transfer(&Reference{Name: "sweep", Samples: rows}); !reflect.DeepEqual(got, want) {
		t.Errorf("from the model %+v, from its sweep %+v", got[0], want[0])
	}
}

func savedAndLoaded(t *testing.T, m *Model) *Reference {
	t.Helper()
	path := filepath.Join(t.TempDir(), "reference.model")
	must.NoError(t, m.Save(path))
	return must.Get(LoadReference(path))(t)
}

// The same on the published sweeps: 50 modes of MobileNet, from ResNet.
func TestReferenceOfResNetSavedByNNTransfersToMobileNet(t *testing.T) {
	if os.Getenv("JTUNE_LONG") == "" {
		t.Skip("trains networks on 4,368 modes; JTUNE_LONG=1 does")
	}
	t.Parallel()
	resnet, truth := sweeptest.Load(t, sweeptest.ResNet), sweeptest.Load(t, sweeptest.MobileNet)
	brief := NetworkDefaults(NN)
	brief.Epochs = 30
	saved := must.Get(Fit(t.Context(), resnet, Options{Method: NN, Network: &brief, SkipCV: true}))(t)
	r := savedAndLoaded(t, saved)
	pair := mustNetworks(t, saved)
	for seed := range 2 {
		var few []tegra.Measured
		for _, i := range rand.New(rand.NewPCG(uint64(seed), 1)).Perm(len(truth))[:50] {
			few = append(few, truth[i])
		}
		m, err := Fit(t.Context(), few, Options{Method: PowerTrain, Space: saved.Space, Reference: r, SkipCV: true})
		must.NoError(t, err)
		raw := must.Get(Fit(t.Context(), few, Options{Method: PowerTrain, Space: saved.Space,
			Reference: &Reference{Networks: pair}, SkipCV: true}))(t)
		time, power := errorsOn(m, truth)
		rawTime, rawPower := errorsOn(raw, truth)
		t.Logf("sample %d: %.1f / %.1f %%; from the stored networks %.1f / %.1f %%",
			seed, time, power, rawTime, rawPower)
		if time > 22 || power > 6 || time > 0.6*rawTime {
			t.Errorf("sample %d: %.1f / %.1f %%, want 22 and 6 at most, and half of what stored networks give",
				seed, time, power)
		}
	}
}

func mustNetworks(t *testing.T, m *Model) *nn.Pair {
	t.Helper()
	pair, ok := m.predictor.(*banded).Networks()
	if !ok {
		t.Fatal("no networks")
	}
	return &pair
}

// The shipped reference is an AGX Orin's.
func TestReferenceKnowsTheModesOfAnotherBoardByTheirClocks(t *testing.T) {
	t.Parallel()
	mode := func(cores int, cpu, gpu, emc tegra.Freq) []tegra.Mode {
		return []tegra.Mode{{Cores: cores, CPU: cpu * tegra.KHz, GPU: gpu * tegra.KHz, EMC: emc * tegra.KHz},
			{Cores: 2, CPU: 729600 * tegra.KHz, GPU: 306000 * tegra.KHz, EMC: 665600 * tegra.KHz}}
	}
	for name, c := range map[string]struct {
		modes []tegra.Mode
		want  bool
	}{
		"an Orin Nano's":                  {mode(6, 1510400, 624750, 2133000), true},
		"an AGX Xavier's":                 {mode(8, 2265600, 1377000, 2133000), true},
		"an AGX Orin's":                   {mode(12, 2201600, 1300500, 3199000), false},
		"an AGX Orin's at slow CPU clock": {mode(12, 1190400, 1300500, 3199000), false},
		"none":                            {nil, false},
	} {
		if got := ShippedReference().OtherBoard(c.modes); got != c.want {
			t.Errorf("%s: another board %v, want %v", name, got, c.want)
		}
	}
}
