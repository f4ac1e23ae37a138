package harness

import (
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"jtune/profiles/harness/detect"
	"jtune/tegra"
)

// reader reads events out of the lines of a program that knows nothing of jtune. It is used by one goroutine at a
// time.
type reader interface {
	// read reads a line that came at now. ok reports whether it has the program's numbers, with events or not. whole is
	// false for a progress bar that is not finished yet.
	read(text []byte, now time.Duration, whole bool) (events []Event, ok bool)
}

// summing is a reader of numbers that a program prints when it ends.
type summing interface {
	// summary is what was printed; nil where it is not all there.
	summary() *Event
}

// Summary is what a program says of itself when it ends, in place of single batches.
type Summary struct {
	TimeMS         float64            // of a batch: the median where it is known
	P50, P95, P99  tegra.Val[float64] // latency of a request or batch, in ms
	TTFTMS, TPOTMS tegra.Val[float64] // medians of the first and of each further token
	Requests       int                // of which the latencies are; 0: not said
}

// tool is a program whose output is read.
type tool struct {
	make func(command []string) reader
	sums bool // its numbers come when it ends
}

// tools are the programs that are read by name.
var tools = map[string]tool{
	"llama-bench":         {make: newLlamaBench},
	"trtexec":             {make: newTrtexec, sums: true},
	"perf_analyzer":       {make: newPerfAnalyzer, sums: true},
	"deepstream":          {make: func([]string) reader { return &deepstream{} }},
	"ultralytics-predict": {make: func([]string) reader { return &ultralyticsPredict{} }},
	"vllm":                {make: func([]string) reader { return &vllmBench{} }, sums: true},
	"edge-llm":            {make: func([]string) reader { return &edgeLLM{} }, sums: true},
	"aiperf":              {make: func([]string) reader { return &aiperf{} }, sums: true},
}

// EndsWithSummary reports whether a pattern reads a program that prints its numbers when it ends.
func EndsWithSummary(pattern string) bool { return tools[pattern].sums }

// newReader returns the reader of a pattern: of a tool by name, or of an expression.
func newReader(pattern string, command []string) (reader, error) {
	if t, ok := tools[pattern]; ok {
		return t.make(command), nil
	}
	if slices.Contains(detect.Forms(), pattern) {
		return newDetecting(Detect{Options: detect.Options{Only: pattern}}, command), nil
	}
	own, err := newPattern(pattern)
	if err != nil {
		return nil, err
	}
	d := newDetecting(Detect{}, command)
	d.own = own
	return d, nil
}

// knownPatterns lists the names that a pattern may have.
func knownPatterns() string {
	names := slices.Concat(slices.Collect(maps.Keys(tools)), detect.Forms())
	slices.Sort(names)
	return strings.Join(slices.Compact(names), " ")
}

// plainLine is a line without what colours it and without spaces around it.
func plainLine(text []byte) string { return strings.TrimSpace(string(escapes.ReplaceAll(text, nil))) }

// positive reads a number above 0; absent where it is none.
func positive(text string) tegra.Val[float64] {
	v, err := strconv.ParseFloat(text, 64)
	return tegra.Val[float64]{V: v, OK: err == nil && v > 0 && v < maxTimeMS}
}

// find is the first group of an expression in a line, as a positive number.
func find(re *regexp.Regexp, line string) tegra.Val[float64] {
	if m := re.FindStringSubmatch(line); m != nil {
		return positive(m[1])
	}
	return tegra.Val[float64]{}
}

// argument is the value of an option in a command: "-n 32", "--duration=10"; "" where it is not given.
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

// summed is the event of a program's own summary: units in a span that ended at end. Absent numbers make none.
func summed(end, span time.Duration, units float64, s Summary) *Event {
	if end <= 0 || span <= 0 || span.Seconds()*1000 > maxTimeMS || !(units >= 1) || units > maxCount ||
		!(s.TimeMS > 0) || s.TimeMS > maxTimeMS {
		return nil
	}
	return &Event{Kind: Infer, T: end, TimeMS: float64(span) / float64(time.Millisecond), N: int(units + 0.5),
		Summary: &s}
}

func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }
