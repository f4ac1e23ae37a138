package serving

import (
	"testing"

	"jtune/internal/arrivals"
	"jtune/internal/usage"
	"jtune/optimize"
	"jtune/optimize/mix"
)

func TestAskedIsReadAndPrintedAlike(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]Asked{
		"30 W":                  {Limit: optimize.Limit{PowerW: 30}},
		"30 W, 50 ms":           {Limit: optimize.Limit{PowerW: 30, TimeMS: 50}},
		"30 W, p99 50 ms, 30/s": {optimize.Limit{PowerW: 30}, &arrivals.Spec{RatePerS: 30, LatencyMS: 50, Quantile: 0.99}},
		"p95 12.5 ms, 7.5/s, uniform, wait 20 ms": {Serving: &arrivals.Spec{RatePerS: 7.5, LatencyMS: 12.5, Quantile: 0.95,
			Arrivals: "uniform", MaxWaitMS: 20}},
		"p99.9 50 ms": {Serving: &arrivals.Spec{LatencyMS: 50, Quantile: 0.999}},
	} {
		got, err := ParseAsked(line)
		if err != nil {
			t.Errorf("%s: %v", line, err)
			continue
		}
		if got.Limit != want.Limit || (got.Serving == nil) != (want.Serving == nil) {
			t.Errorf("%s: got %+v", line, got)
			continue
		}
		if got.Serving != nil {
			want.Serving.PowerAs = string(mix.Peak)
			if *got.Serving != *want.Serving {
				t.Errorf("%s: got %+v, want %+v", line, *got.Serving, *want.Serving)
			}
		}
		if got.String() != line {
			t.Errorf("%s is printed as %s", line, got)
		}
	}
	loose, err := ParseAsked("  p99   50ms ,30W,,30/S ")
	if err != nil || loose.String() != "30 W, p99 50 ms, 30/s" {
		t.Errorf("without blanks: %v, %v", loose, err)
	}
}

func TestAskedRefusesWhatIsNoLimit(t *testing.T) {
	t.Parallel()
	for _, line := range []string{"", " , ", "30", "W", "-3 W", "NaN W", "Inf ms", "p99", "p99 ms", "p0 5 ms",
		"p100 5 ms", "pp 5 ms", "0/s", "30/h", "uniform", "wait", "wait 5", "wait -1 ms", "\x1b[31m 3 W"} {
		if got, err := ParseAsked(line); !usage.Is(err) {
			t.Errorf("%q is read as %v, %v", line, got, err)
		}
	}
}

func FuzzAskedIsReadAndPrintedAlike(f *testing.F) {
	for _, line := range []string{"30 W, p99 50 ms, 30/s", "p95 12.5 ms, 7.5/s, uniform, wait 20 ms", "1e3 w"} {
		f.Add(line)
	}
	f.Fuzz(func(t *testing.T, line string) {
		a, err := ParseAsked(line)
		if err != nil {
			return
		}
		again, err := ParseAsked(a.String())
		if err != nil || again.String() != a.String() {
			t.Errorf("%q is %q, which is %v, %v", line, a, again, err)
		}
	})
}
