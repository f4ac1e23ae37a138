package tui_test

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"jtune/internal/must"
)

// fact is one statement of a command or a screen: its subject, a quantity or property, and the value.
type fact struct {
	of, name string // such as "mobilenet, batch 16" and "memory"
	said     string // as printed
	by       string // the command or the page
}

// contradictions returns the statements that cannot both be true: two about one property of a subject with different
// words, or with numbers that differ by more than rounding.
func contradictions(facts []fact) (wrong []string) {
	first := map[string][]fact{}
	for _, f := range facts {
		key := f.of + "\x00" + f.name
		for _, g := range first[key] {
			if !agrees(f.said, g.said) {
				wrong = append(wrong, fmt.Sprintf("%s: %s is %s by %s, and %s by %s", f.of, f.name, g.said, g.by,
					f.said, f.by))
				break
			}
		}
		first[key] = append(first[key], f)
	}
	return wrong
}

// agrees reports whether two statements may both be true.
func agrees(a, b string) bool {
	if a == b {
		return true
	}
	x, roundX, okX := quantity(a)
	y, roundY, okY := quantity(b)
	return okX && okY && math.Abs(x-y) <= 1.001*(roundX+roundY)
}

// units are the units of statements, in base units; values of one quantity can be compared.
var units = map[string]float64{"": 1, "%": 1, "W": 1, "ms": 1e-3, "s": 1, "min": 60, "h": 3600, "MB": 1e6, "GB": 1e9,
	"J": 1, "mJ": 1e-3, "Wh": 3600, "/s": 1}

// quantity returns a printed number in its base unit, and its rounding error.
func quantity(said string) (value, rounding float64, ok bool) {
	number, unit, _ := strings.Cut(strings.TrimLeft(said, "+±"), " ")
	scale, known := units[unit]
	number = strings.ReplaceAll(number, ",", "")
	v, err := strconv.ParseFloat(number, 64)
	if err != nil || !known {
		return 0, 0, false
	}
	_, decimals, _ := strings.Cut(number, ".")
	return v * scale, scale * 0.5 * math.Pow10(-len(decimals)), true
}

// told returns the statements in a text, found by patterns with named groups: memory__GB is the fact memory in GB,
// limit the fact limit in words. Patterns without a match are in missed: a statement that disappears must be noticed.
func told(of, by, text string, patterns ...string) (facts []fact, missed []string) {
	for _, pattern := range patterns {
		re := regexp.MustCompile("(?m)" + pattern)
		m := re.FindStringSubmatch(text)
		if m == nil {
			missed = append(missed, fmt.Sprintf("%s says nothing like %s:\n%s", by, pattern,
				text[:min(len(text), 3000)]))
			continue
		}
		for i, group := range re.SubexpNames() {
			if group == "" || m[i] == "" {
				continue
			}
			name, unit, isNumber := strings.Cut(group, "__")
			said := strings.TrimSpace(m[i])
			if isNumber {
				said = strings.TrimSpace(said + " " + unitNames[unit])
			}
			facts = append(facts, fact{of, strings.ReplaceAll(name, "_", " "), said, by})
		}
	}
	return facts, missed
}

// unitNames are the units as group names can contain them.
var unitNames = map[string]string{"": "", "pct": "%", "W": "W", "ms": "ms", "s": "s", "min": "min", "h": "h",
	"MB": "MB", "GB": "GB", "J": "J", "mJ": "mJ", "Wh": "Wh", "per_s": "/s"}

func TestFactsThatDifferAreAContradiction(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		a, b   fact
		differ bool
	}{
		{fact{of: "mobilenet", name: "fits", said: "yes"}, fact{of: "mobilenet", name: "fits", said: "no"}, true},
		{fact{of: "mobilenet", name: "fits", said: "yes"}, fact{of: "resnet18", name: "fits", said: "no"}, false},
		{fact{of: "board", name: "fits", said: "yes"}, fact{of: "board", name: "present mode", said: "no"}, false},
		{fact{of: "a", name: "memory", said: "6650 MB"}, fact{of: "a", name: "memory", said: "6.7 GB"}, false},
		{fact{of: "a", name: "memory", said: "6650 MB"}, fact{of: "a", name: "memory", said: "6.5 GB"}, true},
		{fact{of: "a", name: "epoch", said: "16.4 min"}, fact{of: "a", name: "epoch", said: "984 s"}, false},
		{fact{of: "a", name: "epoch", said: "16.4 min"}, fact{of: "a", name: "epoch", said: "988 s"}, true},
		{fact{of: "a", name: "error", said: "6.5 %"}, fact{of: "a", name: "error", said: "±6.51 %"}, false},
		{fact{of: "a", name: "error", said: "6.5 %"}, fact{of: "a", name: "error", said: "±15.2 %"}, true},
		{fact{of: "a", name: "lever", said: "GPU"}, fact{of: "a", name: "lever", said: "EMC"}, true},
		{fact{of: "a", name: "modes", said: "1,443"}, fact{of: "a", name: "modes", said: "1443"}, false},
		{fact{of: "a", name: "power", said: "9.77 W"}, fact{of: "a", name: "power", said: "9.77 ms"}, true},
	} {
		must.Equal(t, len(contradictions([]fact{c.a, c.b})) > 0, c.differ, c.a, c.b)
	}
	facts, missed := told("a", "tune", "at 9.77 W, in 680.3 ms\n", `at (?P<power__W>\S+) W, in (?P<time__ms>\S+) ms`,
		`^bound by (?P<bound>\w+)`)
	want := []fact{{"a", "power", "9.77 W", "tune"}, {"a", "time", "680.3 ms", "tune"}}
	if !slices.Equal(facts, want) || len(missed) != 1 || !strings.Contains(missed[0], "bound by") {
		t.Errorf("told %v, missed %v", facts, missed)
	}
}
