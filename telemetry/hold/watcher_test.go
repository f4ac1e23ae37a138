package hold

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"jtune/tegra"
	"jtune/tegra/metric"
	"jtune/telemetry"
	"jtune/telemetry/sources"
)

var morning = time.Date(2026, 1, 5, 8, 0, 0, 0, time.UTC)

// reading describes a board under load at its clocks.
func reading(c, w float64) tegra.Reading {
	clock := func(f tegra.Freq) tegra.ClockReading {
		return tegra.ClockReading{Actual: tegra.Some(f), Max: tegra.Some(f), Min: tegra.Some(f)}
	}
	return tegra.Reading{TotalW: tegra.Some(w), Temps: []tegra.TempReading{{Name: "tj-thermal", C: c,
		Trip: tegra.Some(tegra.Trip{Kind: "passive", C: 99})}}, CPU: clock(2 * tegra.GHz), GPU: clock(tegra.GHz),
		EMC: clock(3 * tegra.GHz), Locked: tegra.Some(true), Heat: tegra.Some(false), Throttled: tegra.Some(false),
		Signals: counts(2, 2), Rails: []tegra.RailReading{{Name: "VDD_IN", PowerW: tegra.Some(w),
			Volts: tegra.Some(5.0), Amperes: tegra.Some(w / 5), Limits: tegra.CurrentLimits{Crit: tegra.Some(7.784)}}}}
}

// counts returns signals that were counted so often.
func counts(under, instant int64) tegra.Signals {
	return tegra.Signals{{Name: tegra.UnderVoltage, File: "oc1", Count: tegra.Some(under)},
		{Name: tegra.InstantCurrent, File: "oc3", Count: tegra.Some(instant)}}
}

// second is one second of a soak: its reading, the time of day, and what the sources beside the reading say.
type second struct {
	tegra.Reading
	wall  time.Time
	slept time.Duration
	alone bool // without the guard
}

// watched is a soak of some seconds; change may alter each.
func watched(l metric.Limits, seconds int, change func(s int, now *second)) Result {
	before := reading(40, 5)
	now := second{Reading: before, wall: morning}
	var slept, set time.Duration
	sources := sources.New(before, sources.Funcs{Asleep: func() time.Duration { return slept },
		Guard: func() bool { return !now.alone }}, tegra.State{})
	w := New(Start{Board: tegra.Board{TotalRule: "VDD_IN"}, Limits: l, Wall: morning, Watched: sources.Names(),
		Counted: before.Signals, IdleC: tegra.Some(40.0)})
	for s := 1; s <= seconds; s++ {
		at := time.Duration(s) * time.Second
		wall := morning.Add(at + set)
		now = second{Reading: reading(60+float64(s%7)/8, 25), wall: wall}
		if change != nil {
			change(s, &now)
		}
		set += now.wall.Sub(wall)
		slept += now.slept
		w.Take(telemetry.Sample{T: at, Reading: now.Reading, Valid: true, Faults: sources.Look(at, now.Reading)},
			now.wall)
	}
	return w.Judge(Ending{Asked: time.Duration(seconds) * time.Second}, tegra.Val[tegra.Mode]{})
}

func TestVerdicts(t *testing.T) {
	t.Parallel()
	some := tegra.Some[float64]
	at := func(from int, f func(r *tegra.Reading)) func(int, *second) {
		return func(s int, r *second) {
			if s >= from {
				f(&r.Reading)
			}
		}
	}
	for name, c := range map[string]struct {
		limits  metric.Limits
		change  func(int, *second)
		verdict Verdict
		reason  string
	}{
		"nothing": {metric.Limits{}, nil, Holds, "5.00 A of 7.8 A (trip)"},
		"a warning current below the critical one": {metric.Limits{}, at(1, func(r *tegra.Reading) {
			r.Rails[0].Limits.Max = some(6)
		}), Holds, "5.00 A of 6.0 A (trip)"},
		"within": {metric.Power.Max(30).And(metric.Current.Max(6)).And(metric.Voltage.Max(4.75)), nil, Holds,
			"25.0 of 30 W in a minute's mean"},
		"watts": {metric.Power.Max(26), at(200, func(r *tegra.Reading) { r.TotalW = some(27.25) }), DoesNotHold,
			"26.01 W of the module at 4 min (mean of 60 s), over 26 W"},
		"amperes": {metric.Current.Max(5.5), at(50, func(r *tegra.Reading) { r.Rails[0].Amperes = some(5.6) }),
			DoesNotHold,
			"5.60 A of VDD_IN at 50 s, over 5.5 A"},
		"of another rail": {metric.Limits{}.With(metric.Bound{Metric: metric.Current, On: "VDD_SOC", Value: 5.5}),
			at(50, func(r *tegra.Reading) { r.Rails[0].Amperes = some(5.6) }), Holds, ""},
		"watts of a rail": {metric.Limits{}.With(metric.Bound{Metric: metric.RailPower, On: "VDD_IN", Value: 26}),
			at(50, func(r *tegra.Reading) { r.Rails[0].PowerW = some(26.5) }), DoesNotHold,
			"26.50 W of VDD_IN at 50 s, over 26 W"},
		"volts": {metric.Voltage.Max(4.75), at(9, func(r *tegra.Reading) { r.Rails[0].Volts = some(4.7) }),
			DoesNotHold,
			"4.700 V of VDD_IN at 9 s, below 4.75 V"},
		"heat": {metric.Temperature.Max(85), at(9, func(r *tegra.Reading) { r.Temps[0].C = 86 }), DoesNotHold,
			"over 85 °C"},
		"an under-voltage": {metric.Limits{}, at(100, func(r *tegra.Reading) { r.Signals = counts(3, 2) }), DoesNotHold,
			"1 under-voltage event at 2 min"},
		"an under-voltage while its count was not read": {metric.Limits{}, func(s int, r *second) {
			if r.Signals = counts(2, 2); s >= 100 {
				r.Signals = counts(3, 2)
			}
			r.Signals[0].Count.OK = s != 100
		}, DoesNotHold, "1 under-voltage event at 2 min"},
		"1.5 peaks a second": {metric.Limits{}, func(s int, r *second) {
			r.Signals = counts(2, 2+int64(s)*3/2)
		}, Holds, "about 0.23 % of the time (a bound, not measured): counted"},
		"20 peaks a second": {metric.Limits{}, func(s int, r *second) {
			r.Signals = counts(2, 2+20*int64(s))
		}, DoesNotHold, "instantaneous over-current (oc3) 20/s"},
		"an alarm": {metric.Limits{}, at(1, func(r *tegra.Reading) {
			r.Alarms = []tegra.Alarm{{Rail: "VDD_IN", Signal: tegra.InstantCurrent, On: true}}
		}), DoesNotHold, "over-current alarm of VDD_IN at 1 s"},
		"a clock by heat": {metric.Limits{}, at(100, func(r *tegra.Reading) {
			r.Heat, r.GPU.Actual = tegra.Some(true), tegra.Some(500*tegra.MHz)
		}), DoesNotHold, "GPU clock fell to 500 MHz at 2 min"},
		"a clock without a counter": {metric.Limits{},
			at(100, func(r *tegra.Reading) { r.CPU.Actual = tegra.Some(1500 * tegra.MHz) }),
			DoesNotHold, "CPU clock fell to 1.50 GHz at 2 min"},
		"a clock for a moment": {metric.Limits{}, func(s int, r *second) {
			if s%50 == 0 {
				r.CPU.Actual = tegra.Some(1900 * tegra.MHz)
			}
		}, Holds, ""},
		"free clocks": {metric.Limits{}, at(100, func(r *tegra.Reading) {
			r.Locked, r.CPU.Min, r.CPU.Actual = tegra.Some(false), tegra.Some(tegra.MHz), tegra.Some(700*tegra.MHz)
		}), Holds, ""},
		"no temperature": {metric.Limits{}, at(100, func(r *tegra.Reading) { r.Temps = nil }), NotSeen,
			"not seen: the temperature does not answer for 3 min, zone tj-thermal does not answer for 3 min"},
		"no current at the end": {metric.Limits{}, at(297, func(r *tegra.Reading) {
			r.Rails[0].Amperes = tegra.Val[float64]{}
		}), NotSeen, "not seen: the current of VDD_IN does not answer for 4 s"},
		"a rail": {metric.Limits{}, at(280, func(r *tegra.Reading) { r.Rails[0] = tegra.RailReading{Name: "VDD_IN"} }),
			NotSeen, "not seen: rail VDD_IN does not answer for 21 s"},
		"power that flickers": {metric.Limits{}, func(s int, r *second) {
			if s%30 < 5 {
				r.TotalW = tegra.Val[float64]{}
			}
		}, NotSeen, "the power does not answer for 50 s"},
		"no power for a moment": {metric.Limits{}, func(s int, r *second) {
			if s%30 < 2 {
				r.TotalW = tegra.Val[float64]{}
			}
		}, Holds, ""},
		"a board that was suspended": {metric.Limits{}, func(s int, now *second) {
			if s == 150 {
				now.wall, now.slept = now.wall.Add(20*time.Minute), 20*time.Minute
			}
		}, NotSeen, "not seen: the board for 20 min"},
		"a guard that died": {metric.Limits{}, func(s int, now *second) { now.alone = s >= 290 }, NotSeen,
			"not seen: the guard does not answer for 11 s"},
		"a clock that was set": {metric.Limits{}, func(s int, now *second) {
			if s == 150 {
				now.wall = now.wall.Add(2 * time.Hour)
			}
		}, Holds, ""},
		"a clock that was set back": {metric.Limits{}, func(s int, now *second) {
			if s == 150 {
				now.wall = now.wall.Add(-2 * time.Hour)
			}
		}, Holds, ""},
		"a frozen sensor": {metric.Limits{}, func(s int, r *second) {
			r.Temps[0].C = 50 + float64(min(s, 90))/10
		}, NotSeen, "zone tj-thermal repeats 59.000 °C for 3 min"},
		"a sensor that freezes below another": {metric.Limits{}, func(s int, r *second) {
			r.Temps = append(r.Temps, tegra.TempReading{Name: "cpu-thermal", C: 40 + float64(min(s, 90))/10})
		}, NotSeen, "zone cpu-thermal repeats 49.000 °C"},
		"the hottest of two zones dies": {metric.Limits{}, func(s int, r *second) {
			r.Temps[0].Name = "soc-thermal"
		}, NotSeen, "zone tj-thermal does not answer"},
		"a meter that repeats": {metric.Limits{}, func(s int, r *second) {
			r.TotalW = some(25 + float64(min(s, 100)%7)/10)
		}, NotSeen, "the power repeats 25.200 W"},
		"cores that run slower than set": {metric.Limits{}, func(s int, r *second) {
			clock := tegra.Some(2 * tegra.GHz)
			for i := range 8 {
				core := tegra.CoreReading{Online: true, Freq: clock, Min: clock, Max: clock}
				if s >= 290 && i >= 4 {
					core.Freq = tegra.Some(499200 * tegra.KHz)
				}
				r.Cores = append(r.Cores, core)
			}
		}, DoesNotHold, "CPU cores 4-7 clock fell to 499"},
		"idle cores": {metric.Limits{}, func(s int, r *second) {
			clock := tegra.Some(2 * tegra.GHz)
			r.Cores = []tegra.CoreReading{{Online: true, Freq: clock, Min: clock, Max: clock}, {Online: true,
				LoadPct: some(1), Freq: tegra.Some(tegra.GHz), Min: clock, Max: clock}}
		}, Holds, ""},
		"what broke before it was lost": {metric.Power.Max(20), at(100, func(r *tegra.Reading) { r.Temps = nil }),
			DoesNotHold, "over 20 W"},
	} {
		r := watched(c.limits, 300, c.change)
		if r.Verdict != c.verdict || !strings.Contains(r.Reason, c.reason) {
			t.Errorf("%s: %s: %s\n%v", name, r.Verdict, r.Reason, r.Events)
		}
		if r.DurationS != 300 || r.Margins.TjC.OK != (r.Peak.TjC.OK) ||
			strings.Contains(name, "clock by") != (r.Throttled != nil && r.Throttled.Clock == "GPU") {
			t.Errorf("%s: %+v", name, r)
		}
	}
}

// A short soak of which one reading of a source is missing has seen it; one without any has not.
func TestOneMissedReadingIsNoLostSource(t *testing.T) {
	t.Parallel()
	for missed, want := range map[int]Verdict{0: Holds, 1: Holds, 2: NotSeen, 6: NotSeen} {
		r := watched(metric.Limits{}, 6, func(s int, now *second) {
			now.Signals[0].Count.OK = s > missed
		})
		if r.Verdict != want {
			t.Errorf("%d of 6: %s: %s", missed, r.Verdict, r.Reason)
		}
	}
	r := watched(metric.Limits{}, 1, func(_ int, now *second) { now.Signals[0].Count.OK = false })
	if r.Verdict != NotSeen {
		t.Errorf("the only one: %s: %s", r.Verdict, r.Reason)
	}
}

// A flickering sensor does not fill memory with events.
func TestEventsAreBounded(t *testing.T) {
	t.Parallel()
	r := watched(metric.Power.Max(30), 100_000, func(s int, r *second) {
		r.Signals = counts(int64(s), 0)
	})
	if n := len(r.Events); n > 1000 || r.Verdict != DoesNotHold {
		t.Errorf("%d events, %s", n, r.Verdict)
	}
}

// A limit in watts is about the mean of a minute: readings scatter about a mode's power, and a search keeps its limit
// in the mean too. A load that is far above the limit needs less than a minute to be over it, and one that is shorter
// than a minute is judged by all of it.
func TestWattsAreJudgedByTheMinute(t *testing.T) {
	t.Parallel()
	limits := metric.Power.Max(30)
	steps := func(watts func(s int) float64) func(int, *second) {
		return func(s int, r *second) { r.TotalW = tegra.Some(watts(s)) }
	}
	scatter := func(mean float64) func(s int) float64 {
		return func(s int) float64 { return mean + 1.2*float64(s%5-2)/2 }
	}
	surge := func(s int) float64 { return 25 + 20*float64(1-min(1, s/10)) }
	late := func(s int) float64 { return 28 + 4*float64(s/200) }
	for name, c := range map[string]struct {
		seconds int
		watts   func(s int) float64
		verdict Verdict
		brokeAt float64 // s; 0: never
		leftW   float64
	}{
		"readings about a mean below":     {300, scatter(29.7), Holds, 0, 0.3},
		"readings about a mean above":     {300, scatter(30.3), DoesNotHold, 57, -0.3},
		"far above":                       {300, scatter(50), DoesNotHold, 37, -20},
		"a surge of ten seconds":          {300, surge, Holds, 0, 2},
		"a minute above after a long way": {300, late, DoesNotHold, 230, -2},
		"all of a short load, below":      {20, scatter(29.7), Holds, 0, 0.3},
		"all of a short load, above":      {20, scatter(30.3), DoesNotHold, 20, -0.3},
	} {
		r := watched(limits, c.seconds, steps(c.watts))
		if r.Verdict != c.verdict || math.Abs(r.Margins.PowerW.V-c.leftW) > 0.2 || (r.Margins.PowerW.V < 0) !=
			(r.Verdict == DoesNotHold) {
			t.Errorf("%s: %s, %g W left, want %g", name, r.Sentence(), r.Margins.PowerW.V, c.leftW)
		}
		at := 0.0
		for _, e := range r.Events {
			if strings.Contains(e.What, "W of the module") {
				at = e.AtS
			}
		}
		if math.Abs(at-c.brokeAt) > 1 {
			t.Errorf("%s: broke at %g s, want %g", name, at, c.brokeAt)
		}
	}
	short := New(Start{Limits: limits, Wall: morning})
	short.Take(telemetry.Sample{T: time.Second, Reading: reading(50, 40)}, morning.Add(time.Second))
	if r := short.Judge(Ending{Cut: "interrupted"}, tegra.Val[tegra.Mode]{}); r.Verdict != NotSeen {
		t.Errorf("interrupted after a second: %s", r.Sentence())
	}
}

// Sixty-one readings, each a little late, are no more than a minute's mean.
func TestWatcherJudgesLateReadingsByTheirMean(t *testing.T) {
	t.Parallel()
	for watts, verdict := range map[float64]Verdict{29.7: Holds, 30.1: DoesNotHold} {
		limits := metric.Power.Max(30)
		w := New(Start{Board: tegra.Board{TotalRule: "VDD_IN"}, Limits: limits, Wall: morning,
			Watched: []string{"the power"}})
		for s := range 300 {
			at := time.Duration(s+1)*time.Second + time.Duration(s*7%10)*100*time.Microsecond
			w.Take(telemetry.Sample{T: at, Reading: reading(60, watts), Valid: true}, morning.Add(at))
		}
		if r := w.Judge(Ending{Asked: 5 * time.Minute}, tegra.Val[tegra.Mode]{}); r.Verdict != verdict {
			t.Errorf("a constant %g W: %s", watts, r.Sentence())
		}
	}
}

// A module that warms up ever more slowly repeats a value for a minute, if its sensor's steps are coarse.
func TestWatcherTakesACoarseSensorForNoFrozenOne(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(1, 2))
	for _, step := range []float64{0.03125, 0.5, 1} {
		for _, noise := range []float64{0, 0.05, 0.1} {
			for range 20 {
				r := watched(metric.Limits{}, 1800, func(s int, r *second) {
					c := 60 - 30*math.Exp(-float64(s)/240) + noise*rng.NormFloat64()
					r.Temps[0].C = math.Round(c/step) * step
				})
				if r.Verdict != Holds {
					t.Fatalf("steps of %g °C, noise %g °C: %s", step, noise, r.Sentence())
				}
			}
		}
	}
}

// Each quantity that exceeds its limit is one event, however long it does.
func TestWatcherTellsOnceThatAQuantityExceedsItsLimit(t *testing.T) {
	t.Parallel()
	r := watched(metric.Power.Max(20).And(
		metric.Temperature.Max(55)).And(metric.Current.Max(4)).And(metric.Voltage.Max(5.5)), 300, nil)
	if len(r.Events) != 5 { // the idle board's temperature, and four
		t.Errorf("%v", r.Events)
	}
}

// An end that is hardly known yet lies in its interval, and both are temperatures that a module can have.
func TestHoldEndLiesInItsInterval(t *testing.T) {
	t.Parallel()
	for _, perSecond := range []float64{0.02, 0.1, 0.5} {
		r := watched(metric.Limits{}, 150, func(s int, r *second) {
			r.Temps[0].C = 30 + perSecond*float64(s)
		})
		if s := r.Steady; !s.TjC.OK || s.TjC.V < s.LoC.V || s.TjC.V > s.HiC.V || s.HiC.V > 150 {
			t.Errorf("%g °C a second: %+v", perSecond, s)
		}
	}
}

// The watchdog of a guard that died restores the board: the verdict names the guard, not only the settings.
func TestWatcherNamesAGuardThatDiedBesideWhatWasRestored(t *testing.T) {
	t.Parallel()
	before, died := reading(40, 5), false
	src := sources.New(before, sources.Funcs{Guard: func() bool { return !died }, Settings: func() (st tegra.State) {
		value := "1344000"
		if died {
			value = "2201600"
		}
		st.Files = []tegra.StateFile{{Path: "/sys/scaling_max_freq", Value: value}}
		return st
	}}, tegra.State{})
	w := New(Start{Board: tegra.Board{TotalRule: "VDD_IN"}, Wall: morning, Watched: src.Names(),
		IdleC: tegra.Some(40.0)})
	for s := 1; s <= 300; s++ {
		at, now := time.Duration(s)*time.Second, reading(60+float64(s%7)/8, 25)
		died = s >= 200
		w.Take(telemetry.Sample{T: at, Reading: now, Valid: true, Faults: src.Look(at, now)}, morning.Add(at))
	}
	v := w.Judge(Ending{Cut: w.Strayed(), Asked: 300 * time.Second}, tegra.Val[tegra.Mode]{})
	for _, want := range []string{"the guard does not answer", "was changed from 1344000 to 2201600"} {
		if v.Verdict == Holds || !strings.Contains(v.Reason, want) {
			t.Errorf("%s: %q, want %q in it", v.Verdict, v.Reason, want)
		}
	}
}
