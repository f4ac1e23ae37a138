package profiles

import (
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"jtune/profiles/harness"
	"jtune/profiles/record"
	"jtune/tegra"
	"jtune/tegra/virtual"
	"jtune/telemetry"
)

func TestBenchJobWhoseOutputIsBufferedIsNoted(t *testing.T) {
	t.Parallel()
	ms := time.Millisecond
	burst, seconds, good := &measurement{}, &measurement{}, &measurement{}
	for i := range 40 {
		burst.clean = append(burst.clean, harness.Event{T: time.Duration(i) * ms, TimeMS: 60})
		seconds.clean = append(seconds.clean, harness.Event{T: time.Duration(i) * 60 * ms, TimeMS: 0.06})
		good.clean = append(good.clean, harness.Event{T: time.Duration(i) * 61 * ms, TimeMS: 60})
	}
	for _, c := range []struct {
		name string
		m    *measurement
		want string
	}{{"a burst", burst, "flush"}, {"seconds", seconds, "milliseconds"}, {"a good job", good, ""}} {
		if got := c.m.timingNote(); (got == "") != (c.want == "") || !strings.Contains(got, c.want) {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// A buffered program's lines come in bursts: the equal times in one of them show no error.
func TestMeasurementOfOneBurstKnowsNoError(t *testing.T) {
	t.Parallel()
	m := &measurement{b: &Bench{}}
	for burst, ms := range []float64{50, 51, 49} {
		began := time.Duration(burst+1) * 5 * time.Second
		for i := range 90 {
			m.clean = append(m.clean, harness.Event{T: began + time.Duration(i)*50*time.Millisecond, TimeMS: ms,
				Shared: began})
		}
		if known := !math.IsNaN(m.took().Error); known != (burst > 0) {
			t.Errorf("%d bursts: error %v", burst+1, m.took().Error)
		}
	}
}

func TestBenchJobThatRunsAnotherMinibatchSizeIsNoted(t *testing.T) {
	t.Parallel()
	r := newRig(t, "resnet", virtual.Options{Noise: noNoise()})
	r.bench.Workload.Batch = 32 // the board was set up with 16
	if got := r.mustMeasure(t, r.device.Space().Max()); got.Status != record.OK ||
		!strings.Contains(got.Why, "says batch size 16, workload resnet18 has 32") {
		t.Errorf("%s %q", got.Status, got.Why)
	}
}

func TestBenchNoteOnTheJobStandsOnce(t *testing.T) {
	t.Parallel()
	r := newRig(t, "resnet", virtual.Options{Noise: noNoise()})
	r.bench.Workload.Batch = 32
	var lines []string
	r.bench.Observe = func(p Progress) {
		if strings.HasPrefix(p.Line, "note: ") {
			lines = append(lines, p.Line)
		}
	}
	var whys []string
	for _, m := range r.device.Space().Sample(3, 1) {
		whys = append(whys, r.mustMeasure(t, m).Why)
		r.bench.Close() // the next mode's job says the same
	}
	if whys[0] == "" || whys[1] != "" || whys[2] != "" || len(lines) != 1 {
		t.Errorf("rows say %q, lines %q: want the note once", whys, lines)
	}
}

func TestBenchMissetModeIsMeasuredOnceMore(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		after int // lines after which the clock follows again
		want  record.Status
		why   string
		tries int
	}{
		{"a clock that stays behind", 9, record.Misset,
			"GPU clock reads 114.75 MHz where 726.75 MHz is set (2 tries)", 2},
		{"a clock that follows the second time", 1, record.OK, "", 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, "resnet", virtual.Options{Noise: noNoise()})
			r.board.Inject(virtual.Faults{StuckClocks: []tegra.Knob{tegra.KnobGPU}})
			lines := 0
			r.bench.Observe = func(p Progress) {
				if strings.Contains(p.Line, "measured once more") {
					if lines++; lines >= c.after {
						r.board.Inject(virtual.Faults{})
					}
				}
			}
			m := r.device.Space().Max()
			m.GPU = r.device.Space().GPU[6]
			got := r.mustMeasure(t, m)
			if got.Status != c.want || got.Why != c.why || lines != 1 || len(r.applier.applied) != c.tries {
				t.Errorf("%s %q after %d lines and %d modes set", got.Status, got.Why, lines, len(r.applier.applied))
			}
			if got.Status.Usable() != (got.TimeMS > 0) {
				t.Errorf("%s with %v ms", got.Status, got.TimeMS)
			}
		})
	}
}

// clockedDevice keeps the intervals of MeasureClocks.
type clockedDevice struct {
	*tegra.Sysfs
	asked []time.Duration
}

func (d *clockedDevice) MeasureClocks(every time.Duration) { d.asked = append(d.asked, every) }

// The real clocks are read when a mode begins, every 5 s, and when it ends; then at the usual interval again.
func TestBenchReadsTheClocksOfAMode(t *testing.T) {
	t.Parallel()
	r := newRig(t, "resnet", virtual.Options{Noise: noNoise()})
	d := &clockedDevice{Sysfs: r.device}
	r.use(d, r.board.Clock())
	if got := r.mustMeasure(t, r.device.Space().Max()); got.Status != record.OK {
		t.Errorf("%s %q", got.Status, got.Why)
	}
	if want := []time.Duration{clocksEvery, clocksEvery, 0}; !slices.Equal(d.asked, want) {
		t.Errorf("asked for %v, want %v", d.asked, want)
	}
}

func TestBenchFreeClocksAreNotMisset(t *testing.T) {
	t.Parallel()
	r := newRig(t, "resnet", virtual.Options{Noise: noNoise()})
	r.board.Inject(virtual.Faults{StuckClocks: []tegra.Knob{tegra.KnobGPU}})
	r.bench.Settings.DVFS = true
	if got := r.mustMeasure(t, r.device.Space().Max()); got.Status != record.OK || got.Why != "" {
		t.Errorf("%s %q", got.Status, got.Why)
	}
}

func TestMeasurementClocksOffByMoreThanTheToleranceAreMissetUnlessCapped(t *testing.T) {
	t.Parallel()
	const mhz = tegra.Freq(1e6)
	set := tegra.Mode{Cores: 12, CPU: 2000 * mhz, GPU: 1000 * mhz, EMC: 3200 * mhz}
	reading := func(gpu, limit tegra.Freq, throttled bool) telemetry.Sample {
		r := tegra.Reading{CPU: tegra.ClockReading{Actual: tegra.Some(set.CPU)}, Throttled: tegra.Some(throttled)}
		r.GPU.Actual = tegra.Some(gpu)
		if limit > 0 {
			r.GPU.Cap = tegra.Some(limit)
		}
		return telemetry.Sample{Reading: r} // the memory's clock is not known
	}
	sound, off := reading(1000*mhz, 0, false), reading(960*mhz, 0, false)
	for _, c := range []struct {
		name         string
		during       []telemetry.Sample
		note, capped bool
	}{
		{"2.9 % off", []telemetry.Sample{reading(971*mhz, 0, false)}, false, false},
		{"4 % low", []telemetry.Sample{off}, true, false},
		{"4 % high", []telemetry.Sample{reading(1040*mhz, 0, false)}, true, false},
		{"in half of the samples", []telemetry.Sample{sound, off}, false, false},
		{"in more than half", []telemetry.Sample{off, sound, off}, true, false},
		{"while throttled", []telemetry.Sample{reading(500*mhz, 0, true), sound}, false, false},
		{"at a cap", []telemetry.Sample{reading(900*mhz, 900*mhz, false)}, true, true},
		{"below a cap", []telemetry.Sample{reading(800*mhz, 900*mhz, false)}, true, false},
		{"powered down", []telemetry.Sample{reading(0, 0, false)}, false, false},
	} {
		m := &measurement{step: Step{Setting: tegra.Setting{Mode: set}}}
		if note, capped := m.clocks(c.during); (note != "") != c.note || capped != c.capped {
			t.Errorf("%s: %q, capped %v", c.name, note, capped)
		}
	}
}
