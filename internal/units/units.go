// Package units parses numbers typed with or without a unit: 30, 30W, 30 W, 80ms, 0.08 s, 15min.
package units

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Unit is the unit of a number typed without one.
type Unit string

// The units of flags.
const (
	Watt        Unit = "W"
	Joule       Unit = "J"
	Millisecond Unit = "ms"
	Percent     Unit = "%"
	Celsius     Unit = "°C"
	PerSecond   Unit = "/s"
	Ampere      Unit = "A"
	Volt        Unit = "V"
)

// spellings lists the spellings of a unit and its multiples, with their sizes. The first one is the usual one.
var spellings = map[Unit][]spelling{
	Watt:  {{"W", 1}, {"mW", 1e-3}, {"kW", 1e3}, {"watt", 1}, {"watts", 1}},
	Joule: {{"J", 1}, {"mJ", 1e-3}, {"kJ", 1e3}},
	Millisecond: {{"ms", 1}, {"us", 1e-3}, {"µs", 1e-3}, {"s", 1e3}, {"sec", 1e3}, {"m", 6e4}, {"min", 6e4},
		{"h", 3.6e6}},
	Percent:   {{"%", 1}, {"percent", 1}},
	Celsius:   {{"°C", 1}, {"C", 1}},
	PerSecond: {{"/s", 1}, {"Hz", 1}, {"/min", 1.0 / 60}},
	Ampere:    {{"A", 1}, {"mA", 1e-3}},
	Volt:      {{"V", 1}, {"mV", 1e-3}},
}

type spelling struct {
	name string
	size float64
}

// number matches a number and the text after it.
var number = regexp.MustCompile(`^\s*([-+]?[\d.]+(?:[eE][-+]?\d+)?)\s*(\S*)\s*$`)

// Parse parses a number of unit u. Case matters in multiples: mW is not MW.
func Parse(text string, u Unit) (float64, error) {
	m := number.FindStringSubmatch(text)
	if v, err := strconv.ParseFloat(strings.TrimSpace(text), 64); m == nil && err == nil {
		return v, nil // NaN or infinite: the flag decides whether that is valid
	}
	if m == nil {
		return 0, fmt.Errorf("want a number, such as %s", u.Example())
	}
	v, err := strconv.ParseFloat(m[1], 64)
	if err != nil {
		return 0, fmt.Errorf("want a number, such as %s", u.Example())
	}
	if m[2] == "" {
		return v, nil
	}
	if size, ok := u.Size(m[2]); ok {
		return v * size, nil
	}
	return 0, fmt.Errorf("unit %q: want %s", m[2], u.names())
}

// Size returns how many of u a unit spelled so is; false if it is no spelling of u.
func (u Unit) Size(name string) (float64, bool) {
	for _, s := range spellings[u] {
		if s.name == name || s.size == 1 && strings.EqualFold(s.name, name) {
			return s.size, true
		}
	}
	return 0, false
}

// Example returns a number with the unit.
func (u Unit) Example() string { return "30" + string(u) }

// names lists the spellings of u.
func (u Unit) names() string {
	var names []string
	for _, s := range spellings[u] {
		names = append(names, s.name)
	}
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " or " + names[last]
}

// day is the unit that time.ParseDuration lacks.
const day = 24 * time.Hour

var (
	plain = regexp.MustCompile(`^[-+]?[\d.]+$`)
	part  = regexp.MustCompile(`([\d.]+)(days?|d|hours?|minutes?|min|sec|seconds?)`)
	short = map[string]string{"min": "m", "minute": "m", "minutes": "m", "sec": "s", "second": "s", "seconds": "s",
		"hour": "h", "hours": "h"}
)

// Duration parses a time, such as 80ms, 0.5 s, 15min, 1h30m or 2d; without a unit it is in seconds.
func Duration(text string) (time.Duration, error) {
	word := strings.Join(strings.Fields(text), "")
	if plain.MatchString(word) {
		word += "s"
	}
	var days float64
	word = part.ReplaceAllStringFunc(word, func(found string) string {
		m := part.FindStringSubmatch(found)
		if slices.Contains([]string{"d", "day", "days"}, m[2]) {
			n, _ := strconv.ParseFloat(m[1], 64)
			days += n
			return ""
		}
		return m[1] + short[m[2]]
	})
	long := days * float64(day)
	if word == "" && days > 0 && long < math.MaxInt64/2 {
		return time.Duration(long), nil
	}
	d, err := time.ParseDuration(word)
	if err != nil || long >= math.MaxInt64/2 {
		return 0, fmt.Errorf("want a time, such as 80ms, 30s, 15min or 2h")
	}
	return d + time.Duration(long), nil
}

// Span formats a duration: 350 ms, 42 s, 12 min, 3.4 h, 4.4 days.
func Span(d time.Duration) string {
	switch abs := d.Abs(); {
	case d != 0 && abs < time.Second:
		return fmt.Sprintf("%.0f ms", d.Seconds()*1000)
	case abs < 2*time.Minute:
		return fmt.Sprintf("%.0f s", d.Seconds())
	case abs < 2*time.Hour:
		return fmt.Sprintf("%.0f min", d.Minutes())
	case abs < 3*day:
		return fmt.Sprintf("%.1f h", d.Hours())
	}
	return fmt.Sprintf("%.1f days", d.Hours()/24)
}

// SpanOf is Span of seconds.
func SpanOf(seconds float64) string { return Span(time.Duration(seconds * float64(time.Second))) }

// Ago formats how long ago something happened.
func Ago(d time.Duration) string {
	if text := Age(d); text != "now" {
		return text + " ago"
	}
	return "less than a minute ago"
}

// Age formats how long ago something happened in its largest unit.
func Age(d time.Duration) string {
	switch {
	case d < time.Minute:
		return "now"
	case d < time.Hour:
		return fmt.Sprintf("%d min", int(d.Minutes()))
	case d < 48*time.Hour:
		return fmt.Sprintf("%d h", int(d.Hours()))
	}
	return fmt.Sprintf("%d days", int(d.Hours()/24))
}
