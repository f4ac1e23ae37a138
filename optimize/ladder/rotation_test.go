package ladder

import (
	"slices"
	"testing"

	"jtune/internal/tools/reliability"
	"jtune/tegra"
)

func TestParseRotation(t *testing.T) {
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
	for _, text := range []string{
		"gpu",
		"gpu,gpu,cpu,mem",
		"gpu,cpu,mem,fan",
		"deepest",
		"widest:gpu",
		"cores,cpu,gpu,mem,cores",
		",",
	} {
		if got, err := ParseRotation(text); err == nil {
			t.Errorf("%q: got %+v, want an error", text, got)
		}
	}
}

func FuzzRotation(f *testing.F) {
	for _, seed := range []string{"", "widest", "one-by-one:cpu,gpu", "cores,cpu,gpu,mem,batch", "cpu,cpu",
		"widest:x"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		defer reliability.Input(t)()
		r, err := ParseRotation(text)
		if err != nil {
			return
		}
		order, err := r.Knobs()
		if slices.Sort(order); err != nil || len(order) < 4 || len(slices.Compact(order)) != len(order) {
			t.Errorf("%q has the knobs %v: %v", text, order, err)
		}
	})
}
