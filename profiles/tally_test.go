package profiles

import (
	"math/rand/v2"
	"testing"
	"time"

	"jtune/internal/stats"
	"jtune/profiles/harness"
	"jtune/tegra"
)

// The median covers the newest values, at any moment.
func TestUtilizationMedianIsThatOfTheNewestValues(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(1, 2))
	var u utilization
	for i := range 5*keptUsages/2 + 3 {
		u.add(tegra.Some(100 * rng.Float64()))
		if i%997 == 0 && u.median().V != stats.Median(u.values) {
			t.Fatalf("after %d values %g, want %g", i+1, u.median().V, stats.Median(u.values))
		}
	}
	if u.add(tegra.Val[float64]{}); u.n != 5*keptUsages/2+3 || len(u.values) > 2*keptUsages ||
		len(u.sorted) != len(u.values) {
		t.Errorf("%d values, %d and %d kept", u.n, len(u.values), len(u.sorted))
	}
}

// A run's result is computed each second: an epoch that is over is worked out once, not each time.
func TestTallyOfAnEpochThatIsOverKeepsItsResultAlone(t *testing.T) {
	t.Parallel()
	var a tally
	a.open(harness.Event{Epoch: 3, TimeMS: 20}, snapshot{})
	for i := range 50 {
		a.minibatch(harness.Event{Epoch: 3, TimeMS: 20 + float64(i%3), T: time.Duration(i) * 20 * time.Millisecond})
		a.cpu.add(tegra.Some(float64(i)))
	}
	a.close(snapshot{taken: true})
	before := a.result(snapshot{})
	a.finish()
	if after := a.result(snapshot{}); after != before || before.Minibatches != 50 || a.cpu.values != nil {
		t.Errorf("%+v, before %+v; %d values are kept", after, before, len(a.cpu.values))
	}
}
