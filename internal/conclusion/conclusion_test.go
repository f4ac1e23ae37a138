package conclusion_test

import (
	"fmt"
	"io/fs"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"jtune/internal/conclusion"
	_ "jtune/optimize/advice"
	_ "jtune/profiles/lab/experiment"
	_ "jtune/tui/session/doctor"
	_ "jtune/tui/session/fit"
	_ "jtune/tui/session/handover"
	_ "jtune/tui/session/lab/claims"
	_ "jtune/tui/session/readiness"
	_ "jtune/tui/session/run"
	_ "jtune/tui/session/study"
)

// operand is a number, or a flag, of a rule's operands.
type operand struct {
	name     string
	shown    bool // it does not decide; the sentence only names it
	from, to float64
	set      func(v float64) // NaN: unknown
	get      func() float64
}

// operandsOf returns the operands of a rule in x, a pointer to a struct.
func operandsOf(t *testing.T, x any) (out []operand) {
	t.Helper()
	v := reflect.ValueOf(x).Elem()
	for i := range v.NumField() {
		f, field := v.Type().Field(i), v.Field(i)
		o := operand{name: f.Name}
		tag, turned := f.Tag.Lookup("turn")
		if shown, ok := f.Tag.Lookup("shown"); ok {
			tag, o.shown = shown, true
		}
		if text := field.Type() == reflect.TypeFor[[]string](); text || field.Kind() == reflect.String {
			there := reflect.ValueOf(f.Name)
			if text {
				there = reflect.ValueOf([]string{f.Name})
			}
			if field.Set(there); tag != "absent" {
				continue
			}
			o.to = 1
			o.set = func(v float64) {
				if field.SetZero(); v >= 0.5 {
					field.Set(there)
				}
			}
			o.get = func() float64 { return map[bool]float64{false: 1}[field.IsZero()] }
			out = append(out, o)
			continue
		}
		_, err := fmt.Sscan(tag, &o.from, &o.to)
		group := field.Kind() == reflect.Struct && (field.NumField() != 2 || field.Type().Field(1).Name != "OK")
		if field.Kind() != reflect.Bool && !group && (err != nil || o.to <= o.from) {
			t.Fatalf("%T: field %s has no range (%q, %v)", x, f.Name, tag, turned)
		}
		switch {
		case field.Kind() == reflect.Bool:
			o.to = 1
			o.set = func(v float64) { field.SetBool(v >= 0.5) }
			o.get = func() float64 { return map[bool]float64{true: 1}[field.Bool()] }
		case field.CanInt():
			o.set = func(v float64) {
				if !math.IsNaN(v) {
					field.SetInt(int64(math.Round(v)))
				}
			}
			o.get = func() float64 { return float64(field.Int()) }
		case field.CanFloat():
			o.set = func(v float64) {
				if !math.IsNaN(v) {
					field.SetFloat(v)
				}
			}
			o.get = field.Float
		case field.Kind() == reflect.Slice:
			field.Set(reflect.MakeSlice(field.Type(), 5, 5))
			for k := range field.Len() {
				at, one := field.Index(k), o
				one.get = at.Float
				one.set = func(v float64) {
					if !math.IsNaN(v) {
						at.SetFloat(v)
					}
				}
				out = append(out, one)
			}
			continue
		case field.Kind() == reflect.Struct && !group: // a tegra.Val
			o.set = func(v float64) {
				field.Field(1).SetBool(!math.IsNaN(v))
				if field.Field(0).SetFloat(0); !math.IsNaN(v) {
					field.Field(0).SetFloat(v)
				}
			}
			o.get = func() float64 {
				if !field.Field(1).Bool() {
					return math.NaN()
				}
				return field.Field(0).Float()
			}
		case field.Kind() == reflect.Struct:
			for _, part := range operandsOf(t, field.Addr().Interface()) {
				part.name = f.Name + "." + part.name
				out = append(out, part)
			}
			continue
		default:
			t.Fatalf("%T: field %s is no operand", x, f.Name)
		}
		out = append(out, o)
	}
	return out
}

// draw gives every operand a value: in its range, at an end of it, near that of another, or unknown.
func draw(list []operand, rng *rand.Rand) {
	alike := rng.IntN(3) == 0 // each is like the one before it
	for i, o := range list {
		if alike && i > 0 {
			if like := list[i-1].get(); like >= o.from && like <= o.to {
				o.set(like * (1 + 0.002*rng.NormFloat64()))
				continue
			}
		}
		switch rng.IntN(10) {
		case 0:
			o.set(math.NaN())
		case 1:
			o.set([]float64{o.from, o.to}[rng.IntN(2)])
		case 2, 3, 4:
			if like := list[rng.IntN(i+1)].get(); like >= o.from && like <= o.to {
				o.set(like * (1 + []float64{0, 0.001, 0.02, 0.1}[rng.IntN(4)]*rng.NormFloat64()))
				continue
			}
			fallthrough
		default:
			o.set(within(o, rng))
		}
	}
}

func within(o operand, rng *rand.Rand) float64 {
	if o.from > 0 && rng.IntN(2) == 0 {
		return o.from * math.Pow(o.to/o.from, rng.Float64())
	}
	return o.from + (o.to-o.from)*rng.Float64()
}

var digits = regexp.MustCompile(`[-+±]?[0-9]+([.,][0-9]+)*`)

// Every sentence flips when any of its operands turns, and each case can come true.
func TestConclusionsFollowTheirOperands(t *testing.T) {
	t.Parallel()
	rules := conclusion.All()
	if len(rules) == 0 {
		t.Fatal("no rules")
	}
	names := map[string]bool{}
	for _, r := range rules {
		if names[r.Name()] {
			t.Errorf("two rules are named %q", r.Name())
		}
		names[r.Name()] = true
		t.Run(r.Name(), func(t *testing.T) { turn(t, r) })
	}
}

var made = regexp.MustCompile(`conclusion\.New\(\s*"([^"]+)"`)

// The list above has the rules of every package of the program: no sentence is left out of the test.
func TestConclusionsListEveryRuleOfTheSource(t *testing.T) {
	t.Parallel()
	listed := map[string]bool{}
	for _, r := range conclusion.All() {
		listed[r.Name()] = true
	}
	found := 0
	err := fs.WalkDir(os.DirFS("../.."), ".", func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(file, ".go") || strings.HasSuffix(file, "_test.go") {
			return err
		}
		source, err := os.ReadFile("../../" + file)
		for _, name := range made.FindAllStringSubmatch(string(source), -1) {
			if found++; !listed[name[1]] {
				t.Errorf("%s: the rule %q is not on the list: import its package here", file, name[1])
			}
		}
		return err
	})
	if err != nil || found < 30 {
		t.Errorf("%d rules in the source: %v", found, err)
	}
}

// draws is how often all operands of a rule are drawn.
const draws = 1500

func turn(t *testing.T, r conclusion.Any) {
	rng := rand.New(rand.NewPCG(48, 1))
	x := r.New()
	list := operandsOf(t, x)
	stems := map[string]bool{}
	flips := map[string]bool{}
	stem := func(says string) string { return digits.ReplaceAllString(says, "#") }
	for range draws {
		draw(list, rng)
		says := r.Decide(x)
		if strings.Contains(says, "NaN") || strings.Contains(says, "Inf") || strings.Contains(says, "%!") {
			t.Fatalf("%+v: says %q", x, says)
		}
		stems[stem(says)] = true
		for _, o := range list {
			if flips[o.name] {
				continue
			}
			before := o.get()
			for range 8 {
				if o.set(within(o, rng)); rng.IntN(4) == 0 {
					o.set(math.NaN())
				}
				now := r.Decide(x)
				flips[o.name] = flips[o.name] || stem(now) != stem(says) || o.shown && now != says
			}
			o.set(before)
		}
	}
	if len(stems) < r.Cases() {
		t.Errorf("says %d things, not %d: %q", len(stems), r.Cases(), slices.Collect(maps.Keys(stems)))
	}
	for _, o := range list {
		if !flips[o.name] {
			t.Errorf("no sentence depends on %s", o.name)
		}
	}
}
