package learn

import (
	"testing"
)

func TestAModelLearnsOn(t *testing.T) {
	t.Parallel()
	space := smallSpace(t)
	modes := space.Sample(24, 3)
	ref := &Reference{Name: "another, at home", Samples: truths(space.Sample(120, 9))}
	o := Options{Space: space, Reference: ref, Seed: 4, SkipCV: true}
	first, err := Fit(t.Context(), truths(modes[:16]), o)
	if err != nil {
		t.Fatal(err)
	}
	got, err := first.With(t.Context(), truths(modes[16:]), false)
	if err != nil {
		t.Fatal(err)
	}
	want, err := Fit(t.Context(), truths(modes), o)
	if err != nil {
		t.Fatal(err)
	}
	if len(got.Samples) != 24 || got.Reference != want.Reference || got.Seed != 4 {
		t.Errorf("got %d samples and reference %q, want 24 and %q", len(got.Samples), got.Reference, want.Reference)
	}
	a, b := got.Predict(space.Modes()), want.Predict(space.Modes())
	for i := range a {
		if a[i] != b[i] {
			t.Fatalf("learnt on, %v is predicted as %+v; learnt at once, as %+v", a[i].Mode, a[i], b[i])
		}
	}
	tree, err := Fit(t.Context(), truths(modes), Options{Space: space, Method: Tree, SkipCV: true})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tree.With(t.Context(), nil, false); err == nil {
		t.Error("a tree was learnt on")
	}
}
