package nn

import (
	"math"
	"strings"
	"testing"

	"jtune/internal/must"
	"jtune/tegra"
	"jtune/tegra/sweep/sweeptest"
)

func TestShippedReferenceKnowsItsOwnWorkload(t *testing.T) {
	t.Parallel()
	pair, from := ResNetReference()
	timePct, powerPct := score(pair, sweeptest.Load(t, sweeptest.ResNet))
	// As recorded by makeref; another machine's rounding moves it little.
	if math.Abs(timePct-from.TimeMAPEPct) > 0.01 || math.Abs(powerPct-from.PowerMAPEPct) > 0.01 {
		t.Errorf("errors %.3f / %.3f %%, the note says %.3f / %.3f",
			timePct, powerPct, from.TimeMAPEPct, from.PowerMAPEPct)
	}
	// Published: 8.1-9.7 / 3.6-4.8 % over the three workloads.
	if timePct > 9.7 || powerPct > 4.8 {
		t.Errorf("errors %.2f / %.2f %%, worse than published", timePct, powerPct)
	}
}

func TestShippedReferenceIsSmallAndSaysWhereItComesFrom(t *testing.T) {
	t.Parallel()
	for _, suffix := range []string{TimeSuffix, PowerSuffix} {
		if data := must.Get(shipped.ReadFile("ref/" + ReferenceName + suffix))(t); len(data) > 90_000 {
			t.Errorf("%s has %d bytes, want at most 90 kB", suffix, len(data))
		}
	}
	pair, from := ResNetReference()
	if from.Modes != 4368 || pair.Time.Report.Rows+pair.Time.Report.Validated != 4368 {
		t.Errorf("learnt from %d modes, want 4368", from.Modes)
	}
	if !strings.Contains(from.Source, "bf7d6b73ebe9b311263b6a085255eb56b1fd7149") || from.Licence == "" ||
		from.Version < 1 {
		t.Errorf("provenance %+v", from)
	}
}

// Without the measured data: MAXN takes 59.6 ms at 51 W, the slowest mode 2.2 s
// at 12 W (the sweep's extremes).
func TestShippedReferenceSpansTheBoard(t *testing.T) {
	t.Parallel()
	pair, _ := ResNetReference()
	fast := tegra.Mode{Cores: 12, CPU: 2201600 * tegra.KHz, GPU: 1300500000, EMC: 3199000000}
	slow := tegra.Mode{Cores: 2, CPU: 268800 * tegra.KHz, GPU: 114750000, EMC: 204000000}
	times, powers := pair.Predict([]tegra.Mode{fast, slow})
	for i, want := range []struct{ ms, watt float64 }{{60, 51}, {2180, 12}} {
		if math.Abs(times[i]-want.ms) > 0.25*want.ms || math.Abs(powers[i]-want.watt) > 0.1*want.watt {
			t.Errorf("mode %d: got %.0f ms %.1f W, want about %.0f ms %.0f W",
				i, times[i], powers[i], want.ms, want.watt)
		}
	}
}
