package search

import (
	"testing"

	"jtune/tegra/metric"
)

// A load is remembered beside the limits of training, and what cannot be read of it is no load.
func TestTuneChoiceAsksForItsLoadFirst(t *testing.T) {
	t.Parallel()
	c := Form{Kind: WithinPower, Limits: map[Kind]string{WithinPower: "30 W, p99 50 ms, 30/s"}}
	if a := c.First(); a.Limit != (metric.Watts(30)) || a.Load.RatePerS != 30 ||
		a.String() != c.Limits[WithinPower] {
		t.Errorf("it asks for %v", a)
	}
	for _, damaged := range []string{"", "30/s uniform of", "p99"} {
		c.Limits[WithinPower] = damaged
		if a := c.over(DefaultForm(nil)).First(); a.Limit != metric.Watts(30) || a.Load.Any() {
			t.Errorf("%q: it asks for %v", damaged, a)
		}
	}
}
