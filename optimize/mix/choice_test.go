package mix

import (
	"compress/gzip"
	"encoding/csv"
	"math"
	"os"
	"slices"
	"strconv"
	"testing"

	"jtune/internal/arrivals"
	"jtune/internal/must"
	"jtune/internal/stats"
	"jtune/learn"
	"jtune/optimize"
	"jtune/tegra"
	"jtune/tegra/metric"
	"jtune/tegra/sweep/sweeptest"
	"jtune/tegra/virtual"
	"jtune/tegra/virtual/physics"
)

// phaseOf returns a phase of readings with deviations that differ.
func phaseOf(rows []tegra.Measured) Phase {
	var out []learn.Prediction
	for i, m := range rows {
		p := optimize.MeasuredPrediction(m)
		p.LnTimeSD, p.LnPowerSD = 0.01*float64(i%4), 0.01*float64(i%3)
		out = append(out, p)
	}
	return NewPhase(out)
}

// onBoard returns a workload's readings in some modes of a virtual board, at some batch sizes; 0 is its own.
func onBoard(board string, modes []tegra.Mode, w physics.Workload, batches ...int) (rows []tegra.Measured) {
	for _, m := range modes {
		for _, b := range batches {
			s := w.Sized(max(b, 1)).Steady(physics.On(board), physics.At(m))
			if b == 0 {
				s = w.Steady(physics.On(board), physics.At(m))
			}
			rows = append(rows, tegra.Measured{Setting: tegra.Setting{Mode: m, Batch: b}, TimeMS: s.TimeMS,
				PowerW: s.Power.Total()})
		}
	}
	return rows
}

// More power or latency allowed never worsens the goal of a pair or of a server, no setting within the limits is better
// than the one chosen, and the front has no beaten mix: on the measured sweeps of inference with those of training, and
// on every virtual board.
func TestAskIsUnbeatenAndItsGoalMonotoneInTheLimit(t *testing.T) {
	t.Parallel()
	step, sampled := 6, 50
	if os.Getenv("JTUNE_LONG") != "" {
		step, sampled = 1, 100
	}
	for _, pair := range [][2]string{{"infer/mobnet_infer", sweeptest.ResNet}, {"infer/mobnet_infer", sweeptest.LSTM},
		{"infer/resnet_infer", sweeptest.MobileNet}} {
		t.Run(pair[0]+" "+pair[1], func(t *testing.T) {
			t.Parallel()
			var served []tegra.Measured
			for i, m := range sweeptest.Settings(t, pair[0]) {
				if i%step == 0 {
					served = append(served, m)
				}
			}
			checkPair(t, served, sweeptest.Load(t, pair[1]))
		})
	}
	server, _ := physics.Find(physics.InferenceJobs()[0])
	trained, _ := physics.Find("mobilenet")
	for _, name := range virtual.Names() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b, err := virtual.New(virtual.Options{Name: name, Speed: math.Inf(1)})
			if err != nil {
				t.Fatal(err)
			}
			d, err := b.Open()
			if err != nil {
				t.Fatal(err)
			}
			modes := d.Space().Sample(sampled, 1)
			checkPair(t, onBoard(name, modes, server, 1, 4, 16, 64), onBoard(name, modes, trained, 0))
		})
	}
}

// checkPair serves and trains at even arrivals, with limits from the least to the largest value, and serves random ones
// with a few.
func checkPair(t *testing.T, served, trained []tegra.Measured) {
	infer, train := phaseOf(served), phaseOf(trained)
	var settings, few []tegra.Setting
	var watts, sampleMS, batchMS []float64
	most := 10 // settings with random arrivals, each of which is simulated for every limit
	if os.Getenv("JTUNE_LONG") != "" {
		most = 40
	}
	for i, m := range served {
		if i%(1+len(served)/most) == 0 {
			few = append(few, m.Setting)
		}
		settings, watts = append(settings, m.Setting), append(watts, m.PowerW)
		sampleMS, batchMS = append(sampleMS, m.SampleMS()), append(batchMS, m.TimeMS)
	}
	rate := 300 / stats.Median(sampleMS) // the median setting serves three times as many
	leastMS := slices.Min(batchMS) + 1000/rate
	limits := map[string]func(a *Ask, v float64){
		"power": func(a *Ask, v float64) { a.Goal.Limits = metric.Power.Max(slices.Min(watts) * v) },
		"mean power": func(a *Ask, v float64) {
			a.PowerAs, a.Goal.Limits = Mean, metric.Power.Max(slices.Min(watts)*v)
		},
		"latency": func(a *Ask, v float64) { a.LatencyMS = leastMS * v },
		"latency, least energy": func(a *Ask, v float64) {
			a.LatencyMS, a.Goal.Objective = leastMS*v, metric.Energy
		},
	}
	for name, limit := range limits {
		for _, beside := range []Phase{{}, train} {
			ask := Ask{Load: load(arrivals.Uniform, rate), IdleW: slices.Min(watts) / 2, Policy: Fill}
			checkLimits(t, name, ask, limit, 10, settings, infer, beside)
			ask.Policy = Strict
			checkLimits(t, name, ask, limit, 10, settings, infer, beside)
		}
		ask := Ask{Load: load(arrivals.Poisson, rate), IdleW: slices.Min(watts) / 2}
		checkLimits(t, name, ask, limit, 4, few, infer, Phase{})
	}
}

func checkLimits(t *testing.T, name string, ask Ask, limit func(*Ask, float64), steps int, settings []tegra.Setting,
	infer, beside Phase) {
	t.Helper()
	before, chosen := math.Inf(1), 0
	for k := range steps {
		a := ask
		limit(&a, math.Pow(30, float64(k+1)/float64(steps)))
		list, err := a.Choose(settings, infer, beside)
		if err != nil {
			if chosen > 0 {
				t.Errorf("%v: nothing, but within a smaller limit there was an answer: %v", a, err)
			}
			continue
		}
		chosen++
		want := a.want(beside.at != nil)
		first, second := want.value(&list[0], a.PowerAs)
		if first > before+1e-9*math.Abs(first) {
			t.Errorf("%s, %v, %s turns: least %s rises from %.5g to %.5g", name, a, a.Policy, want, before, first)
		}
		before = first
		for _, at := range settings {
			o, ok := a.Evaluate(at, infer, beside)
			if !ok || !o.Meets {
				continue
			}
			if v, w := want.value(&o, a.PowerAs); v < first || v == first && w < second {
				t.Fatalf("%s, %v, %s turns: %v is chosen, and %v is better", name, a, a.Policy, list[0].Setting, at)
			}
		}
		if beside.at == nil || a.Policy != Fill { // a map has both policies
			continue
		}
		a.Policy = ""
		m, _ := a.Map(settings, infer, beside)
		for _, i := range m.Front {
			for _, o := range m.List {
				if x := m.List[i]; a.power(&o) < a.power(&x) && o.TrainPerS > x.TrainPerS {
					t.Fatalf("%v: %v of the front is beaten by %v", a, x.Setting, o.Setting)
				}
			}
		}
	}
	if chosen < min(3, steps/2) {
		t.Errorf("%s, %v, %s turns: %d of %d limits have an answer", name, ask, ask.Policy, chosen, steps)
	}
}

// fulcrumRows returns the numbers of a file of Fulcrum's results, by column, without empty cells.
func fulcrumRows(t *testing.T, name string) []map[string]float64 {
	t.Helper()
	f := must.Get(os.Open(sweeptest.Shared(t, "data/sweeps/powertrain-agx-orin/fulcrum_baselines/"+name)))(t)
	defer f.Close()
	z := must.Get(gzip.NewReader(f))(t)
	all := must.Get(csv.NewReader(z).ReadAll())(t)
	var out []map[string]float64
	for _, line := range all[1:] {
		row := map[string]float64{}
		for i, cell := range line {
			if v, err := strconv.ParseFloat(cell, 64); err == nil {
				row[all[0][i]] = v
			}
		}
		out = append(out, row)
	}
	return out
}
