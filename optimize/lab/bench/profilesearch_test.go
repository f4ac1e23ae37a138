package bench

import (
	"os"
	"testing"

	"jtune/learn"
	"jtune/optimize"
	"jtune/tegra/metric"
	"jtune/tegra/sweep/sweeptest"
)

// searchesByProfile are the sweeps of the board, each searched with the profile of the other networks.
var searchesByProfile = map[string]string{
	"mobilenet": sweeptest.MobileNet,
	"resnet":    sweeptest.ResNet,
	"lstm":      sweeptest.LSTM,
}

func loadByProfile(t *testing.T, network string) *cleanSweep {
	t.Helper()
	s := loadClean(t, searchesByProfile[network])
	s.reference = learn.ProfileReference("agx-orin-without-" + network)
	return s
}

// Every watt and thirteen time limits, with the board's profile of the other two networks: the table of
// docs/results.md.
func TestSearchByProfileOnEveryWatt(t *testing.T) {
	if os.Getenv("JTUNE_LONG") == "" {
		t.Skip("600 searches; JTUNE_LONG=1 makes them")
	}
	t.Parallel()
	for _, c := range []struct {
		network    string
		p90, modes float64 // of the gap with power limits, %; median: half a point and one mode above decision 030's
	}{{"mobilenet", 2.6, 9}, {"resnet", 9.9, 10}, {"lstm", 3.6, 8}} {
		s := loadByProfile(t, c.network)
		var limits []metric.Goal
		for w := 17.0; w <= 46; w++ {
			if _, err := bestOf(s.clean, metric.Watts(w)); err == nil {
				limits = append(limits, metric.Watts(w))
			}
		}
		times := s.timeLimits(1.02, 1.1, 1.2, 1.3, 1.5, 1.7, 2, 2.5, 3, 4, 5, 7, 10)
		alone := loadClean(t, searchesByProfile[c.network])
		t.Run(c.network+", power", func(t *testing.T) {
			t.Parallel()
			none, got := alone.search(t, limits, 5, optimize.Quick), s.search(t, limits, 5, optimize.Quick)
			got.within(t, 7, c.p90, c.modes)
			got.shorter(t, none)
			if got.over > 0 {
				t.Errorf("%d of %d searches were hot, want none", got.over, got.total)
			}
		})
		t.Run(c.network+", time", func(t *testing.T) {
			t.Parallel()
			none, got := alone.search(t, times, 5, optimize.Quick), s.search(t, times, 5, optimize.Quick)
			got.within(t, 2, 9, 8)
			got.shorter(t, none)
		})
	}
}

// shorter checks that the searches took fewer modes than others, and were hot no more often.
func (r *runs) shorter(t *testing.T, than *runs) {
	t.Helper()
	if got, want := r.quantile(r.modes, 0.5), than.quantile(than.modes, 0.5); got >= want {
		t.Errorf("a median of %.0f modes, %.0f without the profile", got, want)
	}
	if r.over > than.over {
		t.Errorf("%d of %d searches were hot, %d without the profile", r.over, r.total, than.over)
	}
}
