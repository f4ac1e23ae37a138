package fidelity

import (
	"cmp"
	"math"
	"reflect"
	"slices"
	"strings"

	"jtune/internal/sorted"
	"jtune/tui/session/lab/evidence"
	"jtune/tui/session/lab/origin"
	"jtune/tui/session/lab/refit"
)

// Fit says how far the boards before Orin were fitted to the figures, and how well the fit predicts figures that it has
// not seen: each fact is left out with all figures that state it, and the constants are refitted to the others.
type Fit struct {
	Constants struct {
		Fitted    int     `json:"fitted"`
		Effective float64 `json:"effective"` // of those fitted to Figures: the trace of the hat matrix
		Figures   int     `json:"figures"`   // figures used for all fitted constants but Savings
		Within    int     `json:"within"`    // of Figures
		Savings   int     `json:"savings"`   // of Fitted: chosen from published energy savings as a whole
		Unfounded int     `json:"unfounded"` // additional constants, without a published figure or a shared sweep
		// Origins are the origins of all constants.
		Origins []origin.Origin `json:"origins"`
	}
	LeftOut struct {
		Facts   int `json:"facts"`   // facts stated by the figures, restatements counted once
		Figures int `json:"figures"` // each left out with all that state the same
		Within  int `json:"within"`  // of Figures
	}
	// Off is the deviation of each fitted figure without its fact, in tolerances, by ID.
	Off map[string]float64
}

// scaled returns the constants with one of them multiplied.
func (c constants) scaled(one origin.Constant, factor float64) constants {
	out := builtIn()
	for name, chip := range c.chips {
		if slices.Contains(one.Of, name) {
			field := reflect.ValueOf(&chip).Elem().FieldByName(one.Field)
			field.SetFloat(field.Float() * factor)
		}
		out.chips[name] = chip
	}
	for name, w := range c.workloads {
		if slices.Contains(one.Of, name) {
			holder, inOlder := strings.CutPrefix(one.Field, "Older.")
			of := reflect.ValueOf(&w).Elem()
			if inOlder {
				older := *w.Older
				w.Older, of = &older, reflect.ValueOf(&older).Elem()
			}
			field := of.FieldByName(holder)
			field.SetFloat(field.Float() * factor)
		}
		out.workloads[name] = w
	}
	return out
}

// fitsTo reports whether constants were fitted to a figure: an equation that follows from physics alone, on the boards
// before Orin.
func (f *Figure) fitsTo() bool {
	byPhysics := []string{"value", "ratio", "change", "mean-change", "part-of-change", "sum", "idle"}
	if f.Kind != evidence.Simulated || f.Relation != "eq" && f.Relation != "approx" || f.Tolerance == 0 ||
		!slices.Contains(byPhysics, f.word) || f.of == "cached_pct" || f.of == "read_iops" {
		return false
	}
	for _, s := range append(slices.Clone(f.at), f.against...) {
		if s.free {
			return false
		}
	}
	return f.About("agx-xavier") || f.About("xavier-nx") || f.About("nano")
}

// residuals returns the signed deviation of each figure in tolerances; for several values the worst.
func (b *bench) residuals(figures []Figure) ([]float64, error) {
	out := make([]float64, len(figures))
	for i, f := range figures {
		values, err := works[f.word](b, f)
		if err != nil {
			return nil, err
		}
		for _, v := range values {
			if off := (v - f.Value) / f.Slack(f.Value); math.Abs(off) > math.Abs(out[i]) {
				out[i] = off
			}
		}
	}
	return out, nil
}

// fitOf prepares the fit to all figures to which constants were fitted.
func fitOf(seed uint64) (figures []Figure, f refit.Refit, err error) {
	figures = slices.DeleteFunc(slices.Clone(Figures()), func(f Figure) bool { return !f.fitsTo() })
	own, list := newBench(builtIn(), seed), origin.Fitted()
	f, err = refit.New(len(list), func(x []float64) ([]float64, error) {
		c := own.constants
		for k, one := range list {
			c = c.scaled(one, math.Exp(x[k]))
		}
		return own.with(c).residuals(figures)
	})
	return figures, f, err
}

// FitOf computes how far the boards were fitted.
func FitOf(seed uint64) (out Fit, err error) {
	figures, f, err := fitOf(seed)
	if err != nil {
		return Fit{}, err
	}
	k := &out.Constants
	k.Savings, k.Unfounded = origin.Count(origin.Savings), origin.Count(origin.Assumed, origin.Borrowed)
	k.Fitted, k.Effective, k.Origins = len(origin.Fitted())+k.Savings, f.Effective(), origin.All()
	k.Figures = len(figures)
	for _, off := range f.Residuals() {
		k.Within += int(truth(math.Abs(off) <= 1))
	}
	out.Off = map[string]float64{}
	for _, fact := range facts(figures) {
		left, err := f.Without(fact)
		if err != nil {
			return Fit{}, err
		}
		out.LeftOut.Facts++
		for j, i := range fact {
			out.LeftOut.Figures++
			out.LeftOut.Within += int(truth(math.Abs(left[j]) <= 1))
			out.Off[figures[i].ID] = math.Abs(left[j])
		}
	}
	return out, nil
}

// facts groups the indexes of figures that state the same.
func facts(figures []Figure) [][]int {
	same := map[string]string{}
	for _, f := range Figures() {
		same[f.ID] = f.SameAs
	}
	root := func(id string) string {
		for same[id] != "" {
			id = same[id]
		}
		return id
	}
	groups := map[string][]int{}
	for i, f := range figures {
		groups[root(f.ID)] = append(groups[root(f.ID)], i)
	}
	var out [][]int
	for _, g := range groups {
		out = append(out, g)
	}
	sorted.By(out, func(a, b []int) int { return cmp.Compare(a[0], b[0]) })
	return out
}
