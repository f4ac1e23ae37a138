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
}

var termPattern = regexp.MustCompile(`^([a-z]+)(<=|>=|!=|==|=|<|>)(.+)$`)

// ParseFilter reads terms parted by spaces or commas: a key (cores, cpu, gpu,
// mem or emc, time in ms, power in W, energy in J), one of < <= > >= = !=, and
// a value; frequencies take a unit.
func ParseFilter(expr string) (Filter, error) {
	var f Filter
	for _, word := range strings.FieldsFunc(expr, func(r rune) bool { return r == ' ' || r == ',' || r == '\t' }) {
		p := termPattern.FindStringSubmatch(strings.ToLower(word))
		if p == nil {
			return Filter{}, fmt.Errorf("filter term %q: want a key, an operator and a value such as cores>=8 or gpu<900MHz", clip(word))
		}
		t := term{key: p[1], op: p[2]}
		if t.key == "mem" {
			t.key = "emc"
		}
		var err error
		switch t.key {
		case "cpu", "gpu", "emc":
			var q Freq
			q, err = ParseFreq(p[3])
			t.value = float64(q)
		case "cores", "time", "power", "energy":
			t.value, err = strconv.ParseFloat(strings.TrimRight(p[3], "mswj"), 64)
			if math.IsNaN(t.value) {
				err = fmt.Errorf("not a number")
			}
		default:
			return Filter{}, fmt.Errorf("filter term %q: unknown key %q; known: cores cpu gpu mem time power energy", clip(word), clip(t.key))
		}
		if err != nil {
			return Filter{}, fmt.Errorf("filter term %q: %q is no value for %s", clip(word), clip(p[3]), t.key)
		}
		f.terms = append(f.terms, t)
	}
	return f, nil
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
		return v != t.value
	}
	return v == t.value
}

// Filter gives the members whose knobs pass f. It may be empty.
func (s *Space) Filter(f Filter) *Space {
	return s.where(func(m Mode) bool { return f.Match(Measured{Mode: m}) })
}
