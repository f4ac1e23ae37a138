package optimize

import (
	"slices"
	"strings"
	"testing"

	"jtune/learn"
	"jtune/tegra"
)

func TestABinarySearchTellsItsTrace(t *testing.T) {
	t.Parallel()
	c, f, g, m := tegra.KnobCores, tegra.KnobCPU, tegra.KnobGPU, tegra.KnobEMC
	for _, x := range []struct {
		name     string
		rotation Rotation
		knobs    []tegra.Knob // that are halved: 4 cores, 8 CPU, 8 GPU, 3 memory settings
	}{
		{"the note's rotation", Rotation{}, []tegra.Knob{g, f, m, c, g, f, m, c, g, f}},
		{"another order", Rotation{Order: []tegra.Knob{c, f, g, m}}, []tegra.Knob{c, f, g, m, c, f, g, m, f, g}},
		{"one knob to its end before the next", Rotation{Turns: OneByOne}, []tegra.Knob{g, g, g, f, f, f, m, m, c, c}},
		{"the knob with most settings left", Rotation{Turns: Widest}, []tegra.Knob{g, f, g, f, c, m, g, f, m, c}},
	} {
		b := newToy(t)
		limit := Limit{PowerW: 25}
		res, err := tuneModes(t.Context(), b.measure, TuneOptions{Limit: limit, Space: b.space, Strategy: Binary, Rotation: x.rotation})
		if err != nil {
			t.Fatal(err)
		}
		var knobs []tegra.Knob
		left := rungs{4, 8, 8, 3, 1}
		for _, h := range res.Trace {
			knobs = append(knobs, h.Knob)
			if over := b.answer(h.Mode).PowerW > limit.PowerW; over == h.Raised {
				t.Errorf("%s: %v draws %.1f W, raised %v", x.name, h.Mode, b.answer(h.Mode).PowerW, h.Raised)
			}
			if h.Left[h.Knob] >= left[h.Knob] || h.Left[h.Knob] < left[h.Knob]/2 {
				t.Errorf("%s: %v left of %v", x.name, h, left)
			}
			left = h.Left
		}
		// A knob of three settings takes one or two halvings, so the tail may differ.
		if n := min(len(knobs), 5); n < 5 || !slices.Equal(knobs[:n], x.knobs[:n]) {
			t.Errorf("%s: halved %v, want to begin as %v", x.name, knobs, x.knobs)
		}
		if left != (rungs{1, 1, 1, 1, 1}) {
			t.Errorf("%s: ended with %v settings left", x.name, left)
		}
		if text := res.Trace[0].String(); !strings.Contains(text, "half of") || !strings.Contains(text, "left") {
			t.Errorf("a step reads %q", text)
		}
	}
}

func TestOnlyABinarySearchHasATrace(t *testing.T) {
	t.Parallel()
	b := newToy(t)
	res, err := tuneModes(t.Context(), b.measure, TuneOptions{Limit: Limit{PowerW: 25}, Space: b.space})
	if err != nil || res.Trace != nil {
		t.Errorf("got %v, %v", res.Trace, err)
	}
}

func TestRotationsAreRead(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]Rotation{
		"":                             {},
		"widest":                       {Turns: Widest},
		"one-by-one":                   {Turns: OneByOne},
		"cores,cpu,gpu,mem":            {Order: []tegra.Knob{0, 1, 2, 3}},
		"one-by-one:mem,gpu,cores,cpu": {Order: []tegra.Knob{3, 2, 0, 1}, Turns: OneByOne},
	} {
		got, err := ParseRotation(text)
		if err != nil || got.Turns != want.Turns || !slices.Equal(got.Order, want.Order) {
			t.Errorf("%q: got %+v, %v", text, got, err)
		}
	}
	for _, text := range []string{"gpu", "gpu,gpu,cpu,mem", "gpu,cpu,mem,fan", "deepest", "widest:gpu", "cores,cpu,gpu,mem,cores", ","} {
		if got, err := ParseRotation(text); err == nil {
			t.Errorf("%q: got %+v, want an error", text, got)
		}
	}
}

func TestABinarySearchOverMinibatchSizes(t *testing.T) {
	t.Parallel()
	b := newToy(t)
	for _, l := range []Limit{{PowerW: 18, TimeMS: 60}, {PowerW: 25, TimeMS: 30}, {PowerW: 20}, {PowerW: 16, TimeMS: 400}} {
		for name, rotation := range map[string]Rotation{"in turn": {}, "widest first": {Turns: Widest}, "one by one": {Turns: OneByOne}} {
			res, err := Tune(t.Context(), b.serve, TuneOptions{Limit: l, Space: b.space, Batches: toySizes, Strategy: Binary, Rotation: rotation})
			if err != nil || !res.Feasible || !res.Verified {
				t.Fatalf("%v, %s: %v, %+v", l, name, err, res.Measured)
			}
			left, k := rungs{4, 8, 8, 3, 5}, BatchKnob
			for _, h := range res.Trace {
				at := b.served(learn.Setting{Mode: h.Mode, Batch: h.Batch})
				power, time := at.PowerW > l.PowerW, l.TimeMS > 0 && at.TimeMS > l.TimeMS
				want, sizes := !power, false // method note g.3, by what was seen and the knob in turn
				if h.Knob == k {
					want = !power && !time
				} else {
					sizes = power && time && left[k] > 1
				}
				if h.Raised != want || h.Sizes != sizes || h.Knob == k && power && !time && left != (rungs{1, 1, 1, 1, left[k]}) {
					t.Errorf("%v, %s: over power %v, over time %v, left %v: %v", l, name, power, time, left, h)
				}
				left = h.Left
			}
			if left != (rungs{1, 1, 1, 1, 1}) {
				t.Errorf("%v, %s: ended with %v settings left", l, name, left)
			}
			// Steps: what each of the five lists takes alone, 2 + 3 + 3 + 2 + 3, and the last setting, twice.
			if most := 15; len(res.Probes) > most {
				t.Errorf("%v, %s: %d probes, want at most %d", l, name, len(res.Probes), most)
			}
		}
	}
	for _, l := range []Limit{{TimeMS: 50}, {Energy: true}} {
		if _, err := Tune(t.Context(), b.serve, TuneOptions{Limit: l, Space: b.space, Batches: toySizes, Strategy: Binary}); err == nil || !strings.Contains(err.Error(), "needs a power limit") {
			t.Errorf("%v: %v", l, err)
		}
	}
}

func TestABinarySearchTakesTheNearestSettingThatIsThere(t *testing.T) {
	t.Parallel()
	b := newToy(t)
	var only []learn.Setting
	for i, a := range learn.Settings(b.space.Modes(), toySizes) {
		if i%3 == 0 {
			only = append(only, a)
		}
	}
	res, err := Tune(t.Context(), b.serve, TuneOptions{Limit: Limit{PowerW: 20}, Space: b.space, Batches: toySizes, Only: only, Strategy: Binary})
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range res.Probes {
		if !slices.Contains(only, learn.SettingOf(p.Measured)) {
			t.Errorf("%v with minibatches of %d cannot be measured", p.Mode, p.Batch)
		}
	}
}
