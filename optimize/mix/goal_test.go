package mix

import (
	"testing"

	"jtune/internal/arrivals"
	"jtune/internal/tools/reliability"
	"jtune/internal/usage"
	"jtune/optimize"
)

func TestGoalIsReadAndPrintedAlike(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]Goal{
		"30 W":        {Limit: optimize.Limit{PowerW: 30}},
		"0.5 W":       {Limit: optimize.Limit{PowerW: 0.5}},
		"30 W, 50 ms": {Limit: optimize.Limit{PowerW: 30, TimeMS: 50}},
		"30 W, p99 50 ms, 30/s": {optimize.Limit{PowerW: 30},
			arrivals.Spec{RatePerS: 30, LatencyMS: 50, Quantile: 0.99}},
		"p95 12.5 ms, 7.5/s, uniform, wait 20 ms": {Load: arrivals.Spec{RatePerS: 7.5, LatencyMS: 12.5, Quantile: 0.95,
			Arrivals: "uniform", MaxWaitMS: 20}},
		"p99.9 50 ms": {Load: arrivals.Spec{LatencyMS: 50, Quantile: 0.999}},
	} {
		got, err := ParseGoal(line)
		if err != nil {
			t.Errorf("%s: %v", line, err)
			continue
		}
		if want.Loaded() {
			want.Load.PowerAs = string(Peak)
		}
		if got != want {
			t.Errorf("%s: got %+v, want %+v", line, got, want)
		}
		if got.String() != line {
			t.Errorf("%s is printed as %s", line, got)
		}
	}
	loose, err := ParseGoal("  p99   50ms ,30W,,30/S ")
	if err != nil || loose.String() != "30 W, p99 50 ms, 30/s" {
		t.Errorf("without blanks: %v, %v", loose, err)
	}
}

func TestGoalRefusesWhatIsNoLimit(t *testing.T) {
	t.Parallel()
	for _, line := range []string{"", " , ", "30", "W", "-3 W", "NaN W", "Inf ms", "p99", "p99 ms", "p0 5 ms",
		"p100 5 ms", "pp 5 ms", "0/s", "5000000/s", "30/h", "uniform", "wait", "wait 5", "wait -1 ms", "\x1b[31m 3 W"} {
		if got, err := ParseGoal(line); !usage.Is(err) {
			t.Errorf("%q is read as %v, %v", line, got, err)
		}
	}
}

func FuzzGoalIsReadAndPrintedAlike(f *testing.F) {
	for _, line := range []string{"30 W, p99 50 ms, 30/s", "p95 12.5 ms, 7.5/s, uniform, wait 20 ms", "1e3 w"} {
		f.Add(line)
	}
	f.Fuzz(func(t *testing.T, line string) {
		defer reliability.Input(t)()
		a, err := ParseGoal(line)
		if err != nil {
			return
		}
		again, err := ParseGoal(a.String())
		if err != nil || again.String() != a.String() {
			t.Errorf("%q is %q, which is %v, %v", line, a, again, err)
		}
	})
}
