package telemetry

import (
	"math"
	"strings"
	"testing"
	"time"

	"jtune/tegra"
)

// A rate of events that costs less than 1 % of the time counts, and more does not, by its measured cost where the steps
// show one, else by a bound. Steps of 50 ms take a sample a second, whose events come in turns.
func TestEventLossWeighsEventsByTheTimeThatTheyCost(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		perS     float64
		costMS   float64 // of one event; below 0: no step is seen
		share    float64
		measured bool
	}{
		"no events":                   {0, 1, 0, false},
		"an Orin Nano at idle":        {1.4, -1, 0.0021, false},
		"the same with steps":         {1.4, 1, 0.0014, true},
		"more than the bound allows":  {10, -1, 0.015, false},
		"many that cost nothing":      {100, 0, 0, true},
		"many that cost little":       {20, 0.2, 0.004, true},
		"few that cost much":          {1.4, 20, 0.028, true},
		"at the limit, a little over": {7, 1.5, 0.0105, true},
	} {
		var e EventLoss
		count, worst := 0.0, 0.0
		for i := range 61 {
			if i > 0 {
				before := math.Floor(count)
				count += c.perS * (0.5 + float64(i%2)) // in turns fewer and more
				came := math.Floor(count) - before
				for range 19 {
					if c.costMS >= 0 {
						e.Step(50 * (1 + came*c.costMS/1000))
					}
				}
			}
			worst = max(worst, e.Take(time.Duration(i)*time.Second, tegra.Signals{{Name: tegra.InstantCurrent,
				File: "oc3", Count: tegra.Some(int64(count))}}))
		}
		share, text := e.Lost()
		if math.Abs(share-c.share) > 0.05*c.share+1e-4 {
			t.Errorf("%s: %.2g %% of the time, want %.2g %%", name, 100*share, 100*c.share)
		}
		if c.perS == 0 {
			if text != "" || worst != 0 {
				t.Errorf("%s: %q, %v", name, text, worst)
			}
			continue
		}
		says := ": counted"
		if c.share >= MostLost {
			says = ": too much to count"
		}
		if !strings.HasPrefix(text, tegra.InstantCurrent+" (oc3) ") || !strings.HasSuffix(text, says) ||
			strings.Contains(text, "not measured") == c.measured {
			t.Errorf("%s: %q", name, text)
		}
	}
}

// A counter that starts again is no event; two signals cost what both do; events that came while a counter could not be
// read count.
func TestEventLossTakesEachSignalByItself(t *testing.T) {
	t.Parallel()
	at := func(oc2, oc3 int64) tegra.Signals {
		return tegra.Signals{{Name: tegra.AverageCurrent, Count: tegra.Some(oc2)},
			{Name: tegra.InstantCurrent, Count: tegra.Val[int64]{V: oc3, OK: oc3 >= 0}}}
	}
	var e EventLoss
	for i, s := range []tegra.Signals{at(5, 9000), at(5, 0), at(7, 4), at(7, -1), at(7, 8)} {
		e.Take(time.Duration(i)*time.Second, s)
	}
	var events []int64
	for _, l := range e.Losses() {
		events = append(events, l.Events)
	}
	if share, text := e.Lost(); len(events) != 2 || events[0] != 2 || events[1] != 8 ||
		math.Abs(share-10*eventBoundS/4) > 1e-9 {
		t.Errorf("%v, %g: %s", events, share, text)
	}
}
