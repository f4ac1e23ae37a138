package detect

import (
	"strings"

	"jtune/internal/lazyregexp"
)

// Report is a program's own result for its whole run, printed at its end.
type Report struct {
	Form, Unit string
	TimeMS     float64 // per unit
	Units      float64 // covered by the result; 0: unknown
}

// reportLine is a line of a report: it gives the time of a unit, or its rate per second.
type reportLine struct {
	form, unit, has string
	re              *lazyregexp.Regexp
	scale           float64 // ms per unit of the printed time; 0: a rate per second
	rank            int     // the lowest is used when a report has several; lastOf, eachModel
}

const (
	// lastOf is the rank of a line that the warm-up also prints: only the last one is the result.
	lastOf = 10
	// eachModel is the rank of a line that a benchmark prints per model: different times belong to different models.
	eachModel = 11
)

var reportLines = []reportLine{
	{"mlperf", Inference, "latency (ns)", lazyregexp.New(`^50\.00 percentile latency \(ns\)\s*: (\d+)$`), 1e-6, 0},
	{"mlperf", Inference, "latency (ns)", lazyregexp.New(`^Mean latency \(ns\)\s*: (\d+)$`), 1e-6, 1},
	{"mlperf", Inference, "Samples per second", lazyregexp.New(`^Samples per second\s*: ([\d.]+)$`), 0, -1},
	{"whisper.cpp", Run, "total time", lazyregexp.New(`whisper_print_timings:\s+total time =\s*([\d.]+) ms`), 1, 0},
	{"onnxruntime", Inference, "Average inference time cost",
		lazyregexp.New(`Average inference time cost(?: total)?: ([\d.]+) ms`), 1, 0},
	{"onnxruntime", Inference, "Number of inferences per second",
		lazyregexp.New(`Number of inferences per second: ([\d.]+)`), 0, 1},
	{"genai-perf", Token, "Inter token latency (ms)",
		lazyregexp.New(`Inter token latency \(ms\)\s*[│┃|]\s*([\d.,]+)`), 1, 0},
	{"genai-perf", Token, "Output token throughput (",
		lazyregexp.New(`Output token throughput \((?:per sec|tokens/sec)\)\s*[│┃|]\s*([\d.,]+)`), 0, 1},
	{"trtllm-bench", Token, "time-per-output-token",
		lazyregexp.New(`Average time-per-output-token \[TPOT\] \(ms\):\s*([\d.]+)`), 1, 0},
	{"trtllm-bench", Token, "Total Output Throughput",
		lazyregexp.New(`Total Output Throughput \(tokens/sec\):\s*([\d.]+)`), 0, 1},
	{"trtexec", Inference, "median", lazyregexp.New(`\[I\] median: ([\d.]+) ms`), 1, 0},
	{"tflite", Inference, "Inference", lazyregexp.New(`Inference \(avg\): ([\d.e+]+)`), 0.001, 0},
	{"tflite", Inference, "no stats:", lazyregexp.New(`timings in us: .*no stats: ([\d.e+]+)`), 0.001, 0},
	{"tflite", Inference, "avg=", lazyregexp.New(`count=\d+ first=\d+ curr=\d+ min=\d+ max=\d+ avg=([\d.e+]+)`),
		0.001, lastOf},
	{"openvino", Inference, "Median:", lazyregexp.New(`Median:\s+([\d.]+) ms$`), 1, 0},
	{"vllm", Token, "output tokens/s", lazyregexp.New(`^Throughput: .* ([\d.]+) output tokens/s$`), 0, 0},
	{"tensorrt-llm", Token, "[BENCHMARK]", lazyregexp.New(`\[BENCHMARK\].* tokens_per_sec ([\d.]+)`), 0, 0},
	{"tvm", Inference, "inference time (std",
		lazyregexp.New(`[Mm]ean inference time \(std[^)]*\): ([\d.]+) ms`), 1, 0},
	{"mnn", Inference, "[ - ]", lazyregexp.New(`^\[ - \] .* ms\s+avg = +([\d.]+) ms$`), 1, eachModel},
	{"ncnn", Inference, "avg =", lazyregexp.New(`min = +[\d.]+ +max = +[\d.]+ +avg = +([\d.]+)$`), 1, eachModel},
	{"piper", Run, "Real-time factor", lazyregexp.New(`infer=([\d.]+) sec`), 1000, 0},
}

// reported takes a line of a report.
func (d *Detector) reported(line string) bool {
	for _, l := range reportLines {
		if !strings.Contains(line, l.has) {
			continue
		}
		m := l.re.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		v := decimal(strings.ReplaceAll(m[1], ",", ""))
		if !(v > 0) {
			return true
		}
		if l.scale == 0 {
			v = 1000 / v
		} else {
			v *= l.scale
		}
		if old, ok := d.ranks[l.form]; !ok || l.rank < old || l.rank == old && old == lastOf {
			d.ranks[l.form] = l.rank
			d.setReport(Report{Form: l.form, Unit: l.unit, TimeMS: v})
		} else if l.rank == old {
			d.report(l.form, l.unit, v, 0)
		}
		return true
	}
	return false
}

// report adds an independent result. When several of one form differ, none is used.
func (d *Detector) report(form, unit string, ms, n float64) {
	d.reports = append(d.reports, Report{Form: form, Unit: unit, TimeMS: ms, Units: n})
	if len(d.reports) > mostReports {
		d.reports = d.reports[1:]
	}
}

// mostReports bounds the results kept of a run.
const mostReports = 1000

// setReport replaces a report's result by a better one.
func (d *Detector) setReport(r Report) {
	for i, old := range d.reports {
		if old.Form == r.Form {
			d.reports[i] = r
			return
		}
	}
	d.reports = append(d.reports, r)
}

// Report takes the program's own report as another reader parsed it.
func (d *Detector) Report(r Report) { d.setReport(r) }
