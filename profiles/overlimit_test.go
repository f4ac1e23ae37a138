package profiles

import (
	"math"
	"strings"
	"testing"
	"time"

	"jtune/profiles/harness"
	"jtune/profiles/record"
	"jtune/profiles/workload"
	"jtune/tegra"
	"jtune/tegra/virtual"
	"jtune/telemetry"
)

// A mode that draws more than its step allows is ended within two seconds, the mode before it comes back, and the job
// goes on: the next mode is measured as if nothing had been. The board is a simulation.
func TestBenchEndsAModeThatDrawsTooMuch(t *testing.T) {
	t.Parallel()
	r := newRig(t, "resnet", virtual.Options{Noise: noNoise()})
	r.bench.Settings.SampleEvery = 500 * time.Millisecond
	low := r.device.Space().Sample(1, 5)[0]
	first := r.mustMeasure(t, low)
	top, began := r.device.Space().Max(), r.board.Clock().Now()
	row, err := r.bench.Measure(t.Context(), Step{Setting: tegra.Setting{Mode: top}, MostW: 1.05 * first.PowerW})
	if err != nil || row.Status != record.Over || row.PowerW < 1.05*first.PowerW || row.TimeMS != 0 ||
		row.Applied != (tegra.Mode{}) || !strings.HasPrefix(row.Why, "ended after ") {
		t.Fatalf("%+v, %v; want over", row, err)
	}
	if row.SettleS < 1 || row.SettleS > 2.5 {
		t.Errorf("ended after %g s", row.SettleS)
	}
	if took := r.board.Clock().Now() - began; took > 2500*time.Millisecond {
		t.Errorf("it drew too much for %s", took)
	}
	if now, err := r.device.Read(); err != nil || now.Mode.V != low {
		t.Errorf("the board is in %v, %v; want %v back", now.Mode, err, low)
	}
	if again := r.mustMeasure(t, low); again.Status != record.OK || math.Abs(again.TimeMS/first.TimeMS-1) > 0.02 {
		t.Errorf("the mode after it: %+v", again)
	}
	row, err = r.bench.Measure(t.Context(), Step{Setting: tegra.Setting{Mode: top}, MostW: 500})
	if err != nil || row.Status != record.OK {
		t.Errorf("%+v, %v; want a measurement below what is allowed", row, err)
	}
}

func TestOverWatchWaitsForPowerThatFalls(t *testing.T) {
	t.Parallel()
	sample := func(ms int, w float64) telemetry.Sample {
		s := telemetry.Sample{T: time.Duration(ms) * time.Millisecond, Valid: true}
		s.Reading.TotalW = tegra.Some(w)
		return s
	}
	for _, c := range []struct {
		name  string
		watts []float64 // every half second
		ended int       // milliseconds; 0: never
	}{
		{"steady", []float64{33, 33, 33, 33}, 1000},
		{"rising", []float64{30, 33, 36}, 1000},
		{"one spike", []float64{20, 40, 20, 40, 20}, 0},
		{"falls from the mode before", []float64{45, 40, 35, 30, 27, 24, 22, 22, 22}, 0},
		{"falls, but not enough", []float64{45, 40, 35, 33, 33, 33}, 2500},
		{"below", []float64{25, 25, 25, 25}, 0},
	} {
		w, got := overWatch{mostW: 25}, 0
		for i, p := range c.watts {
			if over := w.add(sample(500*i, p), 0); over != nil {
				got = 500 * i
				if over.powerW < 33 || over.powerW > 34 {
					t.Errorf("%s: %.1f W", c.name, over.powerW)
				}
				break
			}
		}
		if got != c.ended {
			t.Errorf("%s: ended after %d ms, want %d", c.name, got, c.ended)
		}
	}
}

// A sender that is late by more than a hundredth of the distance of two requests says so in the row.
func TestMonitorMarksRequestsThatWereSentTooLate(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		lateMS float64
		marked bool
	}{{0.05, false}, {0.3, true}} { // of 10 ms between two
		w := &Monitor{workload: workload.Workload{Kind: workload.Inference, Load: workload.Demand{Rate: 100}}}
		for range 30 {
			w.serving.request(harness.Event{Kind: harness.Request, LateMS: c.lateMS})
		}
		note := w.lateNote()
		if (note != "") != c.marked || c.marked && !strings.Contains(note, "0.3 ms late in the mean, of 10 ms") {
			t.Errorf("late by %g ms: %q", c.lateMS, note)
		}
		if w.requests() != 30 {
			t.Errorf("%d requests", w.requests())
		}
	}
}
