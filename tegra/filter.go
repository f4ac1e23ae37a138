package tegra

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"jtune/internal/lazyregexp"
	"jtune/internal/text"
)

// Filter selects modes by terms such as "cores=2,4,6 gpu<900MHz time<=80". All terms must hold. The zero Filter selects
// every mode.
type Filter struct{ terms []term }

// term compares one value with the typed ones; only = and != take several. A term without a key lists modes.
type term struct {
	key    string
	op     string
	values []bound
	modes  []Mode
}

type bound struct {
	value float64
	half  float64 // half a unit of the last typed digit, the tolerance of = and !=; 0 for a knob
}

var (
	termPattern  = lazyregexp.New(`(?i)^([a-z]+)(<=|>=|!=|==|=|<|>)(.+)$`)
	spacedOp     = lazyregexp.New(`\s*(<=|>=|!=|==|=|<|>)\s*`)
	spacedUnit   = lazyregexp.New(`(?i)([0-9.])\s+([gmk]?hz|ms|s|w|m?j)\b`)
	filterSuffix = map[string]string{"time": "ms", "power": "w", "energy": "j", FilterLatency: "ms", FilterSpeed: "/s",
		FilterUnit: "j"}
)

// Keys of inference workloads. ParseFilter accepts them if the caller, who supplies their values, asks for them.
const (
	FilterLatency = "latency" // ms
	FilterSpeed   = "speed"   // units per second
	FilterUnit    = "unit"    // J (or mJ) per unit
)

// InferenceKeys returns the additional keys for lists of inference modes.
func InferenceKeys() []string { return []string{FilterLatency, FilterSpeed, FilterUnit} }

// filterKeys are the keys in error texts; filterKnobs are the keys of the knobs in Knob order.
var (
	filterKeys  = []string{"cores", "cpu", "gpu", "mem", "time", "power", "energy"}
	filterKnobs = []string{"cores", "cpu", "gpu", "emc"}
)

// ParseFilter reads terms separated by spaces or commas. A term is a key (cores, cpu, gpu, mem or emc, time in ms,
// power in W, energy in J, and the InferenceKeys listed in also), one of < <= > >= = !=, and a value as Parse reads it;
// or a mode in compact notation. After = and != a comma-separated list may follow: cores=2,4,6. Equality compares a
// knob with the listed value, and a measured quantity at the precision typed.
func (s *Space) ParseFilter(expr string, also ...string) (Filter, error) {
	var f Filter
	line := spacedUnit.ReplaceAllString(spacedOp.ReplaceAllString(expr, "$1"), "$1$2")
	for _, word := range strings.FieldsFunc(line, func(r rune) bool { return r == ' ' || r == ',' || r == '\t' }) {
		if err := f.add(s, word, also); err != nil {
			return Filter{}, err
		}
	}
	return f, nil
}

// add adds a term, or one more value to the last term.
func (f *Filter) add(s *Space, word string, also []string) error {
	p := termPattern.FindStringSubmatch(word)
	var last *term
	if n := len(f.terms); n > 0 {
		last = &f.terms[n-1]
	}
	switch {
	case p == nil && strings.Contains(word, "/"):
		m, err := s.Parse(word)
		if err != nil {
			return fmt.Errorf("filter: %w", err)
		}
		if last == nil || last.modes == nil {
			f.terms = append(f.terms, term{})
			last = &f.terms[len(f.terms)-1]
		}
		last.modes = append(last.modes, m)
		return nil
	case p == nil && last != nil && slices.Contains([]string{"=", "==", "!="}, last.op):
		return last.add(s, word, word)
	case p == nil:
		return fmt.Errorf("filter term %q: want a key, an operator and a value such as cores>=8 or gpu<900MHz",
			text.Clip(word))
	}
	t := term{key: strings.ToLower(p[1]), op: p[2]}
	if known := slices.Concat(filterKeys, also); !slices.Contains(known, t.key) && t.key != "emc" {
		return fmt.Errorf("filter term %q: no key %q; known: %s", text.Clip(word), text.Clip(t.key),
			strings.Join(known, " "))
	}
	if t.key == "mem" {
		t.key = "emc"
	}
	if err := t.add(s, word, p[3]); err != nil {
		return err
	}
	f.terms = append(f.terms, t)
	return nil
}

// add appends one more value to the term.
func (t *term) add(s *Space, word, value string) error {
	suffix, measured := filterSuffix[t.key]
	k := Knob(slices.Index(filterKnobs, t.key))
	var b bound
	switch {
	case measured:
		digits, scale := strings.TrimSuffix(strings.ToLower(value), suffix), 1.0
		if milli, is := strings.CutSuffix(digits, "m"); is && suffix == "j" {
			digits, scale = milli, 1e-3
		}
		v, err := strconv.ParseFloat(digits, 64)
		if err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
			return fmt.Errorf("filter term %q: %q is not a value for %s", text.Clip(word), text.Clip(value), t.key)
		}
		_, frac, _ := strings.Cut(digits, ".")
		b = bound{v * scale, scale * math.Pow(10, -float64(len(frac))) / 2}
	default:
		typed, err := parseKnob(k, value)
		if err != nil {
			return fmt.Errorf("filter term %q: %q is not a value for %s: %w", text.Clip(word), text.Clip(value), t.key,
				err)
		}
		if b.value = typed.value; t.op[0] == '<' || t.op[0] == '>' {
			if typed.decimals >= s.decimals[k] { // as modes are printed: gpu<=1.30G includes 1300.5 MHz
				if v, ok := typed.alike(s.Values(k)); ok && typed.unit == float64(GHz) {
					b.value = v
				}
			}
			break
		}
		v, err := s.listed(k, typed)
		if err != nil {
			return fmt.Errorf("filter term %q: %w", text.Clip(word), err)
		}
		b.value = float64(v)
	}
	t.values = append(t.values, b)
	return nil
}

// Match reports whether a mode passes. A term on time, power or energy fails if the value is unknown (not positive).
func (f Filter) Match(m Measured) bool {
	return f.MatchAlso(m, func(string) float64 { return 0 })
}

// MatchAlso is Match with a source for the values of FilterLatency, FilterSpeed and FilterUnit.
func (f Filter) MatchAlso(m Measured, value func(key string) float64) bool {
	for _, t := range f.terms {
		if !t.match(m, value) {
			return false
		}
	}
	return true
}

func (t *term) match(m Measured, value func(key string) float64) bool {
	var v float64
	switch t.key {
	case "":
		return slices.Contains(t.modes, m.Mode)
	case "time":
		v = m.TimeMS
	case "power":
		v = m.PowerW
	case "energy":
		v = m.EnergyJ()
	case FilterLatency, FilterSpeed, FilterUnit:
		v = value(t.key)
	default:
		v = m.Mode.Value(Knob(slices.Index(filterKnobs, t.key)))
	}
	if !(v > 0) {
		return false
	}
	switch b := t.values[0].value; t.op {
	case "<":
		return v < b
	case "<=":
		return v <= b
	case ">":
		return v > b
	case ">=":
		return v >= b
	}
	is := slices.ContainsFunc(t.values, func(b bound) bool { return math.Abs(v-b.value) <= b.half })
	return is == (t.op != "!=")
}

// Filter returns the modes whose knobs pass f. The result may be empty.
func (s *Space) Filter(f Filter) *Space {
	return s.where(func(m Mode) bool { return f.Match(Measured{Setting: Setting{Mode: m}}) })
}
