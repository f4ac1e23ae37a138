package tegratest

import (
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// printedUnits are the units of texts: the unit of Numbers, and how many of it one is.
var printedUnits = map[string]struct {
	of    string
	scale float64
}{"GHz": {"Hz", 1e9}, "MHz": {"Hz", 1e6}, "°C": {"°C", 1}, "W": {"W", 1}, "V": {"V", 1}, "A": {"A", 1}, "%": {"%", 1},
	"rpm": {"rpm", 1}, "GB": {"B", 1e9}}

var (
	printedNumber   = regexp.MustCompile(`^[-+]?\d+(,\d{3})*(\.\d+)?$`)
	printedNotation = regexp.MustCompile(`^(\d+)c/([\d.]+)C/([\d.]+)G/([\d.]+)M$`)
	ownMeasure      = regexp.MustCompile(`^(s|min|h|ms|µs|k?J|Wh|[kM]?B/s|reads/s)$`)
)

// Printed walks a text: it returns how many numbers it says, and those that are not the tree's to the digits shown.
// Numbers of an own measure (times, energy) do not count. A number without a unit is one of the tree's counts, or has
// the unit of a number beside it or one that the text's headings say.
func (n Numbers) Printed(text string, headings ...string) (count int, strange []string) {
	const most = 3 // words between a number and a unit that another number has: "649 MHz of 2601"
	words := strings.Fields(strings.ReplaceAll(text, "\u00a0", " "))
	for i, word := range words {
		before, after := "", ""
		if i > 0 {
			before = words[i-1]
		}
		if i+1 < len(words) {
			after = strings.Trim(words[i+1], "(),;:.")
		}
		if cut := strings.TrimSuffix(word, "…"); cut != word && printedNumber.MatchString(cut) {
			strange = append(strange, word)
			continue
		}
		word = strings.Trim(word, "(),;:=×…")
		if m := printedNotation.FindStringSubmatch(word); m != nil {
			count += 4
			known := n.near(m[1], "", 1)
			for _, clock := range m[2:] {
				known = known && n.near(clock, "Hz", 1e9)
			}
			if !known {
				strange = append(strange, word)
			}
			continue
		}
		parts := strings.Split(strings.ReplaceAll(word, "–", "/"), "/")
		if before == "L4T" || before == "JetPack" || ownMeasure.MatchString(after) {
			continue // a name, or an own measure
		}
		for _, part := range parts {
			if !printedNumber.MatchString(part) {
				continue
			}
			count++
			unit, has := printedUnits[after]
			known := has && n.near(part, unit.of, unit.scale)
			if !has {
				known = n.near(part, "", 1)
				around := words[max(0, i-most):min(len(words), i+most+1)]
				for _, heading := range slices.Concat(around, headings) {
					u, is := printedUnits[strings.Trim(heading, "(),;:.")]
					known = known || is && n.near(part, u.of, u.scale)
				}
			}
			if !known {
				strange = append(strange, before+" "+part+" "+after)
			}
		}
	}
	return count, strange
}

// near reports whether a printed number is a number of the tree in that unit, to the digits shown. Counts have no unit.
func (n Numbers) near(printed, unit string, scale float64) bool {
	printed = strings.ReplaceAll(printed, ",", "")
	v, err := strconv.ParseFloat(printed, 64)
	_, decimals, _ := strings.Cut(printed, ".")
	for name, is := range n {
		at := strings.LastIndexByte(name, ' ')
		_, measured := unitsOfNumbers[name[at+1:]]
		if unit == "" && measured || unit != "" && name[at+1:] != unit {
			continue
		}
		if err == nil && math.Abs(is/scale-v) <= 0.501*math.Pow10(-len(decimals)) {
			return true
		}
	}
	return false
}

// unitsOfNumbers are the units of Numbers.
var unitsOfNumbers = map[string]bool{"Hz": true, "°C": true, "W": true, "V": true, "A": true, "%": true, "rpm": true,
	"B": true}
