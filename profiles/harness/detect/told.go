package detect

import (
	"slices"
	"strings"
	"time"
)

// rateUnit is the unit of a number: a rate per second, or a time per unit.
type rateUnit struct {
	unit  string  // Step, Token, …; "" for a time of something unknown
	scale float64 // ms of the time unit; 0: a rate per second
}

// seconds maps units of time to ms.
var seconds = map[string]float64{"s": 1000, "sec": 1000, "secs": 1000, "second": 1000, "seconds": 1000, "ms": 1,
	"msec": 1, "msecs": 1, "millisecond": 1, "milliseconds": 1, "us": 0.001, "usec": 0.001, "usecs": 0.001}

// ms returns the time per unit for the number v.
func (u rateUnit) ms(v float64) float64 {
	if u.scale == 0 {
		return 1000 / v
	}
	return v * u.scale
}

// unitAfter parses the text after a number: it/s, s/it, ms per token, fps, ms.
func unitAfter(rest string) (u rateUnit) {
	rest = strings.ToLower(rest[:min(len(rest), 40)])
	for range 2 {
		rest = strings.TrimPrefix(rest, " ")
	}
	rest = strings.TrimPrefix(rest, "(")
	a, tail := firstWord(rest)
	if namesNext(tail) {
		return u
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
	for _, per := range []string{"/", " / ", " per ", "_per_", "-per-"} {
		if t, ok := strings.CutPrefix(tail, per); ok {
			if b, tail = firstWord(t); namesNext(tail) {
				return u
			}
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

// namesNext reports whether the word before tail is the name of the next number.
func namesNext(tail string) bool {
	t := strings.TrimLeft(tail, " ")
	return t != "" && (t[0] == '=' || t[0] == ':')
}

// unitOf parses the text after a number, unless that names the next one.
func unitOf(line string, n number) rateUnit {
	if n.namesNext {
		return rateUnit{}
	}
	return unitAfter(line[n.to:])
}

// ordered notes which numbers are followed by the name of the next one. A word between two of them may be that or a
// unit: in frame 300 fps 30.0 a name begins the row and no unit ends it.
func ordered(line string, nums []number) {
	for i := 0; i < len(nums); i++ {
		from := i
		for i+1 < len(nums) && eitherWay(line[nums[i].to:nums[i+1].from]) {
			i++
		}
		rest := line[nums[i].to:]
		if !direct(line[:nums[from].from]) || unitAfter(rest) != (rateUnit{}) || strings.HasPrefix(rest, "/") {
			continue
		}
		for k := from; k < i; k++ {
			nums[k].namesNext = true
		}
	}
}

// eitherWay reports whether the text between two numbers is one word that may be the unit of the first one.
func eitherWay(between string) bool {
	w, tail := firstWord(strings.TrimLeft(between, " "))
	return between[0] == ' ' && tail != "" && strings.TrimLeft(tail, " ") == "" &&
		(counters[strings.ToLower(w)] != "" || unitAfter(between) != (rateUnit{}))
}

// afterUnit returns the part of the text between two numbers that belongs to the second one.
func afterUnit(line string, n, next number) string {
	between := line[n.to:next.from]
	if unitOf(line, n).unit == "" {
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

// unitBefore parses the words before a number: fps, steps_per_second, tokens/s, ms/step, time per iteration (ms).
func unitBefore(prefix string, after rateUnit) (u rateUnit, ok bool) {
	p := strings.ToLower(strings.TrimRight(prefix[max(0, len(prefix)-60):], " :=|\"'([~"))
	p = strings.ReplaceAll(strings.TrimRight(p, ")"), "_", " ")
	f := strings.FieldsFunc(p, func(r rune) bool { return !(r >= 'a' && r <= 'z' || r == '/') })
	if len(f) == 0 {
		return u, false
	}
	last := f[len(f)-1]
	scale, timed := after.scale, after.scale > 0 && after.unit == ""
	if s, isUnit := seconds[last]; isUnit && len(f) > 1 && f[len(f)-2] != "per" && !timed && len(last) < 8 &&
		last != "second" {
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
	if n >= 3 && f[n-3] == "per" && slices.Contains(durations, last) && units[f[n-2]] != "" && timed {
		return rateUnit{unit: units[f[n-2]], scale: scale}, true
	}
	if n >= 2 && slices.Contains(durations, last) && timed && units[f[n-2]] == Step {
		return rateUnit{unit: Step, scale: scale}, true
	}
	return u, false
}

// ofQuestion reports whether the words before a rate refer to the prompt, not the answer.
func ofQuestion(own string) bool {
	own = strings.ToLower(own)
	return (strings.Contains(own, "prefill") || strings.Contains(own, "prompt")) &&
		!strings.Contains(own, "decod") && !strings.Contains(own, "generat")
}

// ofBar reports whether a number follows the two times in the brackets of a bar: [00:02<00:04, 19.9it/s]. It is the
// bar's rate, which the clock gives more accurately.
func ofBar(before string) bool {
	i := strings.LastIndexByte(before, '[')
	return i >= 0 && strings.Contains(before[i:], "<") && strings.Count(before[i:], ",") == 1 &&
		strings.HasSuffix(strings.TrimRight(before, " "), ",")
}

// stated is a time or rate in a line.
type stated struct {
	at    int // of its number
	unit  rateUnit
	plain bool
}

// told finds the times and rates stated in a line. They count only where nothing in the line is counted, and only if
// the clock agrees.
func (d *Detector) told(line string, nums []number, all []stated, now time.Duration) {
	if rate := streams(line, nums, all); rate > 0 {
		if c := d.find(found{form: "streams", unit: all[0].unit.unit, name: line[:nums[all[0].at].from],
			stated: true}); c != nil {
			c.example, c.what = line, "all streams"
			c.tell(1000/rate, 0, "", now, &d.log)
		}
		return
	}
	for _, s := range all {
		n, unit, covers := nums[s.at], s.unit.unit, 0.0
		if s.plain {
			unit, covers = covered(line, nums, s.at)
		}
		c := d.find(found{form: "rate", unit: unit, name: line[:n.from], stated: true, plain: s.plain})
		if c == nil {
			continue
		}
		from := 0
		if s.at > 0 {
			from = nums[s.at-1].to
		}
		if ofQuestion(line[from:n.from]) || ofQuestion(line[strings.LastIndexAny(line[:n.from], "|;")+1:n.from]) {
			c.polarity = against
		}
		c.example, c.ambiguous = line, c.ambiguous || n.ambiguous
		c.inverse = (c.inverse || len(c.marks) == 0) && s.inverse(nums, all)
		c.tell(s.unit.ms(n.v)/max(1, covers), covers, line[:n.from], now, &d.log)
	}
}

// inverse reports whether a rate says no more than a time without a unit in the same line: 11.2 ms (89.3 FPS).
func (s stated) inverse(nums []number, all []stated) bool {
	return s.unit.scale == 0 && slices.ContainsFunc(all, func(o stated) bool {
		ratio := o.unit.ms(nums[o.at].v) / s.unit.ms(nums[s.at].v)
		return o.plain && ratio < apart && apart*ratio > 1
	})
}

// covered returns what a time without a unit covers, and how much of it: 10 steps in 0.5 s, 5.0 sec/100 iters. Without
// a number beside it, it covers a step.
func covered(line string, nums []number, at int) (unit string, n float64) {
	for _, i := range []int{at - 1, at + 1} {
		if i < 0 || i >= len(nums) || !nums[i].whole || nums[i].v < 2 || nums[i].glued || clock(line, nums[i]) {
			continue
		}
		w, _ := firstWord(strings.TrimPrefix(line[nums[i].to:], " "))
		between := line[min(nums[i].to, nums[at].to):max(nums[i].from, nums[at].from)]
		if of := units[strings.ToLower(w)]; of != "" && !strings.ContainsAny(between, ",;|()") {
			return of, nums[i].v
		}
	}
	return timed(line[:nums[at].from]), 0
}

// timed returns what a time without a unit is one of, by the words before it: "Frame time: 40 ms".
func timed(prefix string) string {
	if w := words(prefix, 2); len(w) == 2 && slices.Contains(durations, w[1]) {
		switch of := units[w[0]]; of {
		case Frame, Inference, Request:
			return of
		}
	}
	return Step
}

// durations are words for the time of something.
var durations = strings.Fields("time cost duration latency")

// times returns the numbers in a line that are times or rates.
func times(line string, nums []number) (out []stated) {
	for i, n := range nums {
		if !(n.v > 0) || ofBar(line[:n.from]) {
			continue
		}
		own := line[:n.from]
		if i > 0 {
			own = afterUnit(line, nums[i-1], n)
		}
		s := stated{at: i, unit: unitOf(line, n)}
		if s.unit.unit == "" {
			before, ok := unitBefore(own, s.unit)
			switch {
			case ok:
				s.unit = before
			case s.unit.scale > 0 && !n.glued:
				s.plain = true
			default:
				continue
			}
		}
		out = append(out, s)
	}
	return out
}

// streams returns the sum of the rates in a line with numbered streams: cam0: 20.0 fps, cam1: 19.9 fps; 0 for other
// lines.
func streams(line string, nums []number, all []stated) (sum float64) {
	if len(all) < 2 {
		return 0
	}
	name, last := "", -1.0
	for i, s := range all {
		if s.plain || s.unit.unit != Frame || s.unit.scale > 0 || s.at == 0 {
			return 0
		}
		index := nums[s.at-1]
		between := strings.ToLower(strings.Trim(line[index.to:nums[s.at].from], " \"':=()[]"))
		label := strings.Join(words(line[:index.from], 1), "")
		if !index.whole || between != "" && between != "fps" || label == "" || i > 0 && label != name ||
			index.v <= last {
			return 0
		}
		name, last = label, index.v
		sum += nums[s.at].v
	}
	return sum
}
