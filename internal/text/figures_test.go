package text

import (
	"math"
	"testing"
)

func TestCountsHaveCommas(t *testing.T) {
	t.Parallel()
	for n, want := range map[int]string{0: "0 modes", 1: "1 mode", 12: "12 modes", 999: "999 modes",
		1000: "1,000 modes", 18096: "18,096 modes", 1234567: "1,234,567 modes", -375000: "-375,000 modes",
		-100: "-100 modes"} {
		if got := Count(n, "mode"); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	if got := Count(105_296, "minibatch"); got != "105,296 minibatches" {
		t.Errorf("got %q", got)
	}
}

func TestFiguresAtALimitShowWhetherTheyAreOverIt(t *testing.T) {
	t.Parallel()
	for v, want := range map[float64]string{30: "30", 30.02: "30.02", 999.96: "1000",
		21462.4: "21462", 100_000: "100000", 0.95: "0.95"} {
		if got := Exact(v); got != want {
			t.Errorf("%g: got %q, want %q", v, got, want)
		}
	}
}

func TestFiguresHaveThreeDigits(t *testing.T) {
	t.Parallel()
	for v, want := range map[float64]string{0: "0", 0.012345: "0.0123", 2.5899: "2.59", 58.87: "58.9", 129.04: "129.0",
		17503.1: "17503", math.Inf(1): "–"} {
		if got := Of(v); got != want {
			t.Errorf("%g: got %q, want %q", v, got, want)
		}
	}
	for v, want := range map[float64]string{1.234: "~1.23", 22.34: "~22.3", 294.7: "~295", 1503: "~1503"} {
		if got := About(v); got != want {
			t.Errorf("predicted %g: got %q, want %q", v, got, want)
		}
	}
	if got := Of(math.NaN()); got != "–" {
		t.Errorf("NaN: got %q", got)
	}
}
