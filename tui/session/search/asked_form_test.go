package search

import (
	"testing"

	"jtune/optimize"
)

// A load is remembered beside the limits of training, and what cannot be read of it is no load.
func TestTuneChoiceAsksForItsLoadFirst(t *testing.T) {
	t.Parallel()
	c := Form{Kind: WithinPower, PowerW: []float64{25}, Load: "30 W, p99 50 ms, 30/s"}
	if a := c.First(); a.Limit != (optimize.Limit{PowerW: 30}) || a.Load.RatePerS != 30 ||
		a.String() != c.Load {
		t.Errorf("it asks for %v", a)
	}
	for _, damaged := range []string{"", "30/s uniform of", "p99"} {
		c.Load = damaged
		if a := c.First(); a.Limit != (optimize.Limit{PowerW: 25}) || a.Loaded() {
			t.Errorf("%q: it asks for %v", damaged, a)
		}
	}
}
