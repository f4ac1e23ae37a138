package learn

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"jtune/tegra"
	"jtune/tegra/sweep"
	"jtune/tegra/sweep/sweeptest"
)

const (
	mobileNetInfer = "data/sweeps/powertrain-agx-orin/infer/mobnet_infer_data_final.csv"
	resNetInfer    = "data/sweeps/powertrain-agx-orin/infer/resnet_infer_data_final.csv"
)

type inferenceOf struct {
	space   *tegra.Space
	batches []int
	rows    []BatchSample
}

func loadInference(t testing.TB, name string) inferenceOf {
	t.Helper()
	table, err := sweep.ReadFile(sweeptest.Shared(t, name), sweep.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var s inferenceOf
	for _, r := range table.Rows {
		s.rows = append(s.rows, BatchSample{r.Measured, r.Batch})
	}
	s.batches = table.Batches()
	if s.space, err = tegra.NewSubspace(table.Modes()); err != nil {
		t.Fatal(err)
	}
	return s
}

// scored fits a random part and scores the rest.
func (s inferenceOf) scored(t testing.TB, n int, seed uint64) score {
	t.Helper()
	var in, out []BatchSample
	for i, k := range randomPlaces(len(s.rows), len(s.rows), seed) {
		if i < n {
			in = append(in, s.rows[k])
		} else {
			out = append(out, s.rows[k])
		}
	}
	fit, err := FitBatch(s.space, s.batches, in, SurrogateOptions{Grid: true, Robust: 2})
	if err != nil {
		t.Fatal(err)
	}
	var ask []Setting
	for _, r := range out {
		ask = append(ask, Setting{r.Mode, r.Batch})
	}
	var tp, to, pp, po []float64
	var sc score
	share := 100 / float64(len(out))
	for i, p := range fit.Predict(ask) {
		r := out[i]
		tp, to, pp, po = append(tp, p.TimeMS), append(to, r.TimeMS), append(pp, p.PowerW), append(po, r.PowerW)
		if p.TimeLoMS <= r.TimeMS && r.TimeMS <= p.TimeHiMS {
			sc.time95 += share
		}
		if p.PowerLoW <= r.PowerW && r.PowerW <= p.PowerHiW {
			sc.power95 += share
		}
	}
	sc.timeMAPE, sc.powerMAPE = MAPE(tp, to), MAPE(pp, po)
	return sc
}

// The bars are what the design note's quick check reached (section 8.7), with
// room for other samples.
func TestInferenceErrorsOnUnseenSettings(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, file      string
		n               int
		timePct, powPct float64
	}{
		{"MobileNet", mobileNetInfer, 20, 12.4, 5.8}, {"MobileNet", mobileNetInfer, 50, 9.7, 4.5},
		{"ResNet", resNetInfer, 20, 10.3, 6.9}, {"ResNet", resNetInfer, 50, 6.9, 5.6},
	} {
		t.Run(fmt.Sprintf("%s from %d settings", c.name, c.n), func(t *testing.T) {
			t.Parallel()
			s := loadInference(t, c.file)
			var scores []score
			for seed := range seeds() {
				scores = append(scores, s.scored(t, c.n, uint64(seed)))
			}
			got, slack := medians(scores), 1.0
			if testing.Short() {
				slack = 1.3 // a median of three
			}
			t.Logf("MAPE %.1f / %.1f, 95 %% bands cover %.0f / %.0f", got.timeMAPE, got.powerMAPE, got.time95, got.power95)
			atMost(t, "latency MAPE %", got.timeMAPE, c.timePct*slack)
			atMost(t, "power MAPE %", got.powerMAPE, c.powPct*slack)
			if got.time95 < 84 || got.power95 < 84 {
				t.Errorf("95 %% bands cover %.0f and %.0f %%, want at least 84", got.time95, got.power95)
			}
		})
	}
}

// served is a made-up service: launches on one CPU thread, then work on the
// GPU for every sample.
func served(a Setting) BatchSample {
	b := float64(a.Batch)
	ms := 6/a.Mode.CPU.GHz() + b*1.5/a.Mode.GPU.GHz() + 1
	w := 9 + 2*math.Pow(a.Mode.GPU.GHz(), 3) + b/ms*(3+4*square(a.Mode.GPU.GHz()))
	return BatchSample{tegra.Measured{Mode: a.Mode, TimeMS: ms, PowerW: w}, a.Batch}
}

func TestBatchModelLearnsAServiceFromTwentySettings(t *testing.T) {
	t.Parallel()
	space, batches := smallSpace(t), []int{32, 1, 8, 1}
	prior, err := FitBatch(space, batches, nil, SurrogateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	all := prior.Settings()
	if len(all) != 3*space.Len() {
		t.Fatalf("%d settings of %d modes and 3 batch sizes", len(all), space.Len())
	}
	var in []BatchSample
	for _, i := range randomPlaces(len(all), 30, 1) {
		in = append(in, served(all[i]))
	}
	s, err := FitBatch(space, batches, in, SurrogateOptions{Grid: true, Robust: 2})
	if err != nil {
		t.Fatal(err)
	}
	var preds []Prediction
	var tp, to, pp, po []float64
	for i, p := range s.Predict(all) {
		want := served(all[i])
		if p.Batch != want.Batch || p.Mode != want.Mode {
			t.Fatalf("prediction %d is of %v and batch %d, want %v and %d", i, p.Mode, p.Batch, want.Mode, want.Batch)
		}
		near(t, "throughput", p.PerSecond(), 1000*float64(p.Batch)/p.TimeMS, 1e-9)
		preds = append(preds, p.Prediction)
		tp, to, pp, po = append(tp, p.TimeMS), append(to, want.TimeMS), append(pp, p.PowerW), append(po, want.PowerW)
	}
	sane(t, preds)
	atMost(t, "latency MAPE %", MAPE(tp, to), 4)
	atMost(t, "power MAPE %", MAPE(pp, po), 4)
	// between listed sizes, and absurd ones
	between := Setting{space.Max(), 16}
	got := s.Predict([]Setting{between, {space.Max(), 0}, {tegra.Mode{}, -3}, {space.Max(), 1 << 30}})
	sane(t, []Prediction{got[0].Prediction, got[1].Prediction, got[2].Prediction, got[3].Prediction})
	if want := served(between); math.Abs(math.Log(got[0].TimeMS/want.TimeMS)) > 0.1 {
		t.Errorf("a batch of 16, never measured: %.1f ms, want %.1f", got[0].TimeMS, want.TimeMS)
	}
}

// With one batch size for all, the batch is no knob: both models must agree on
// what matters, if not to the digit.
func TestOneBatchSizeIsATrainingWithoutABatch(t *testing.T) {
	t.Parallel()
	space := smallSpace(t)
	var in []BatchSample
	for _, m := range space.Sample(40, 4) {
		in = append(in, BatchSample{truth(m), 16})
	}
	s, err := FitBatch(space, []int{16}, in, SurrogateOptions{Grid: true, Robust: 2})
	if err != nil {
		t.Fatal(err)
	}
	var tp, to []float64
	for _, p := range s.Predict(s.Settings()) {
		tp, to = append(tp, p.TimeMS), append(to, truth(p.Mode).TimeMS)
	}
	atMost(t, "time MAPE %", MAPE(tp, to), 3)
}

func TestBatchModelRefusesWhatCannotBe(t *testing.T) {
	t.Parallel()
	space := smallSpace(t)
	good := served(Setting{space.At(3), 8})
	for name, c := range map[string]struct {
		space   *tegra.Space
		batches []int
		change  func(*BatchSample)
		words   string
	}{
		"no space":              {nil, []int{8}, func(*BatchSample) {}, "space is empty"},
		"no batch sizes":        {space, nil, func(*BatchSample) {}, "batch sizes"},
		"a batch of nothing":    {space, []int{0, 8}, func(*BatchSample) {}, "positive"},
		"a batch not listed":    {space, []int{8}, func(m *BatchSample) { m.Batch = 7 }, "sample 1: batch of 7"},
		"a time of NaN":         {space, []int{8}, func(m *BatchSample) { m.TimeMS = math.NaN() }, "sample 1"},
		"a mode of other board": {space, []int{8}, func(m *BatchSample) { m.Mode.Cores = 99 }, "not one of the 300 modes"},
	} {
		bad := good
		c.change(&bad)
		if _, err := FitBatch(c.space, c.batches, []BatchSample{bad}, SurrogateOptions{}); err == nil || !strings.Contains(err.Error(), c.words) {
			t.Errorf("%s: error %v, want one with %q", name, err, c.words)
		}
	}
}
