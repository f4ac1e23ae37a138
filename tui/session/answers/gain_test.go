package answers

import (
	"fmt"
	"math"
	"regexp"
	"strings"
	"testing"

	"jtune/internal/must"
	"jtune/learn"
	"jtune/optimize"
	"jtune/optimize/mix"
	"jtune/optimize/outlook"
	"jtune/optimize/standing"
	"jtune/profiles/record"
	"jtune/tegra"
	"jtune/tegra/metric"
)

func TestAnswerIsComparedInWhatWasAskedFor(t *testing.T) {
	at := func(cores int, ms, watts float64) tegra.Mean {
		return tegra.Mean{Measured: tegra.Measured{Setting: tegra.Setting{Mode: tegra.Mode{Cores: cores}}, TimeMS: ms,
			PowerW: watts}, N: 1}
	}
	small := Errors{0.005, 0.005}
	maxn := &Baseline{"present, locked", at(12, 58, 50), small}
	preset := &Baseline{"MODE_30W", at(8, 96, 29.4), small}
	for _, c := range []struct {
		name      string
		l         metric.Goal
		mine      tegra.Mean
		preset    *Baseline
		quantity  Quantity
		against   string
		toldApart bool
		headline  string
	}{
		{"faster within watts", metric.Watts(30), at(7, 90, 29.4), preset, Time, "MODE_30W", true,
			"6 % faster than MODE_30W: 5 … 8 %"},
		{"within the readings' errors", metric.Watts(30), at(7, 95.5, 29.4), preset, Time, "MODE_30W", false,
			"no difference in time from MODE_30W beyond the readings' errors (-2 … +1 %)"},
		{"no preset keeps the limit", metric.Watts(30), at(7, 90, 29.4), nil, Time, Present, true,
			"no preset fits 30 W with this job; this mode does"},
		{"least power in time", metric.Millis(120), at(7, 118, 25), preset, Power, "MODE_30W", true,
			"15 % less power than MODE_30W: 14 … 16 %"},
		{"no preset is in time", metric.Millis(90), at(7, 80, 30), preset, Power, Present, true,
			"40 % less power than today (clocks locked): 39 … 41 %"},
		{"least energy", metric.LeastEnergy, at(7, 75, 34), preset, Energy, Present, true,
			"12 % less energy than today (clocks locked): 10 … 14 %"},
		{"the present mode", metric.LeastEnergy, at(12, 58, 50), preset, Energy, Present, false,
			"the board is in the best mode already"},
	} {
		a := Answer{Setting: c.mine.Setting, Limit: c.l, Feasible: true, Error: small, Before: maxn, Preset: c.preset}
		a.Reading = c.mine
		a.Versus.Presets = []outlook.Comparison{
			{Name: "MODE_50W", Measured: true, Other: optimize.MeasuredPrediction(maxn.Measured)}}
		a.Compared()
		g := a.Gain
		if g == nil || g.Quantity != c.quantity || g.Against != c.against || g.ToldApart != c.toldApart || !g.Measured {
			t.Errorf("%s: got %+v", c.name, g)
			continue
		}
		guess := a
		guess.Versus.Presets = []outlook.Comparison{{Name: "MODE_50W", Other: a.Versus.Presets[0].Other}}
		must.Equal(t, guess.Sheet(Today).Gain, strings.Replace(c.headline, "this job;", "this job (predicted);", 1),
			c.name)
		must.Equal(t, a.Sheet(Today).Gain, c.headline, c.name)
	}
}

// A predicted answer is not called sure, and the limit of an exchange is a number as people write it.
func TestSheetOfAGuessSaysProbably(t *testing.T) {
	maxn := &Baseline{"present, locked", tegra.Mean{Measured: tegra.Measured{TimeMS: 58, PowerW: 50}, N: 1}, Errors{}}
	for state, want := range map[standing.State]string{standing.Likely: "this mode probably does",
		standing.Sure: "this mode does", standing.Measured: "this mode does"} {
		a := Answer{Limit: metric.Watts(30), Feasible: true, Before: maxn, Standing: standing.Standing{State: state},
			Gain: &Gain{Against: Present}}
		a.Reading.Measured = tegra.Measured{TimeMS: 90, PowerW: 29}
		a.Versus.Presets = []outlook.Comparison{{Name: "MODE_50W", Other: optimize.MeasuredPrediction(maxn.Measured)}}
		if got := a.gained(Today); !strings.HasSuffix(got, want) {
			t.Errorf("%v: %q, want %q", state, got, want)
		}
	}
	for v, want := range map[float64]string{6.6: "6.6", 13.2: "14", 0.55: "0.55", 330: "330"} {
		must.Equal(t, fmt.Sprint(rounded(v)), want, v)
	}
}

// "No preset fits" needs the chance that none of the predicted ones does.
func TestSheetSaysThatNoPresetFitsByTheChance(t *testing.T) {
	t.Parallel()
	maxn := &Baseline{"present, locked", tegra.Mean{Measured: tegra.Measured{TimeMS: 58, PowerW: 50}, N: 1}, Errors{}}
	at := func(watts, sd float64) outlook.Comparison {
		p := learn.Prediction{Measured: tegra.Measured{TimeMS: 100, PowerW: watts}, LnPowerSD: sd, LnTimeSD: sd}
		p.TimeLoMS, p.TimeHiMS = 100*math.Exp(-1.96*sd), 100*math.Exp(1.96*sd)
		p.PowerLoW, p.PowerHiW = watts*math.Exp(-1.96*sd), watts*math.Exp(1.96*sd)
		return outlook.Comparison{Name: fmt.Sprintf("%g", watts), Other: p}
	}
	read := at(40, 0)
	read.Measured = true
	for _, c := range []struct {
		presets []outlook.Comparison
		want    string
	}{
		{[]outlook.Comparison{at(36, 0.05), at(50, 0.05)},
			"no preset fits 30 W with this job (predicted); this mode does"},
		{[]outlook.Comparison{at(31.5, 0.05), at(50, 0.05)},
			"probably no preset fits 30 W with this job (predicted); this mode does"},
		{[]outlook.Comparison{at(31, 0.1), at(31, 0.1)}, ""}, // each is more likely over than not; one of them fits
		{[]outlook.Comparison{at(29, 0.05), at(50, 0.05)}, ""},
		{[]outlook.Comparison{read}, "no preset fits 30 W with this job; this mode does"},
	} {
		a := Answer{Limit: metric.Watts(30), Feasible: true, Before: maxn, Gain: &Gain{Against: Present}}
		a.Reading.Measured, a.Versus.Presets = tegra.Measured{TimeMS: 90, PowerW: 29}, c.presets
		must.Equal(t, a.gained(Today), c.want, c.presets[0].Name)
	}
}

// An answer that misses its limit says so first, also where it is the mode that the board is in.
func TestNearestModeIsNoGain(t *testing.T) {
	at := tegra.Mean{Measured: tegra.Measured{TimeMS: 58, PowerW: 50}, N: 1}
	for _, c := range []struct {
		l    metric.Goal
		n    int
		want string
		of   Quantity
	}{
		{metric.Watts(10), 1, "no mode fits 10 W, this is the nearest: 50.0 W, 40.0 over (1 reading)", Power},
		{metric.Millis(20), 1, "no mode fits 20 ms, this is the nearest: 58.0 ms, 38.0 over (1 reading)", Time},
		{metric.Within(metric.Energy.Max(1)), 0,
			"no mode fits 1 J, this is the nearest: ~2.90 J, 1.90 over (predicted, 2.90 … 2.90)", Energy},
		{metric.Within(metric.Power.Max(60).And(metric.Time.Max(60))), 1,
			"no mode fits 60 W and 60 ms, this is the nearest: 50.0 W (1 reading), 58.0 ms (1 reading)",
			Power},
	} {
		a := Answer{Limit: c.l, Before: &Baseline{"present, locked", at, Errors{}}}
		a.Reading, a.Predicted = tegra.Mean{Measured: at.Measured, N: c.n}, optimize.MeasuredPrediction(at.Measured)
		a.Predicted.TimeLoMS, a.Predicted.TimeHiMS, a.Predicted.PowerLoW, a.Predicted.PowerHiW = 58, 58, 50, 50
		a.Compared()
		must.Equal(t, a.Sheet(Today).Lines()[0], c.want)
		a.Versus.Present = &outlook.Comparison{Difference: outlook.Difference{TimePct: 40000, PowerPct: -80,
			EnergyPct: 12}}
		a.Versus.Present.Other.Measured = tegra.Measured{Setting: tegra.Setting{Mode: tegra.Mode{Cores: 4}}, // another
			TimeMS: 58.0 / 401, PowerW: 250}
		a.Gain = nil
		if a.Guessed(); a.Gain == nil || a.Gain.Quantity != c.of || a.Gain.Measured {
			t.Errorf("%v: the gain of the nearest is %+v, want one of %s", c.l, a.Gain, c.of)
		}
	}
}

func TestAnswerOfSeveralBatchSizesIsComparedByTheSample(t *testing.T) {
	sized := func(cores, batch int, ms, watts float64) tegra.Mean {
		return tegra.Mean{Measured: tegra.Measured{Setting: tegra.Setting{Mode: tegra.Mode{Cores: cores}, Batch: batch},
			TimeMS: ms, PowerW: watts}, N: 1}
	}
	small := Errors{0.005, 0.005}
	mine, preset := sized(7, 32, 160, 29), sized(8, 16, 96, 29.4) // 200 and 167 samples per second
	a := Answer{Setting: mine.Setting, Limit: metric.Watts(30), Feasible: true, Error: small,
		Before: &Baseline{"present, locked", sized(12, 16, 58, 50), small}, Preset: &Baseline{"MODE_30W", preset,
			small}}
	a.Reading = mine
	a.Compared()
	g := a.Gain
	if g == nil || g.Quantity != Throughput || g.Against != "MODE_30W" || !g.ToldApart || !g.Better() ||
		math.Abs(g.Pct-20) > 0.01 {
		t.Fatalf("got %+v, want 20 %% more samples per second than MODE_30W", g)
	}
	must.Equal(t, a.Sheet(Today).Gain, "20 % more samples per second than MODE_30W: 18 … 22 %")
	a.Limit = metric.LeastEnergy
	if a.Compared(); a.Gain.Quantity != Energy || a.Gain.Against != Present || a.Gain.Pct > -19 || a.Gain.Pct < -20.1 {
		t.Errorf("least energy per sample: got %+v, want 0.145 J against 0.181", a.Gain)
	}
}

func TestErrorOfAMeanIsThatOfItsReadings(t *testing.T) {
	at := tegra.Setting{Mode: tegra.Mode{Cores: 4}}
	row := record.Row{Measured: tegra.Measured{Setting: at, TimeMS: 100, PowerW: 30,
		Errors: tegra.Errors{Time: tegra.Some(0.006), Power: tegra.Some(0.004)}}, Status: record.OK}
	one, two := ErrorsOf(at, 1, []record.Row{row}), ErrorsOf(at, 2, []record.Row{row, row})
	if one != (Errors{0.006, 0.004}) || two.Time > 0.72*one.Time || two.Power > 0.72*one.Power {
		t.Errorf("one reading %+v, two %+v", one, two)
	}
	other := row
	other.TimeMS = 106
	if apart := ErrorsOf(at, 2, []record.Row{row, other}); apart.Time < 0.02 || apart.Power > 0.004 {
		t.Errorf("two readings 6 %% apart have the errors %+v", apart)
	}
	single := row // a run that is one reading has no scatter
	single.Errors.Time = tegra.Val[float64]{}
	if got := ErrorsOf(at, 1, []record.Row{single}); got.Time != unknownError || got.Power != one.Power {
		t.Errorf("a reading of one value has errors %+v, want %g of its time", got, unknownError)
	}
	must.Equal(t, ErrorsOf(at, 1, nil).Time, unknownError)
}

// The present mode has no gain over itself, whether it was measured or predicted.
func TestGuessedGainOfThePresentModeIsNone(t *testing.T) {
	a := Answer{Limit: metric.Watts(70), Feasible: true}
	a.Versus.Present = &outlook.Comparison{Lo: outlook.Difference{TimePct: -9.5}, Hi: outlook.Difference{TimePct: 10.6}}
	a.Guessed()
	if want := (Gain{Quantity: Time, Against: Present, Measured: true}); a.Gain == nil || *a.Gain != want {
		t.Errorf("got %+v, want %+v", a.Gain, want)
	}
	must.Equal(t, a.Sheet(Today).Gain, "the board is in the best mode already")
}

// No line tells a change without saying against what, for every kind of goal.
func TestSheetSaysAgainstWhatAChangeIs(t *testing.T) {
	change := regexp.MustCompile(`[0-9] %|×`)
	against := regexp.MustCompile(` than \S| of \S| as (long|fast) as \S|^no difference in \S+ from \S`)
	at := func(cores int, ms, watts float64) tegra.Mean {
		on := tegra.Setting{Mode: tegra.Mode{Cores: cores}}
		return tegra.Mean{Measured: tegra.Measured{Setting: on, TimeMS: ms, PowerW: watts}, N: 1}
	}
	changes := 0
	for _, l := range []metric.Goal{metric.Watts(30), metric.Millis(100), metric.LeastEnergy,
		metric.Within(metric.Power.Max(30).And(metric.Time.Max(100))), {Knee: true}} {
		for _, mine := range []tegra.Mean{at(7, 90, 29), at(7, 20, 12), at(7, 900, 14), at(7, 58, 50),
			at(7, 58.1, 49.9)} {
			for _, preset := range []*Baseline{nil, {"MODE_30W", at(8, 96, 29.4), Errors{0.01, 0.01}}} {
				for _, feasible := range []bool{true, false} {
					a := Answer{Setting: mine.Setting, Limit: l, Feasible: feasible, Preset: preset,
						Before: &Baseline{"present, locked", at(12, 58, 50), Errors{0.01, 0.01}}}
					a.Reading = mine
					a.Exchange = &Exchange{Limit: l, Prediction: optimize.MeasuredPrediction(at(9, 9, 40).Measured)}
					a.Compared()
					for _, line := range a.Sheet(Today).Lines() {
						if change.MatchString(line) {
							if changes++; !against.MatchString(line) {
								t.Errorf("%v: %q", l, line)
							}
						}
					}
				}
			}
		}
	}
	if changes < 100 {
		t.Errorf("%d changes", changes)
	}
}

// A quantile between those recorded is the next one above, by its own name.
func TestTrialNamesTheQuantileThatWasRead(t *testing.T) {
	t.Parallel()
	served := record.Served{Unit: "inference", Latency: record.Latency{N: 1000, P50: 10, P95: 20, P99: 30}}
	for share, want := range map[float64]string{0.9: "p95 20.0 ms", 0.99: "p99 30.0 ms", 0.999: "p99.9 unknown"} {
		trial := Trial{Serving: served, LatencyMS: served.Latency.At(share).MS}
		if got := trial.says(mix.Ask{Quantile: share}); !strings.HasPrefix(got, want) {
			t.Errorf("p%g: %q, want %q", 100*share, got, want)
		}
	}
}
