package detect

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"jtune/internal/lazyregexp"
	"jtune/internal/stats"
)

// Report is a program's own result for its whole run, printed at its end.
type Report struct {
	Form, Unit string
	TimeMS     float64 // per unit
	Units      float64 // covered by the result; 0: unknown
}

// How a known line is used.
const (
	during    = iota // it states a time or rate while the work goes on
	answer           // it reports a finished piece of work, such as an answer
	amount           // it says how many units the next piece has, or how many parts follow
	part             // it states a part of a rate, of which the last one completes it
	count            // it counts
	each             // it is printed once per unit
	foremost         // it is the program's result at its end, and where it is printed no other
	report           // it is the program's result
	secondary        // ... where no better line is printed
	lastOf           // ... of which the warm-up prints one too: only the last is the result
	eachModel        // ... which a benchmark prints per model: different times belong to different models
)

// knownLine is a line format whose meaning no rule could derive from its words. Its groups: s, ms, us or ns is the time
// that n units took together (without n: one), rate their number per second, rates those of several streams, done a
// count, of its end and epoch its epoch.
type knownLine struct {
	form, unit, name string
	use              int
	has              string // every such line contains it
	re               *lazyregexp.Regexp
}

var knownLines = []knownLine{
	// eval time =     384.00 ms /    32 tokens (   12.00 ms per token,    83.33 tokens per second)
	{"llama.cpp", Token, "generation", answer, "eval time =",
		lazyregexp.New(`(?:^|[^t] )\s*eval time =\s*(?P<ms>[\d.]+) ms /\s*(?P<n>\d+) (?:tokens|runs)`)},
	// eval rate:            83.33 tokens/s
	{"ollama", Token, "generation", answer, "eval rate:", lazyregexp.New(`^eval rate:\s*(?P<rate>[\d.]+) tokens/s`)},
	// eval count:           32 token(s), before its rate
	{"ollama", Token, "generation", amount, "eval count:", lazyregexp.New(`^eval count:\s*(?P<n>\d+) token`)},
	{"vllm", Token, "generation", during, "generation throughput:",
		lazyregexp.New(`generation throughput: (?P<rate>[\d.]+) tokens/s`)},
	{"sglang", Token, "decode", during, "gen throughput",
		lazyregexp.New(`gen throughput \(token/s\): (?P<rate>[\d.]+)`)},
	// **PERF:  20.00 (20.00)	19.98 (20.00), or {'stream0': 20.0, 'stream1': 19.98}
	{"deepstream", Frame, "all sources", during, "**PERF:",
		lazyregexp.New(`^\*\*PERF:\s+(?P<rates>(?:[\d.]+ \([\d.]+\)\s*)+|\{.*\})$`)},
	// Active sources : 2, before a line of each: 20.00 (20.00)	source_id : 0 stream_name cam
	{"deepstream", Frame, "all sources", amount, "Active sources", lazyregexp.New(`^Active sources : (?P<n>\d+)$`)},
	{"deepstream", Frame, "all sources", part, "source_id",
		lazyregexp.New(`^(?P<rate>[\d.]+) \([\d.]+\)\s+source_id : \d+\s+stream_name `)},
	{"jetson-inference", Frame, "timing report", each, "Timing Report", lazyregexp.New(`^\[TRT\]\s+Timing Report `)},
	// 0: 384x640 3 persons, 35.0ms
	{"ultralytics", Frame, "predict", each, "ms", lazyregexp.New(`^\d+: \d+x\d+ .*[\d.]+ms$`)},
	// llama-bench: benchmark 1/1: generation run 12/60
	{"llama-bench", Run, "generation run", count, "llama-bench: benchmark",
		lazyregexp.New(`: generation run (?P<done>\d+)/(?P<of>\d+)`)},
	// | llama 8B Q4_K - Medium |   4.58 GiB |     8.03 B | CUDA       |  99 |            tg32 |        160.00 ± 0.05 |
	{"llama-bench", Token, "generation", answer, "±",
		lazyregexp.New(`\|\s*tg(?P<n>\d+)(?:\s*@\s*d\d+)?\s*\|\s*(?P<rate>[\d.]+) ± [\d.]+\s*\|`)},
	{"ros", Frame, "messages", during, "average rate:", lazyregexp.New(`^average rate: (?P<rate>[\d.]+)$`)},
	// (epoch: 1, iters: 100, time: 0.013, data: 0.001) G_GAN: 1.2: CycleGAN counts images
	{"cyclegan", Sample, "iters", count, "iters: ",
		lazyregexp.New(`^\(epoch: (?P<epoch>\d+), iters: (?P<done>\d+), time: `)},
	{"mlperf", Inference, "", report, "latency (ns)",
		lazyregexp.New(`^50\.00 percentile latency \(ns\)\s*: (?P<ns>\d+)$`)},
	{"mlperf", Inference, "", secondary, "latency (ns)", lazyregexp.New(`^Mean latency \(ns\)\s*: (?P<ns>\d+)$`)},
	{"mlperf", Inference, "", foremost, "Samples per second", lazyregexp.New(`^Samples per second\s*: (?P<rate>[\d.]+)$`)},
	{"whisper.cpp", Run, "", report, "total time",
		lazyregexp.New(`whisper_print_timings:\s+total time =\s*(?P<ms>[\d.]+) ms`)},
	{"onnxruntime", Inference, "", report, "Average inference time cost",
		lazyregexp.New(`Average inference time cost(?: total)?: (?P<ms>[\d.]+) ms`)},
	{"onnxruntime", Inference, "", secondary, "inferences per second",
		lazyregexp.New(`Number of inferences per second: (?P<rate>[\d.]+)`)},
	{"genai-perf", Token, "", report, "Inter token latency (ms)",
		lazyregexp.New(`Inter token latency \(ms\)\s*[│┃|]\s*(?P<ms>[\d.,]+)`)},
	{"genai-perf", Token, "", secondary, "Output token throughput (",
		lazyregexp.New(`Output token throughput \((?:per sec|tokens/sec)\)\s*[│┃|]\s*(?P<rate>[\d.,]+)`)},
	{"trtllm-bench", Token, "", report, "time-per-output-token",
		lazyregexp.New(`Average time-per-output-token \[TPOT\] \(ms\):\s*(?P<ms>[\d.]+)`)},
	{"trtllm-bench", Token, "", secondary, "Total Output Throughput",
		lazyregexp.New(`Total Output Throughput \(tokens/sec\):\s*(?P<rate>[\d.]+)`)},
	{"trtexec", Inference, "", report, "median", lazyregexp.New(`\[I\] median: (?P<ms>[\d.]+) ms`)},
	{"tflite", Inference, "", report, "Inference", lazyregexp.New(`Inference \(avg\): (?P<us>[\d.e+]+)`)},
	{"tflite", Inference, "", report, "no stats:", lazyregexp.New(`timings in us: .*no stats: (?P<us>[\d.e+]+)`)},
	{"tflite", Inference, "", lastOf, "avg=",
		lazyregexp.New(`count=\d+ first=\d+ curr=\d+ min=\d+ max=\d+ avg=(?P<us>[\d.e+]+)`)},
	{"openvino", Inference, "", report, "Median:", lazyregexp.New(`Median:\s+(?P<ms>[\d.]+) ms$`)},
	{"vllm", Token, "", report, "output tokens/s",
		lazyregexp.New(`^Throughput: .* (?P<rate>[\d.]+) output tokens/s$`)},
	{"tensorrt-llm", Token, "", report, "[BENCHMARK]", lazyregexp.New(`\[BENCHMARK\].* tokens_per_sec (?P<rate>[\d.]+)`)},
	{"tvm", Inference, "", report, "inference time (std",
		lazyregexp.New(`[Mm]ean inference time \(std[^)]*\): (?P<ms>[\d.]+) ms`)},
	{"mnn", Inference, "", eachModel, "[ - ]", lazyregexp.New(`^\[ - \] .* ms\s+avg = +(?P<ms>[\d.]+) ms$`)},
	{"ncnn", Inference, "", eachModel, "avg =",
		lazyregexp.New(`min = +[\d.]+ +max = +[\d.]+ +avg = +(?P<ms>[\d.]+)$`)},
	{"piper", Run, "", report, "Real-time factor", lazyregexp.New(`infer=(?P<s>[\d.]+) sec`)},
}

// knownForms returns the names of the known lines.
func knownForms() (names []string) {
	for _, k := range knownLines {
		names = append(names, k.form)
	}
	return names
}

// ignoredLines count no steps: another line gives the same more accurately, or they are about something else.
var ignoredLines = []string{"prompt eval", "load time =", "sample time =", "sampling time =", "total time =",
	"eval_samples_per_second", "train_samples_per_second", "[TRT]", "KV cache usage", "Speed: ",
	"llama-bench: benchmark"}

// known takes a line of a known format.
func (d *Detector) known(line string, now time.Duration, whole bool) bool {
	for i := range knownLines {
		k := &knownLines[i]
		if !strings.Contains(line, k.has) {
			continue
		}
		if m := k.re.FindStringSubmatch(line); m != nil {
			if whole {
				d.takeKnown(k, m, line, now)
			}
			return true
		}
	}
	for _, has := range ignoredLines {
		if strings.Contains(line, has) {
			return !(has == "Speed: " && !strings.Contains(line, "preprocess"))
		}
	}
	return false
}

// group returns the number that a group found; 0 for none.
func (k *knownLine) group(m []string, name string) float64 {
	if i := k.re.SubexpIndex(name); i >= 0 {
		v, _ := strconv.ParseFloat(strings.ReplaceAll(m[i], ",", ""), 64)
		return v
	}
	return 0
}

// unitMS returns the time of a unit that a line states; 0 for none.
func (k *knownLine) unitMS(m []string) float64 {
	for name, ms := range map[string]float64{"s": 1000, "ms": 1, "us": 1e-3, "ns": 1e-6} {
		if v := k.group(m, name); v > 0 {
			return v * ms / max(1, k.group(m, "n"))
		}
	}
	rate := k.group(m, "rate")
	if i := k.re.SubexpIndex("rates"); i >= 0 {
		for _, n := range numbers(m[i]) {
			if !n.glued && (n.from == 0 || m[i][n.from-1] != '(') {
				rate += n.v
			}
		}
	}
	if rate > 0 {
		return 1000 / rate
	}
	return 0
}

// takeKnown takes a line of a known format with what its expression found.
func (d *Detector) takeKnown(k *knownLine, m []string, line string, now time.Duration) {
	ms, n := k.unitMS(m), k.group(m, "n")
	switch k.use {
	case amount:
		d.amount, d.parts = n, 0
		return
	case part:
		d.amount--
		if d.parts += k.group(m, "rate"); d.amount != 0 || !(d.parts > 0) {
			return
		}
		ms = 1000 / d.parts
	case foremost, report, secondary, lastOf, eachModel:
		d.reported(k, ms)
		return
	case during, answer:
		if !(ms > 0) {
			return
		}
	}
	c := d.find(found{form: k.form, unit: k.unit, name: k.name, label: k.form, known: true, ratio: k.group(m, "of") > 0,
		stated: k.use == during || k.use == answer || k.use == part})
	if c == nil {
		return
	}
	c.example = line
	switch k.use {
	case answer:
		if n == 0 {
			n, d.amount = d.amount, 0
		}
		c.tell(ms, n, "", now, &d.log)
		d.reports = append(d.reports, Report{k.form, k.unit, ms, max(n, least)})
		d.reports = d.reports[max(0, len(d.reports)-mostReports):]
	case during, part:
		c.tell(ms, n, "", now, &d.log)
	case each:
		c.count(c.high+1, 1, 0, 0, now, &d.log)
	case count:
		c.count(int(k.group(m, "done")), 1, int(k.group(m, "of")), int(k.group(m, "epoch")), now, &d.log)
	}
}

// mostReports bounds the results kept of a run.
const mostReports = 1000

// reported takes a result: the best line of a form holds. When several of one form differ, none is used.
func (d *Detector) reported(k *knownLine, ms float64) {
	if !(ms >= leastMS) || ms > 1e9 {
		return
	}
	r := Report{Form: k.form, Unit: k.unit, TimeMS: ms}
	was, seen := d.ranks[k.form]
	switch {
	case !seen || k.use < was || k.use == lastOf && was == lastOf:
		d.ranks[k.form] = k.use
		d.Report(r)
	case k.use == was && len(d.reports) < mostReports:
		d.reports = append(d.reports, r)
	}
}

// Report takes the program's own report as another reader parsed it, in place of earlier ones of its form.
func (d *Detector) Report(r Report) {
	d.reports = append(slices.DeleteFunc(d.reports, func(old Report) bool { return old.Form == r.Form }), r)
}

// ofReport returns the program's own report: the mean of equal ones.
func (d *Detector) ofReport() (r Reading, ok bool) {
	if len(d.reports) == 0 {
		return r, false
	}
	last := d.reports[len(d.reports)-1]
	var took, units []float64
	for _, p := range d.reports {
		if p.Form == last.Form {
			n := max(1, p.Units)
			took, units = append(took, p.TimeMS*n), append(units, n)
		}
	}
	lo, hi := stats.WeightedQuantile(took, units, 0), stats.WeightedQuantile(took, units, 1)
	if hi > apart*lo && len(took) > 1 && (len(took) < least || d.ranks[last.Form] == eachModel) {
		return r, false
	}
	e := stats.MeanOf(took, units)
	return Reading{Form: last.Form, What: "its own report", Unit: last.Unit, Steps: max(1, int(e.Units)),
		TimeMS: e.Mean, ErrorMS: e.Error, MedianMS: e.Median, Summary: true}, true
}
