package origin

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"jtune/internal/must"
	"jtune/tegra/virtual"
	"jtune/tegra/virtual/physics"
)

// numbers calls back with the names of all numbers with a fraction in a struct, those of structs in it too.
func numbers(v reflect.Value, prefix string, each func(field string)) {
	if v.Kind() == reflect.Pointer {
		if v.IsNil() {
			return
		}
		v = v.Elem()
	}
	for i := range v.NumField() {
		f := v.Type().Field(i)
		switch {
		case !f.IsExported():
		case f.Type.Kind() == reflect.Float64:
			each(prefix + f.Name)
		case f.Type.Kind() == reflect.Struct, f.Type == reflect.TypeFor[*physics.Adjusted]():
			numbers(v.Field(i), prefix+f.Name+".", each)
		}
	}
}

// Each constant of the boards has one origin: a new one must be declared.
func TestOriginOfEachConstantIsOne(t *testing.T) {
	declared := map[string]int{}
	for _, o := range All() {
		for _, of := range o.Of {
			for _, f := range o.Fields {
				declared[of+" "+f]++
			}
		}
	}
	expect := func(of string) func(string) {
		return func(field string) {
			key := of + " " + field
			must.Equal(t, declared[key], 1)
			delete(declared, key)
		}
	}
	for _, name := range virtual.Names() {
		numbers(reflect.ValueOf(physics.On(name)), "", expect(name))
	}
	for _, w := range physics.Workloads() {
		numbers(reflect.ValueOf(w), "", expect(w.Name))
	}
	for _, n := range physics.Networks() {
		of := n.Name
		if slices.ContainsFunc(physics.Workloads(), func(w physics.Workload) bool { return w.Name == n.Name }) {
			of += "-infer"
		}
		numbers(reflect.ValueOf(n), "", expect(of))
	}
	for key := range declared { // of networks whose values package physics keeps to itself
		of, _, _ := strings.Cut(key, " ")
		if of != "networks" && !slices.Contains(physics.InferenceJobs(), of) {
			t.Errorf("%s is no constant", key)
		}
	}
}

func TestOriginsNameTheirSweepOrLender(t *testing.T) {
	for _, o := range All() {
		if (o.Kind == Sweep || o.Kind == Borrowed || o.Kind == Savings) && o.Source == "" {
			t.Errorf("%v %v: %s, but of what is not said", o.Of, o.Fields, o.Kind)
		}
		known := []Kind{Definition, DataSheet, Stated, Sweep, Figures, FewFigures, Savings, Borrowed, Assumed}
		if !slices.Contains(known, o.Kind) {
			t.Errorf("%v: %q", o.Of, o.Kind)
		}
	}
	must.Equal(t, Count(Savings), 7)
	if all := Count(Assumed, Borrowed); all == 0 || len(Unfounded()) == 0 {
		t.Errorf("%d constants without anything behind them", all)
	}
}
