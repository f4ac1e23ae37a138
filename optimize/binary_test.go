package optimize

import (
	"cmp"
	"slices"
	"strings"
	"testing"

	"jtune/internal/must"
	"jtune/optimize/ladder"
	"jtune/optimize/optimizetest"
	"jtune/tegra"
	"jtune/tegra/metric"
)

func TestBinaryHasATrace(t *testing.T) {
	t.Parallel()
	c, f, g, m := tegra.KnobCores, tegra.KnobCPU, tegra.KnobGPU, tegra.KnobEMC
	for _, x := range []struct {
		name     string
		rotation ladder.Rotation
		knobs    []tegra.Knob // that are halved: 4 cores, 8 CPU, 8 GPU, 3 memory settings
	}{
		{"the note's rotation", ladder.Rotation{}, []tegra.Knob{g, f, m, c, g, f, m, c, g, f}},
		{"another order", ladder.Rotation{Order: []tegra.Knob{c, f, g, m}}, []tegra.Knob{c, f, g, m, c, f, g, m, f, g}},
		{"one knob to its end before the next", ladder.Rotation{Turns: ladder.OneByOne},
			[]tegra.Knob{g, g, g, f, f, f, m, m, c, c}},
		{"the knob with most settings left", ladder.Rotation{Turns: ladder.Widest},
			[]tegra.Knob{g, f, g, f, c, m, g, f, m, c}},
	} {
		b, limit := optimizetest.New(t), metric.Watts(25)
		res := must.Get(tuneOn(t, b, TuneOptions{Limits: goals(limit), Strategy: Binary, Rotation: x.rotation}))(t)
		var knobs []tegra.Knob
		left := ladder.Rungs{4, 8, 8, 3, 1}
		for _, h := range res.Trace {
			knobs = append(knobs, h.Knob)
			if over := b.Answer(h.Mode).PowerW > limit.Of(metric.Power); over == h.Raised {
				t.Errorf("%s: %v draws %.1f W, raised %v", x.name, h.Mode, b.Answer(h.Mode).PowerW, h.Raised)
			}
			if h.Left[h.Knob] >= left[h.Knob] || h.Left[h.Knob] < left[h.Knob]/2 {
				t.Errorf("%s: %v left of %v", x.name, h, left)
			}
			left = h.Left
			text := h.String()
			if strings.Contains(text, " 1 cores") || !strings.Contains(text, "left settings: cores ") {
				t.Errorf("a step reads %q", text)
			}
		}
		// A knob of three settings takes one or two halvings, so the tail may differ.
		if n := min(len(knobs), 5); n < 5 || !slices.Equal(knobs[:n], x.knobs[:n]) {
			t.Errorf("%s: halved %v, want to begin as %v", x.name, knobs, x.knobs)
		}
		if left != (ladder.Rungs{1, 1, 1, 1, 1}) || res.Ended != Converged {
			t.Errorf("%s: ended with %v settings left, %v", x.name, left, res.Ended)
		}
	}
}

func TestBinaryOverBatchSizes(t *testing.T) {
	t.Parallel()
	b := optimizetest.New(t)
	for _, l := range []metric.Goal{
		{Limits: metric.Power.Max(18).And(metric.Time.Max(60))},
		{Limits: metric.Power.Max(25).And(metric.Time.Max(30))},
		metric.Watts(20),
		{Limits: metric.Power.Max(16).And(metric.Time.Max(400))},
	} {
		for name, rotation := range map[string]ladder.Rotation{"in turn": {}, "widest first": {Turns: ladder.Widest},
			"one by one": {Turns: ladder.OneByOne}} {
			res, err := Tune(t.Context(), b.Serve, TuneOptions{Limits: goals(l), Space: b.Space,
				Batches: optimizetest.Sizes, Strategy: Binary, Rotation: rotation})
			if err != nil || !res.Answers[0].Feasible || !res.Answers[0].Verified {
				t.Fatalf("%v, %s: %v, %+v", l, name, err, res.Answers[0].Measured)
			}
			left, k := ladder.Rungs{4, 8, 8, 3, 5}, ladder.BatchKnob
			for _, h := range res.Trace {
				at := b.Served(h.Setting)
				power, time := at.PowerW > l.Of(metric.Power), l.Of(metric.Time) > 0 && at.TimeMS > l.Of(metric.Time)
				want, sizes := !power, false // by the reading and the knob in turn
				if h.Knob == k {
					want = !power && !time
				} else {
					sizes = power && time && left[k] > 1
				}
				if h.Raised != want || h.Sizes != sizes ||
					h.Knob == k && power && !time && left != (ladder.Rungs{1, 1, 1, 1, left[k]}) {
					t.Errorf("%v, %s: over power %v, over time %v, left %v: %v", l, name, power, time, left, h)
				}
				left = h.Left
			}
			if left != (ladder.Rungs{1, 1, 1, 1, 1}) {
				t.Errorf("%v, %s: ended with %v settings left", l, name, left)
			}
			// Steps: those of each of the five lists alone, 2 + 3 + 3 + 2 + 3, and the last setting twice.
			if most := 15; len(res.Probes) > most {
				t.Errorf("%v, %s: %d probes, want at most %d", l, name, len(res.Probes), most)
			}
		}
	}
	if _, err := Tune(t.Context(), b.Serve, TuneOptions{Limits: goals(metric.LeastEnergy), Space: b.Space,
		Batches:  optimizetest.Sizes,
		Strategy: Binary}); err == nil || !strings.Contains(err.Error(), "needs a power limit") {
		t.Errorf("no limit: %v", err)
	}
}

func TestBinaryTakesTheNearestSetting(t *testing.T) {
	t.Parallel()
	b := optimizetest.New(t)
	var only []tegra.Setting
	for i, a := range tegra.Settings(b.Space.Modes(), optimizetest.Sizes) {
		if i%3 == 0 {
			only = append(only, a)
		}
	}
	res := must.Get(Tune(t.Context(), b.Serve, TuneOptions{Limits: goals(metric.Watts(20)), Space: b.Space,
		Batches: optimizetest.Sizes, Only: only, Strategy: Binary}))(t)
	for _, p := range res.Probes {
		if !slices.Contains(only, p.Setting) {
			t.Errorf("%v with minibatches of %d cannot be measured", p.Mode, p.Batch)
		}
	}
}

// The best of a binary search is just within the limit. One unlucky reading does not drop it: the mean of three
// or four decides.
func TestBinaryRepeatsItsWinnerBeforeItGivesItUp(t *testing.T) {
	t.Parallel()
	limit, b := metric.Watts(20), optimizetest.New(t)
	calm, err := tuneOn(t, b, TuneOptions{Limits: goals(limit), Strategy: Binary})
	if err != nil || !calm.Verified {
		t.Fatal(calm, err)
	}
	for name, c := range map[string]struct {
		third float64 // W
		keeps bool
	}{"within in the mean": {19.6, true}, "over in the mean": {20.3, false}} {
		b, readings := optimizetest.New(t), 0
		b.Shake = func(_ int, r *tegra.Measured) {
			if r.Mode == calm.Mode {
				r.PowerW = []float64{19.8, 20.3, c.third}[min(readings, 2)]
				readings++
			}
		}
		res, err := tuneOn(t, b, TuneOptions{Limits: goals(limit), Strategy: Binary})
		if err != nil || readings < 3 || readings > 4 || (res.Mode == calm.Mode) != c.keeps ||
			res.Measured.PowerW > limit.Of(metric.Power) {
			t.Errorf("%s: %d readings of the winner, answer %v: %v", name, readings, res.Measured, err)
		}
	}
}

// A binary search assumes that every knob alone trades time for power, and has no mode
// near its best one when that breaks the limit at last.
func TestBinarySaysWhenItsAnswerIsPoor(t *testing.T) {
	t.Parallel()
	said, silent := 0, 0
	for watts := 14.0; watts <= 30; watts++ {
		for _, lost := range []bool{false, true} {
			b, found := optimizetest.New(t), tegra.Mode{}
			o := TuneOptions{Limits: goals(metric.Watts(watts)), Strategy: Binary, Space: b.Space}
			best, _ := bestOf(b.All(), o.Limits[0])
			res, err := tuneOn(t, b, o)
			if lost && err == nil {
				found, b.Probed = res.Mode, nil
				b.Shake = func(_ int, r *tegra.Measured) {
					if r.Mode == found && slices.Index(b.Probed, found) < len(b.Probed)-1 {
						r.PowerW = watts * 1.02
					}
				}
				res, err = tuneOn(t, b, o)
			}
			poor := slices.ContainsFunc(res.Warnings, func(w string) bool {
				return strings.Contains(w, "“strategy” auto")
			})
			gap := res.Measured.TimeMS / best.TimeMS
			if strings.Contains(strings.Join(res.Warnings, ""), "batch size") {
				t.Errorf("%q speaks of a batch size that is no input", res.Warnings)
			}
			if err != nil || poor && gap < 1.05 || !poor && gap > 1.25 {
				t.Errorf("%g W, winner lost %v: %.1f ms where %.1f are possible: %q, %v", watts, lost,
					res.Measured.TimeMS, best.TimeMS, res.Warnings, err)
			}
			if poor {
				said++
			} else {
				silent++
			}
		}
	}
	if said == 0 || silent == 0 {
		t.Errorf("said %d times and not said %d times", said, silent)
	}
}

// The better mode that the warning names can be measured: none of those that have failed.
func TestBinaryNamesNoFailedModeAsBetter(t *testing.T) {
	t.Parallel()
	for _, fail := range []bool{false, true} {
		s, b := searchOn(t, TuneOptions{Limits: goals(metric.Watts(25)), Strategy: Binary})
		slow := b.All()
		slices.SortFunc(slow, func(a, b tegra.Measured) int { return cmp.Compare(b.TimeMS, a.TimeMS) })
		for i := range s.places.Len() {
			s.failed[i] = fail
		}
		for k := range 2 * poorFrom {
			r := slow[20*k]
			s.read(s.at(r.Setting), r)
			s.failed[s.at(r.Setting)] = false
		}
		if _, err := s.finish(0); err != nil || (len(s.warnings) == 0) != fail {
			t.Errorf("all other modes have failed, %v: %q, %v", fail, s.warnings, err)
		}
	}
}
