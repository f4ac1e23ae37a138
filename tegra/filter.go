package tegra

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
)

// Filter selects modes by terms such as "cores>=8 gpu<900MHz power<20 time<=80".
// All terms must hold. The zero Filter selects everything.
type Filter struct{ terms []term }

type term struct {
	key   string
	op    string
	value float64
	half  float64 // half a unit of the last digit typed: what = and != round by
}

var (
	termPattern  = regexp.MustCompile(`(?i)^([a-z]+)(<=|>=|!=|==|=|<|>)(.+)$`)
	spacedOp     = regexp.MustCompile(`\s*(<=|>=|!=|==|=|<|>)\s*`)
	spacedUnit   = regexp.MustCompile(`(?i)([0-9.])\s+([gmk]?hz|ms|s|w|j)\b`)
	knobLabels   = map[string]string{"cpu": "c", "gpu": "g", "emc": "m"} // of the compact notation, which counts in GHz
	filterSuffix = map[string]string{"cores": "", "time": "ms", "power": "w", "energy": "j"}
)

// leastClock: a clock below it lacks its unit; no Jetson's is that slow.
const leastClock = MHz

// ParseFilter reads terms parted by spaces or commas: a key (cores, cpu, gpu,
// mem or emc, time in ms, power in W, energy in J), one of < <= > >= = !=, and
// a value; frequencies take a unit. Equality is by the digits typed: gpu=1.3GHz
// takes 1300.5 MHz.
func ParseFilter(expr string) (Filter, error) {
	var f Filter
	text := spacedUnit.ReplaceAllString(spacedOp.ReplaceAllString(expr, "$1"), "$1$2")
	for _, word := range strings.FieldsFunc(text, func(r rune) bool { return r == ' ' || r == ',' || r == '\t' }) {
		t, err := parseTerm(word)
		if err != nil {
			return Filter{}, err
		}
		f.terms = append(f.terms, t)
	}
	return f, nil
}

func parseTerm(word string) (term, error) {
	p := termPattern.FindStringSubmatch(word)
	if p == nil {
		return term{}, fmt.Errorf("filter term %q: want a key, an operator and a value such as cores>=8 or gpu<900MHz", clip(word))
	}
	t := term{key: strings.ToLower(p[1]), op: p[2]}
	if t.key == "mem" {
		t.key = "emc"
	}
	number, unit := strings.ToLower(p[3]), 1.0
	switch suffix, plain := filterSuffix[t.key]; {
	case plain:
		number = strings.TrimSuffix(number, suffix)
		v, err := strconv.ParseFloat(number, 64)
		if err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
			return term{}, badValue(word, p[3], t.key)
		}
		t.value = v
	case t.key == "cpu" || t.key == "gpu" || t.key == "emc":
		if label := knobLabels[t.key]; strings.HasSuffix(number, label) { // as modes are written: 1.30G
			number = strings.TrimSuffix(number, label) + "ghz"
		}
		q, err := ParseFreq(number)
		if err != nil || q > 0 && q < leastClock {
			return term{}, fmt.Errorf("%w: give a clock with its unit, such as 900MHz or 1.30GHz", badValue(word, p[3], t.key))
		}
		t.value = float64(q)
		number = strings.TrimRight(number, "ghzmk")
		if v, err := strconv.ParseFloat(number, 64); err == nil && v > 0 {
			unit = t.value / v
		}
	default:
		return term{}, fmt.Errorf("filter term %q: no key %q; known: cores cpu gpu mem time power energy", clip(word), clip(t.key))
	}
	if _, frac, ok := strings.Cut(number, "."); ok {
		unit *= math.Pow(10, -float64(len(frac)))
	}
	t.half = unit / 2
	return t, nil
}

func badValue(word, value, key string) error {
	return fmt.Errorf("filter term %q: %q is no value for %s", clip(word), clip(value), key)
}

// Match tells whether the mode passes. A term on time, power or energy fails
// while that value is not known (not positive).
func (f Filter) Match(m Measured) bool {
	for _, t := range f.terms {
		if !t.match(m) {
			return false
		}
	}
	return true
}

func (t term) match(m Measured) bool {
	var v float64
	switch t.key {
	case "cores":
		v = float64(m.Mode.Cores)
	case "cpu":
		v = float64(m.Mode.CPU)
	case "gpu":
		v = float64(m.Mode.GPU)
	case "emc":
		v = float64(m.Mode.EMC)
	case "time":
		v = m.TimeMS
	case "power":
		v = m.PowerW
	case "energy":
		v = m.EnergyJ()
	}
	if !(v > 0) {
		return false
	}
	switch t.op {
	case "<":
		return v < t.value
	case "<=":
		return v <= t.value
	case ">":
		return v > t.value
	case ">=":
		return v >= t.value
	case "!=":
		return math.Abs(v-t.value) > t.half
	}
	return math.Abs(v-t.value) <= t.half
}

// Filter gives the members whose knobs pass f. It may be empty.
func (s *Space) Filter(f Filter) *Space {
	return s.where(func(m Mode) bool { return f.Match(Measured{Mode: m}) })
}
