package harness

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"jtune/internal/lazyregexp"
	"jtune/profiles/harness/detect"
	"jtune/tegra"
)

// reader extracts events from the output of a program that knows nothing of jtune. It is used by one goroutine at a
// time.
type reader interface {
	// read reads a line that arrived at now. ok reports whether it holds the program's numbers, with or without events.
	// whole is false for a progress bar that is not finished yet.
	read(text []byte, now time.Duration, whole bool) (events []Event, ok bool)
}

// summing is a reader of numbers that a program prints at its end.
type summing interface {
	// summary returns the printed result; nil while it is incomplete.
	summary() *Event
}

// Summary is the result that a program prints at its end instead of single batches.
type Summary struct {
	TimeMS         float64            // of a batch: the median where known
	P50, P95, P99  tegra.Val[float64] // latency of a request or batch, in ms
	TTFTMS, TPOTMS tegra.Val[float64] // medians of the first and of each further token
	Requests       int                // behind the latencies; 0: unknown
}

// tools make the readers of the known programs, in addition to reports.
var tools = map[string]func(command []string) reader{
	"llama-bench":         newLlamaBench,
	"ultralytics-predict": func([]string) reader { return &ultralyticsPredict{} },
	"aiperf":              func([]string) reader { return &aiperf{} },
}

// EndsWithSummary reports whether a pattern reads a program that prints its numbers at its end.
func EndsWithSummary(pattern string) bool { return reports[pattern] != nil || pattern == "aiperf" }

// toolOf returns the reader of a known program; nil for other names.
func toolOf(name string, command []string) reader {
	if of := reports[name]; of != nil {
		return newReporting(of, command)
	}
	if tool := tools[name]; tool != nil {
		return tool(command)
	}
	return nil
}

// readerOf returns the reader of a job's output; nil: only events of the protocol are read.
func readerOf(o ExecOptions) (_ reader, err error) {
	if tool := toolOf(o.Pattern, o.Command); tool != nil {
		return tool, nil
	}
	if o.Pattern == "" && o.Detect == nil {
		return nil, nil
	}
	var with Detect
	if o.Detect != nil {
		with = *o.Detect
	}
	var own *pattern
	if slices.Contains(detect.Forms(), o.Pattern) {
		with.Only = o.Pattern
	} else if o.Pattern != "" {
		with.Only = ""
		if own, err = newPattern(o.Pattern); err != nil {
			return nil, err
		}
	}
	d := newDetecting(with, o.Command)
	d.own, d.speaks = own, o.Protocol
	return d, nil
}

// knownPatterns lists the names that a pattern may have.
func knownPatterns() []string {
	names := slices.Concat(slices.Collect(maps.Keys(tools)), slices.Collect(maps.Keys(reports)), detect.Forms())
	slices.Sort(names)
	return slices.Compact(names)
}

// plainLine returns a line without colours and surrounding spaces.
func plainLine(text []byte) string { return strings.TrimSpace(string(escapes.ReplaceAll(text, nil))) }

// positive parses a number above 0; absent if it is none.
func positive(text string) tegra.Val[float64] {
	v, err := strconv.ParseFloat(text, 64)
	return tegra.Val[float64]{V: v, OK: err == nil && v > 0 && v < maxTimeMS}
}

// find returns the first group of an expression in a line, as a positive number.
func find(re *lazyregexp.Regexp, line string) tegra.Val[float64] {
	if m := re.FindStringSubmatch(line); m != nil {
		return positive(m[1])
	}
	return tegra.Val[float64]{}
}

// argument returns the value of an option in a command: "-n 32", "--duration=10"; "" if it is not given.
func argument(command []string, names ...string) string {
	for i, word := range command {
		name, value, joined := strings.Cut(word, "=")
		switch {
		case !slices.Contains(names, name):
		case joined:
			return value
		case i+1 < len(command):
			return command[i+1]
		}
	}
	return ""
}

// summed returns the event of a program's own summary: units in a span that ended at end. It returns nil when numbers
// are missing.
func summed(end, span time.Duration, units float64, s Summary) *Event {
	if end <= 0 || span <= 0 || span.Seconds()*1000 > maxTimeMS || !(units >= 1) || units > maxCount ||
		!(s.TimeMS > 0) || s.TimeMS > maxTimeMS {
		return nil
	}
	return &Event{Kind: Infer, T: end, TimeMS: float64(span) / float64(time.Millisecond), N: int(units + 0.5),
		Summary: &s}
}

func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }
