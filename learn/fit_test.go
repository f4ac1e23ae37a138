package learn

import (
	"math"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"jtune/internal/must"
	"jtune/tegra"
)

// truth is a made-up workload of the kind the boards show: work per minibatch
// on GPU, CPU and memory, the slowest mostly deciding, and energy for each.
func truth(m tegra.Mode) tegra.Measured {
	gpu, cpu, mem := 60/m.GPU.GHz(), 25/m.CPU.GHz()+90/(m.CPU.GHz()*float64(m.Cores)), 40/m.EMC.GHz()
	ms, g := math.Cbrt(gpu*gpu*gpu+cpu*cpu*cpu+mem*mem*mem)+8, m.GPU.GHz()
	w := 9 + 0.7*m.EMC.GHz() + 2*g*g*g + 0.1*float64(m.Cores)*math.Pow(m.CPU.GHz(), 3) + 1000/ms*(0.8+0.6*g*g)
	return tegra.Measured{Setting: tegra.Setting{Mode: m}, TimeMS: ms, PowerW: w}
}

func truths(modes []tegra.Mode) []tegra.Measured {
	out := make([]tegra.Measured, len(modes))
	for i, m := range modes {
		out[i] = truth(m)
	}
	return out
}

// smallSpace has 300 modes.
func smallSpace(t testing.TB) *tegra.Space {
	t.Helper()
	mhz := func(v ...int) (out []tegra.Freq) {
		for _, f := range v {
			out = append(out, tegra.Freq(f)*tegra.MHz)
		}
		return out
	}
	s := must.Get(tegra.NewSpace([]int{1, 2, 4, 6, 8}, mhz(300, 700, 1100, 1500, 2000), mhz(200, 500, 900, 1300),
		mhz(204, 1600, 3200)))(t)
	return s
}

// sane fails unless every number of every prediction can be shown and drawn.
func sane(t *testing.T, preds []Prediction) {
	t.Helper()
	for _, p := range preds {
		ok := 0 < p.TimeLoMS && p.TimeLoMS <= p.TimeMS && p.TimeMS <= p.TimeHiMS && 0 < p.PowerLoW &&
			p.PowerLoW <= p.PowerW &&
			p.PowerW <= p.PowerHiW &&
			p.LnTimeSD > 0 &&
			p.LnPowerSD > 0
		for _, v := range []float64{p.TimeHiMS, p.PowerHiW, p.LnTimeSD, p.LnPowerSD, p.EnergyJ()} {
			ok = ok && !math.IsInf(v, 0) && !math.IsNaN(v)
		}
		if !ok {
			t.Fatalf("prediction %+v: want finite positive values inside their bands", p)
		}
	}
}

func hasWarning(m *Model, words string) bool {
	for _, w := range m.Warnings {
		if strings.Contains(w, words) {
			return true
		}
	}
	return words == ""
}

func TestFitEveryMethodBeatsTheMean(t *testing.T) {
	t.Parallel()
	space := smallSpace(t)
	all := truths(space.Modes())
	for _, c := range []struct {
		method          Method
		modes           int
		timePct, powPct float64 // no worse than
	}{
		{Auto, 40, 3, 3},
		{GP, 40, 3, 3},
		{Linear, 40, 40, 20},
		{Tree, 40, 40, 20},
		{Forest, 40, 40, 20},
		{MLP, 20, 60, 30},
		{NN, 12, 60, 30},
		{PowerTrain, 12, 50, 25},
	} {
		t.Run(string(c.method), func(t *testing.T) {
			nets := c.method == NN || c.method == PowerTrain || c.method == MLP // whose trainings take seconds
			if testing.Short() && nets {
				t.Skip("trains networks")
			}
			samples := truths(space.Sample(c.modes, 3))
			o := Options{Method: c.method, Space: space, Seed: 1, SkipCV: nets}
			if c.method == NN && os.Getenv("JTUNE_LONG") == "" {
				brief := NetworkDefaults(NN)
				brief.MinSteps /= 10 // the bars hold already
				o.Network = &brief
			}
			m := must.Get(Fit(t.Context(), samples, o))(t)
			preds := m.Predict(space.Modes())
			sane(t, preds)
			timePct, powerPct := errorsOn(m, all)
			if timePct > c.timePct || powerPct > c.powPct {
				t.Errorf("MAPE %.1f %% time, %.1f %% power; want at most %g and %g",
					timePct, powerPct, c.timePct, c.powPct)
			}
			if m.CV.Known() == nets || m.CV.TimeMAPEPct > 3*timePct+3 || m.CV.PowerMAPEPct > 3*powerPct+3 {
				t.Errorf("cross-validated errors %+v, true ones %.1f and %.1f %%", m.CV, timePct, powerPct)
			}
		})
	}
}

func TestFitWarnsOfOneToThreeSamples(t *testing.T) {
	t.Parallel()
	space := smallSpace(t)
	for n := 1; n <= 3; n++ {
		for _, method := range []Method{GP, Linear, Forest} {
			samples := truths(space.Sample(n, 5))
			m, err := Fit(t.Context(), samples, Options{Method: method, Space: space})
			if err != nil {
				t.Fatalf("%s with %d: %v", method, n, err)
			}
			sane(t, m.Predict(space.Modes()))
			words := "little more than their mean"
			if method == GP {
				words = "what other workloads do"
			}
			if !hasWarning(m, words) {
				t.Errorf("%s with %d samples: warnings %q do not say how little is known", method, n, m.Warnings)
			}
			if m.CV.Known() {
				t.Errorf("%s with %d samples: an error is reported, %q", method, n, m.CV.How)
			}
		}
	}
}

func TestSurrogatePriorNeedsNoSamples(t *testing.T) {
	t.Parallel()
	space := smallSpace(t)
	s := must.Get(FitSurrogate(space, nil, SurrogateOptions{Grid: true, Robust: 2}))(t)
	sane(t, s.Predict(space.Modes()))
	top, _ := space.Index(space.Max())
	if p := s.Posterior(); p.LnTime[top] >= p.LnTime[0] || p.LnPower[top] <= p.LnPower[0] {
		t.Errorf("before any measurement the fastest mode is not the one with the highest clocks: %+v", p.LnTime[top])
	}
}

func TestFitRejectsSamplesOutOfRange(t *testing.T) {
	t.Parallel()
	space := smallSpace(t)
	good := truth(space.At(0))
	with := func(change func(*tegra.Measured)) []tegra.Measured {
		bad := truth(space.At(7))
		change(&bad)
		return []tegra.Measured{good, bad}
	}
	for name, c := range map[string]struct {
		samples []tegra.Measured
		words   string
	}{
		"none":                        {nil, "no measured modes"},
		"a time that is not a number": {with(func(m *tegra.Measured) { m.TimeMS = math.NaN() }), "sample 2 of 2"},
		"a negative time":             {with(func(m *tegra.Measured) { m.TimeMS = -3 }), "time of -3 ms"},
		"an infinite power":           {with(func(m *tegra.Measured) { m.PowerW = math.Inf(1) }), "power of +Inf W"},
		"no power":                    {with(func(m *tegra.Measured) { m.PowerW = 0 }), "power of 0 W"},
		"a mode of another board": {with(func(m *tegra.Measured) { m.Mode.Cores = 12 }),
			"not one of the 300 modes"},
		"the zero mode": {with(func(m *tegra.Measured) { m.Mode = tegra.Mode{} }), "not one of the 300 " +
			"modes"},
	} {
		for _, method := range []Method{GP, Linear, Forest} {
			_, err := Fit(t.Context(), c.samples, Options{Method: method, Space: space})
			if err == nil || !strings.Contains(err.Error(), c.words) {
				t.Errorf("%s by %s: error %v, want one with %q", name, method, err, c.words)
			}
		}
	}
	if _, err := Fit(t.Context(), []tegra.Measured{good}, Options{Method: "oracle", Space: space}); err == nil ||
		!strings.Contains(err.Error(), `"oracle"`) {
		t.Errorf("unknown method: %v", err)
	}
	if _, err := FitSurrogate(nil, nil, SurrogateOptions{}); err == nil {
		t.Error("a surrogate of no space was fitted")
	}
}

func TestFitOfOddSamplesGivesFinitePredictions(t *testing.T) {
	t.Parallel()
	space := smallSpace(t)
	alike := func(n int, f func(i int) tegra.Measured) (out []tegra.Measured) {
		for i := range n {
			out = append(out, f(i))
		}
		return out
	}
	modes := space.Sample(30, 2)
	for name, c := range map[string]struct {
		samples []tegra.Measured
		warning string
	}{
		"constant targets": {alike(12, func(i int) tegra.Measured {
			return tegra.Measured{Setting: tegra.Setting{Mode: modes[i]}, TimeMS: 50, PowerW: 20}
		}), "exactly the same in all 12"},
		"one knob never varied": {truths(space.Filter(mustFilter(t, space, "gpu=900MHz")).Sample(12, 1)),
			"GPU was 900 MHz in every measured mode"},
		"one mode measured twice, far apart": {
			append(truths(modes), tegra.Measured{Setting: tegra.Setting{Mode: modes[0]},
				TimeMS: 3 * truth(modes[0]).TimeMS, PowerW: 10}),
			"measured more than once",
		},
		"one mode only": {alike(4, func(i int) tegra.Measured { return truth(modes[0]) }), "only 1 " +
			"measured mode"},
		"one glitch": {append(truths(modes[1:]), tegra.Measured{Setting: tegra.Setting{Mode: modes[0]},
			TimeMS: 4 * truth(modes[0]).TimeMS, PowerW: truth(modes[0]).PowerW}), "measure again: "},
		"values at the ends of what is possible": {alike(12, func(i int) tegra.Measured {
			return tegra.Measured{Setting: tegra.Setting{Mode: modes[i]},
				TimeMS: []float64{leastTimeMS, mostTimeMS}[i%2], PowerW: []float64{mostPowerW, leastPowerW}[i%2]}
		}), ""},
		"targets that rise where they should fall": {alike(25, func(i int) tegra.Measured {
			m := truth(modes[i])
			return tegra.Measured{Setting: tegra.Setting{Mode: modes[i]}, TimeMS: 1e4 / m.TimeMS,
				PowerW: 400 / m.PowerW}
		}), ""},
	} {
		t.Run(name, func(t *testing.T) {
			for _, method := range []Method{GP, Linear, Forest} {
				m := must.Get(Fit(t.Context(), c.samples, Options{Method: method, Space: space}))(t)
				sane(
					t,
					m.Predict(
						append(space.Modes(), tegra.Mode{},
							tegra.Mode{Cores: 1 << 20, CPU: 1, GPU: 99 * tegra.GHz, EMC: -1}),
					),
				)
				if name == "one glitch" {
					if found := slices.Contains(m.Suspicious, tegra.Setting{Mode: modes[0]}); found != (method == GP) {
						t.Errorf("%s: suspicious modes %v, the glitch is %v", method, m.Suspicious, modes[0])
					}
					if method != GP {
						continue
					}
				}
				if !hasWarning(m, c.warning) {
					t.Errorf("%s: warnings %q lack %q", method, m.Warnings, c.warning)
				}
				if m.CV.Known() &&
					!(m.CV.TimeMAPEPct >= 0 && m.CV.PowerMAPEPct >= 0 && m.CV.TimeMAPEPct < math.Inf(1)) {
					t.Errorf("%s: cross-validated errors %+v", method, m.CV)
				}
			}
		})
	}
}

func mustFilter(t *testing.T, s *tegra.Space, text string) tegra.Filter {
	t.Helper()
	return must.Get(s.ParseFilter(text))(t)
}

func TestFitIsDeterministic(t *testing.T) {
	t.Parallel()
	space := smallSpace(t)
	samples := truths(space.Sample(25, 9))
	o := Options{Space: space, Seed: 4, Provenance: Provenance{Workload: "w", When: time.Unix(1, 0)}}
	var first []Prediction
	for range 2 {
		m := must.Get(Fit(t.Context(), samples, o))(t)
		preds := m.Predict(space.Modes())
		if first == nil {
			first = preds
		}
		for i := range preds {
			if preds[i] != first[i] {
				t.Fatalf("mode %d: %+v and %+v from the same samples", i, first[i], preds[i])
			}
		}
	}
}

func TestModelPredictsSomeModesAsAll(t *testing.T) {
	t.Parallel()
	space := smallSpace(t)
	s := must.Get(FitSurrogate(space, truths(space.Sample(15, 1)), SurrogateOptions{Robust: 1}))(t)
	all := s.Predict(space.Modes())
	some := []int{299, 0, 17, 17, 42}
	for k, p := range s.Predict([]tegra.Mode{space.At(299), space.At(0), space.At(17), space.At(17), space.At(42)}) {
		if p != all[some[k]] {
			t.Errorf("mode %d alone %+v, among all %+v", some[k], p, all[some[k]])
		}
	}
}

func TestFitTakesNominalFrequenciesForTheDevicesOwn(t *testing.T) {
	t.Parallel()
	space := smallSpace(t)
	m := must.Get(Fit(
		t.Context(),
		[]tegra.Measured{
			{
				Setting: tegra.Setting{
					Mode: tegra.Mode{Cores: 4, CPU: 1090 * tegra.MHz, GPU: 910 * tegra.MHz, EMC: 1612 * tegra.MHz}},
				TimeMS: 90,
				PowerW: 15,
			},
		},
		Options{Space: space},
	))(t)
	if want := (tegra.Mode{Cores: 4, CPU: 1100 * tegra.MHz, GPU: 900 * tegra.MHz,
		EMC: 1600 * tegra.MHz}); m.Samples[0].Mode != want {
		t.Errorf("got %s, want %s", m.Samples[0].Mode, want)
	}
}

func TestFitLinearWarnsOfEffectsItCannotSeparate(t *testing.T) {
	t.Parallel()
	space := smallSpace(t)
	// CPU and GPU move together, as in the four modes of the first study
	var samples []tegra.Measured
	for _, i := range []int{0, 1, 2, 3} {
		for _, cores := range []int{2, 4, 8} {
			samples = append(
				samples,
				truth(tegra.Mode{Cores: cores, CPU: space.CPU[i], GPU: space.GPU[0] + (space.CPU[i]-space.CPU[0])/4,
					EMC: space.EMC[0]}),
			)
		}
	}
	m := mustFit(t, samples, Options{Method: Linear})
	if !hasWarning(m, "3 quantities varied in only 2 independent ways") {
		t.Errorf("warnings %q", m.Warnings)
	}
	sane(t, m.Predict(m.Space.Modes()))
}

func TestFitLinearFindsAPlane(t *testing.T) {
	t.Parallel()
	space := smallSpace(t)
	var samples []tegra.Measured
	for _, mode := range space.Sample(9, 2) {
		samples = append(samples, tegra.Measured{Setting: tegra.Setting{Mode: mode},
			TimeMS: 500 - 0.1*mode.CPU.MHz() - 5*float64(mode.Cores),
			PowerW: 5 + mode.GPU.MHz()/100 + mode.EMC.MHz()/1000})
	}
	m := mustFit(t, samples, Options{Method: Linear, Space: space})
	for _, p := range m.Predict(space.Modes()) {
		near(t, "time", p.TimeMS, 500-0.1*p.Mode.CPU.MHz()-5*float64(p.Mode.Cores), 1e-6)
		near(t, "power", p.PowerW, 5+p.Mode.GPU.MHz()/100+p.Mode.EMC.MHz()/1000, 1e-8)
	}
}

func TestFitMarksVirtualSamples(t *testing.T) {
	t.Parallel()
	space := smallSpace(t)
	m, err := Fit(t.Context(), truths(space.Sample(12, 1)),
		Options{Space: space, Provenance: Provenance{Virtual: true}})
	if err != nil || !hasWarning(m, "virtual board") {
		t.Errorf("warnings %q, error %v", m.Warnings, err)
	}
}

func TestSurrogateCovarianceAgreesWithThePosterior(t *testing.T) {
	t.Parallel()
	space := smallSpace(t)
	s := must.Get(FitSurrogate(space, truths(space.Sample(15, 1)), SurrogateOptions{Unlike: true}))(t)
	p := s.Posterior()
	a := []int{0, 5, 17, 100, 299}
	covT, covP := s.CovTime(a, a), s.CovPower(a, a)
	for i, at := range a {
		near(t, "variance of ln time", covT.At(i, i), square(p.SdTime[at]), 1e-9)
		near(t, "variance of ln power", covP.At(i, i), square(p.SdPower[at]), 1e-9)
		for j := range a {
			near(t, "symmetry", covT.At(i, j), covT.At(j, i), 1e-12)
			if r := covT.At(i, j) / (p.SdTime[at] * p.SdTime[a[j]]); math.Abs(r) > 1+1e-6 {
				t.Errorf("correlation %g", r)
			}
		}
	}
	if got := s.CovTime(nil, a); !got.IsEmpty() {
		t.Errorf("covariance with no modes: %v", got)
	}
}

// In a search the power of a GPU clock that was never read is less sure than that of its neighbours that were.
func TestSurrogateUnlikeKnowsTheGPUClocksThatWereRead(t *testing.T) {
	t.Parallel()
	space := smallSpace(t)
	clocks := space.Values(tegra.KnobGPU)
	skipped := clocks[len(clocks)/2]
	read := slices.DeleteFunc(space.Sample(40, 1), func(m tegra.Mode) bool { return m.Value(tegra.KnobGPU) == skipped })
	deviations := func(o SurrogateOptions) (at, beside float64) {
		s := must.Get(FitSurrogate(space, truths(read), o))(t)
		p, n, others := s.Posterior(), 0.0, 0.0
		for i, m := range space.All() {
			switch v := m.Value(tegra.KnobGPU); {
			case v == skipped:
				at, n = at+p.SdPower[i], n+1
			case v == clocks[len(clocks)/2-1] || v == clocks[len(clocks)/2+1]:
				beside, others = beside+p.SdPower[i], others+1
			}
		}
		return at / n, beside / others
	}
	at, beside := deviations(SurrogateOptions{})
	if at > 1.2*beside {
		t.Errorf("without jumps: deviations %.4f at a clock between two, %.4f beside it", at, beside)
	}
	at, beside = deviations(SurrogateOptions{Unlike: true})
	if own := square(at) - square(beside); own < square(0.015) {
		t.Errorf("with jumps: deviations %.4f at a clock that was not read, %.4f beside it", at, beside)
	}
}

// Readings of one mode agree up to 10 %, by time and by power.
func TestFitTellsReadingsThatAgreeFromOnesThatDoNot(t *testing.T) {
	t.Parallel()
	space := smallSpace(t)
	for _, c := range []struct {
		name         string
		times, watts []float64 // of one mode, as shares of the truth
		apart, agree bool
	}{
		{"9 % of time", []float64{1, 1.09}, []float64{1, 1}, false, true},
		{"9 % of power", []float64{1, 1}, []float64{1, 1.09}, false, true},
		{"11 % of time", []float64{1, 1.11}, []float64{1, 1}, true, true}, // each near their median
		{"11 % of power", []float64{1, 1}, []float64{1, 1.11}, true, true},
		{"two of three", []float64{1, 1.09, 1.3}, []float64{1, 1, 1}, true, true},
		{"none of three", []float64{1, 1.11, 1.3}, []float64{1, 1, 1}, true, false},
		{"none of three by power", []float64{1, 1, 1}, []float64{1, 1.11, 1.3}, true, false},
	} {
		samples := truths(space.Modes()[:40:40])
		one := samples[7]
		samples = slices.Delete(samples, 7, 8)
		for i := range c.times {
			again := one
			again.TimeMS, again.PowerW = one.TimeMS*c.times[i], one.PowerW*c.watts[i]
			samples = append(samples, again)
		}
		m := must.Get(Fit(t.Context(), samples, Options{Method: Linear, Space: space}))(t)
		if hasWarning(m, "values more than 10 % apart") != c.apart ||
			slices.Contains(m.Repeated, one.Setting) != c.agree {
			t.Errorf("%s: warnings %q, repeated %v; want apart %v, agreeing %v", c.name, m.Warnings, m.Repeated,
				c.apart,
				c.agree)
		}
	}
}
