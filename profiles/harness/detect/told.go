package detect

import (
	"strings"
	"time"
)

// rateUnit is what a number is of: a rate per second, or a time per unit.
type rateUnit struct {
	unit  string  // Step, Token, …; "" for a time that does not say of what
	scale float64 // ms of the time unit; 0: a rate per second
}

// seconds are the units of time in ms.
var seconds = map[string]float64{"s": 1000, "sec": 1000, "secs": 1000, "second": 1000, "seconds": 1000, "ms": 1,
	"msec": 1, "msecs": 1, "millisecond": 1, "milliseconds": 1, "us": 0.001, "usec": 0.001, "usecs": 0.001}

// ms is the time of a unit where the number is v.
func (u rateUnit) ms(v float64) float64 {
	if u.scale == 0 {
		return 1000 / v
	}
	return v * u.scale
}

// unitAfter reads what follows a number: it/s, s/it, ms per token, fps, ms.
func unitAfter(rest string) (u rateUnit) {
	rest = strings.ToLower(rest[:min(len(rest), 40)])
	for range 2 {
		rest = strings.TrimPrefix(rest, " ")
	}
	rest = strings.TrimPrefix(rest, "(")
	a, tail := firstWord(rest)
	if t := strings.TrimLeft(tail, " "); t != "" && (t[0] == '=' || t[0] == ':') {
		return u // the word names the next number
	}
	switch a {
	case "":
		return u
	case "fps":
		return rateUnit{unit: Frame}
	case "qps":
		return rateUnit{unit: Inference}
	}
	b := ""
	for _, per := range []string{"/", " / ", " per ", "_per_"} {
		if t, ok := strings.CutPrefix(tail, per); ok {
			b, _ = firstWord(t)
			break
		}
	}
	if scale, isTime := seconds[a]; isTime && b == "" {
		return rateUnit{scale: scale}
	} else if of, ok := units[b]; ok && isTime {
		return rateUnit{unit: of, scale: scale}
	}
	if of, ok := units[a]; ok && seconds[b] == 1000 {
		return rateUnit{unit: of}
	}
	return u
}

// afterUnit is what of the text between two numbers belongs to the second one.
func afterUnit(between string) string {
	if unitAfter(between).unit == "" {
		return between
	}
	if i := strings.IndexAny(between, ",;()|"); i >= 0 {
		return between[i+1:]
	}
	return ""
}

func firstWord(s string) (w, rest string) {
	i := 0
	for i < len(s) && letter(s[i]) {
		i++
	}
	return s[:i], s[i:]
}

// unitBefore reads the words before a number: fps, steps_per_second, tokens/s, ms/step, time per iteration (ms).
func unitBefore(prefix string, after rateUnit) (u rateUnit, ok bool) {
	p := strings.ToLower(strings.TrimRight(prefix[max(0, len(prefix)-60):], " :=|\"'([~"))
	p = strings.ReplaceAll(strings.TrimRight(p, ")"), "_", " ")
	f := strings.FieldsFunc(p, func(r rune) bool { return !(r >= 'a' && r <= 'z' || r == '/') })
	if len(f) == 0 {
		return u, false
	}
	last := f[len(f)-1]
	scale, timed := after.scale, after.scale > 0 && after.unit == ""
	if s, isUnit := seconds[last]; isUnit && len(f) > 1 && !timed && len(last) < 8 && last != "second" {
		scale, timed = s, true
		f = f[:len(f)-1]
		last = f[len(f)-1]
	}
	if last == "fps" && !timed {
		return rateUnit{unit: Frame}, true
	}
	if a, b, cut := strings.Cut(last, "/"); cut {
		switch {
		case units[a] != "" && seconds[b] == 1000 && !timed:
			return rateUnit{unit: units[a]}, true
		case seconds[a] > 0 && units[b] != "":
			return rateUnit{unit: units[b], scale: seconds[a]}, true
		case a == "time" && units[b] != "" && timed:
			return rateUnit{unit: units[b], scale: scale}, true
		}
		return u, false
	}
	n := len(f)
	if n >= 3 && f[n-2] == "per" {
		switch {
		case units[f[n-3]] != "" && seconds[last] == 1000 && !timed:
			return rateUnit{unit: units[f[n-3]]}, true
		case seconds[f[n-3]] > 0 && units[last] != "":
			return rateUnit{unit: units[last], scale: seconds[f[n-3]]}, true
		case units[last] != "" && timed:
			return rateUnit{unit: units[last], scale: scale}, true
		}
	}
	if n >= 3 && f[n-3] == "per" && (last == "time" || last == "cost") && units[f[n-2]] != "" && timed {
		return rateUnit{unit: units[f[n-2]], scale: scale}, true
	}
	if n >= 2 && (last == "time" || last == "cost" || last == "duration") && timed && units[f[n-2]] == Step {
		return rateUnit{unit: Step, scale: scale}, true
	}
	return u, false
}

// told finds the times and rates that a line states. They count only where the line, or the clock, says of what.
func (d *Detector) told(line string, nums []number, used []bool, now time.Duration) (out []*candidate) {
	for i, n := range nums {
		if used[i] || !(n.v > 0) {
			continue
		}
		from := 0
		if i > 0 {
			from = nums[i-1].to
		}
		u := unitAfter(line[n.to:])
		plain := false
		if u.unit == "" {
			before, ok := unitBefore(afterUnit(line[from:n.from]), u)
			switch {
			case ok:
				u = before
			case u.scale > 0 && !n.glued:
				plain = true
			default:
				continue
			}
		}
		unit := u.unit
		if plain {
			unit = Step
		}
		c := d.find(found{form: formOf(line, "rate"), unit: unit, name: line[:n.from], stated: true, plain: plain})
		if c == nil {
			continue
		}
		c.example = line
		c.tell(u.ms(n.v), 0, now)
		out = append(out, c)
	}
	return out
}
