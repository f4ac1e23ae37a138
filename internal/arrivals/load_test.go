package arrivals

import (
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"jtune/internal/must"
	"jtune/internal/tools/reliability"
)

func TestNamedKnowsPatternsAndScenarios(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		want Load
	}{
		{"closed", Load{Pattern: Closed, Outstanding: 1}},
		{"SingleStream", Load{Pattern: Closed, Outstanding: 1}},
		{"multi-stream", Load{Pattern: Closed, Outstanding: 8}},
		{"Offline", Load{Pattern: Closed, Outstanding: All}},
		{"uniform", Load{Pattern: Uniform}},
		{"POISSON", Load{Pattern: Poisson}},
		{"Server", Load{Pattern: Poisson}},
	} {
		got, err := Named(c.name)
		if err != nil || got.Pattern != c.want.Pattern || got.Outstanding != c.want.Outstanding {
			t.Errorf("%s: got %+v, %v, want %+v", c.name, got, err, c.want)
		}
	}
	if _, err := Named("trickle"); err == nil || !strings.Contains(err.Error(), "poisson") {
		t.Errorf("an unknown name: got %v", err)
	}
}

func TestLoadThatCannotComeIsRefused(t *testing.T) {
	t.Parallel()
	for name, l := range map[string]Load{
		"a closed loop with a rate":      {Pattern: Closed, RatePerS: 3},
		"no rate":                        {Pattern: Poisson},
		"a negative rate":                {Pattern: Uniform, RatePerS: -1},
		"a rate that is no number":       {Pattern: Uniform, RatePerS: math.NaN()},
		"a rate beyond all":              {Pattern: Poisson, RatePerS: math.Inf(1)},
		"a trace without its rate":       {Pattern: Trace, TraceS: []float64{0, 1}},
		"an unknown pattern":             {Pattern: "bursts", RatePerS: 1},
		"a negative number of requests":  {Outstanding: -1},
		"a trace with a rate below zero": {Pattern: Trace, TraceS: []float64{0, 1}, RatePerS: -2},
	} {
		if l.Check() == nil {
			t.Errorf("%s is taken", name)
		}
	}
	if err := (Load{}).Check(); err != nil {
		t.Errorf("the zero value: %v", err)
	}
}

// list returns the first n arrivals in seconds.
func list(l Load, n int, seed uint64) []float64 {
	times := l.Times(seed, 0)
	out := make([]float64, n)
	for i := range out {
		out[i] = times.Next().Seconds()
	}
	return out
}

func TestTimesOfPoissonArrivalsAreThoseOfTheRate(t *testing.T) {
	t.Parallel()
	const rate, n, seeds = 500, 30_000, 8
	l, sum := Load{Pattern: Poisson, RatePerS: rate}, 0.0
	for seed := range uint64(seeds) {
		at := list(l, n, seed)
		sum += n / at[n-1]
		gaps := []float64{at[0]}
		for i := 1; i < n; i++ {
			gaps = append(gaps, at[i]-at[i-1])
		}
		slices.Sort(gaps)
		distance := 0.0 // Kolmogorov distance to the exponential distribution
		for i, g := range gaps {
			f := 1 - math.Exp(-rate*g)
			distance = max(distance, f-float64(i)/n, float64(i+1)/n-f)
		}
		if distance >= 0.02 {
			t.Errorf("seed %d: the gaps lie %.4f from an exponential distribution", seed, distance)
		}
		if !slices.Equal(at, list(l, n, seed)) {
			t.Errorf("seed %d gives other times the second time", seed)
		}
	}
	if got := sum / seeds; math.Abs(got/rate-1) > 0.005 { // standard deviation 0.2 %
		t.Errorf("rate %v, want %v", got, rate)
	}
}

func TestTimesOfUniformArrivalsDoNotDrift(t *testing.T) {
	t.Parallel()
	times := Load{Pattern: Uniform, RatePerS: 30}.Times(1, time.Hour)
	for i := range 100_000 {
		want := time.Hour + time.Duration(float64(i)/30*1e9)
		if got := times.Next(); got != want {
			t.Fatalf("arrival %d: %v, want %v", i, got, want)
		}
	}
}

func TestTimesOfATraceRepeatAtTheRateAskedFor(t *testing.T) {
	t.Parallel()
	// two a second on average: 100.0, 100.1, 101.0, then the same 1.5 s later
	l := must.Get(Recorded([]float64{100, 100.1, 101}))(t)
	for _, c := range []struct {
		rate float64
		want []float64
	}{{l.RatePerS, []float64{0, 0.1, 1, 1.5, 1.6, 2.5}}, {4, []float64{0, 0.05, 0.5, 0.75, 0.8, 1.25}}} {
		l.RatePerS = c.rate
		for i, got := range list(l, len(c.want), 0) {
			if math.Abs(got-c.want[i]) > 1e-6 {
				t.Errorf("at rate %v arrival %d is at %v, want %v", c.rate, i, got, c.want[i])
			}
		}
	}
}

func TestReadTraceNamesTheBadLine(t *testing.T) {
	t.Parallel()
	l, err := parseTrace(strings.NewReader("# recorded in March\n\n0\n0.5\n 0.5 \n2e0\n"))
	if err != nil || !slices.Equal(l.TraceS, []float64{0, 0.5, 0.5, 2}) || l.RatePerS != 1.5 {
		t.Errorf("got %+v, %v", l, err)
	}
	for _, c := range []struct{ text, want string }{
		{"1\nx\n", "line 2"},
		{"1\n2\n1.5\n", "line 3"},
		{"NaN\n", "line 1"},
		{"+Inf\n", "line 1"},
		{"", "two arrivals"},
		{"3\n3\n", "two arrivals"},
		{"1\n" + strings.Repeat("9", 1<<17), "line 2"},
	} {
		if _, err := parseTrace(strings.NewReader(c.text)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%.20q: got %v, want %s", c.text, err, c.want)
		}
	}
}

func FuzzReadTrace(f *testing.F) {
	f.Add("0\n1\n2\n")
	f.Add("# x\n\n-1e308\n1e308\n")
	f.Fuzz(func(t *testing.T, s string) {
		defer reliability.Input(t)()
		l, err := parseTrace(strings.NewReader(s))
		if err != nil {
			return
		}
		if !(l.RatePerS > 0) {
			t.Fatalf("a trace of %d arrivals has rate %v", len(l.TraceS), l.RatePerS)
		}
	})
}
