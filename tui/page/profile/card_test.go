package profile

import (
	"testing"

	"jtune/internal/arrivals"
	"jtune/internal/must"
	"jtune/optimize/mix"
	"jtune/optimize/standing"
	"jtune/profiles/record"
	"jtune/tegra"
	"jtune/tegra/metric"
	"jtune/tui/page/pagetest"
	"jtune/tui/session/answers"
)

// The room below a card shows the search: its measurements in order, and their front.
func TestCardOfALargeWindowShowsItsSearch(t *testing.T) {
	d, _ := pagetest.Drive(t, New)
	j := pagetest.Searched(d.Board, 30)
	d.State.Tasks.Own = j
	for _, size := range [][2]int{{120, 35}, {200, 50}} {
		d.Size(size[0], size[1])
		d.Sees("faster than MODE_30W", "a apply  A at once", "measured, newest first", "front so far", "limit")
	}
	d.Size(80, 24)
	must.Lack(t, d.Screen(), "newest first")
	a := &j.Tuned.Answers[0]
	a.Feasible = false
	d.Size(200, 50)
	d.Sees("NO MEASURED MODE SURELY FITS 30 W", "nearest      █", "measured, newest first")
}

// A mode that was measured again counts as one mode in the head, the list and the commands.
func TestProfileCountsAModeOnce(t *testing.T) {
	d, _ := pagetest.Drive(t, New)
	j := pagetest.Searched(d.Board, 30)
	j.Rows = append(j.Rows, j.Rows[0], j.Rows[1])
	d.State.Tasks.Own = j
	d.Sees("  8 modes")
	must.Contain(t, j.IfStopped(j.Spec), "after 8 modes, which stay recorded")
	j.Rows = j.Rows[:1]
	must.Contain(t, j.IfStopped(j.Spec), "after 1 mode, which stays recorded")
}

// At 80 columns the card under a load shows what the trial measured: latency and power.
func TestCardUnderALoadSaysWhatWasMeasured(t *testing.T) {
	d, _ := pagetest.Drive(t, New)
	j := pagetest.Searched(d.Board, 30)
	a := &j.Tuned.Answers[0]
	load := arrivals.Load{Pattern: arrivals.Poisson, RatePerS: 30}
	a.Ask = mix.Ask{LatencyMS: 50, Quantile: 0.99, Load: load}
	a.Ask.Goal.Limits = a.Ask.Goal.Limits.And(metric.Power.Max(30))
	a.Served = &mix.Outcome{Setting: tegra.Setting{Mode: a.Mode, Batch: 1}, LatencyMS: 47.4, PeakW: 25.4, Meets: true}
	a.Trial = &answers.Trial{Setting: a.Setting, N: 2, Serving: record.Served{Requests: 2000},
		LatencyMS: tegra.Some(48.5), MeanW: tegra.Some(18.1)}
	a.Standing = standing.Standing{State: standing.Measured, N: 2, Limited: true}
	d.State.Tasks.Own = j
	d.Size(80, 24)
	d.Sees("with real requests: p99 48.5 ms, 18.1 W mean; 2,000 requests at 30/s", "measured within, mean of 2",
		"batch time")
	a.Trial.Why = "p99 is 54.9 ms, over 50"
	d.Sees("with real requests: p99 48.5 ms, 18.1 W mean; p99 is 54.9 ms, over 50")
}
