package detect

import (
	"strconv"
	"strings"
	"time"

	"jtune/internal/lazyregexp"
)

// knownLine is a line format whose meaning no rule could derive from its words.
type knownLine struct {
	form, has string // every such line contains has
	re        *lazyregexp.Regexp
	take      func(d *Detector, m []string, line string, now time.Duration)
}

var knownLines = []knownLine{
	// eval time =     384.00 ms /    32 tokens (   12.00 ms per token,    83.33 tokens per second)
	{"llama.cpp", "eval time =", lazyregexp.New(`eval time =\s*([\d.]+) ms /\s*(\d+) (?:tokens|runs)`),
		func(d *Detector, m []string, line string, now time.Duration) {
			ms, n := decimal(m[1]), decimal(m[2])
			if strings.Contains(line, "prompt eval time") || !(ms > 0) || !(n > 0) {
				return
			}
			d.stated("llama.cpp", Token, "generation", ms/n, n, line, now)
			d.report("llama.cpp", Token, ms/n, n)
		}},
	// eval rate:            83.33 tokens/s
	{"ollama", "eval rate:", lazyregexp.New(`eval rate:\s*([\d.]+) tokens/s`),
		func(d *Detector, m []string, line string, now time.Duration) {
			if v := decimal(m[1]); v > 0 && !strings.Contains(line, "prompt eval") {
				d.stated("ollama", Token, "generation", 1000/v, d.tokens, line, now)
				d.report("ollama", Token, 1000/v, max(least, d.tokens))
				d.tokens = 0
			}
		}},
	// eval count:           32 token(s), before its rate
	{"ollama", "eval count:", lazyregexp.New(`^eval count:\s*(\d+) token`),
		func(d *Detector, m []string, line string, now time.Duration) {
			d.tokens = decimal(m[1])
		}},
	{"vllm", "generation throughput:", lazyregexp.New(`generation throughput: ([\d.]+) tokens/s`),
		func(d *Detector, m []string, line string, now time.Duration) {
			if v := decimal(m[1]); v > 0 { // 0: there is no question
				d.stated("vllm", Token, "generation", 1000/v, 0, line, now)
			}
		}},
	{"sglang", "gen throughput", lazyregexp.New(`gen throughput \(token/s\): ([\d.]+)`),
		func(d *Detector, m []string, line string, now time.Duration) {
			if v := decimal(m[1]); v > 0 {
				d.stated("sglang", Token, "decode", 1000/v, 0, line, now)
			}
		}},
	// **PERF:  20.00 (20.00)	19.98 (20.00)
	{"deepstream", "**PERF:", lazyregexp.New(`^\*\*PERF:\s+((?:[\d.]+ \([\d.]+\)\s*)+)$`),
		func(d *Detector, m []string, line string, now time.Duration) {
			sum := 0.0
			for i, v := range strings.Fields(m[1]) {
				if i%2 == 0 {
					sum += decimal(v)
				}
			}
			if sum > 0 {
				d.stated("deepstream", Frame, "all sources", 1000/sum, 0, line, now)
			}
		}},
	// **PERF:  {'stream0': 20.0, 'stream1': 19.98}
	{"deepstream", "**PERF:", lazyregexp.New(`^\*\*PERF:\s+\{(.*)\}$`),
		func(d *Detector, m []string, line string, now time.Duration) {
			sum := 0.0
			for _, stream := range strings.Split(m[1], ",") {
				_, rate, _ := strings.Cut(stream, ":")
				sum += decimal(strings.TrimSpace(rate))
			}
			if sum > 0 {
				d.stated("deepstream", Frame, "all sources", 1000/sum, 0, line, now)
			}
		}},
	{"jetson-inference", "Timing Report", lazyregexp.New(`^\[TRT\]\s+Timing Report (.*)`),
		func(d *Detector, m []string, line string, now time.Duration) {
			d.tick("jetson-inference", Frame, "timing report", line, now)
		}},
	// 0: 384x640 3 persons, 35.0ms
	{"ultralytics", "ms", lazyregexp.New(`^\d+: \d+x\d+ .*[\d.]+ms$`),
		func(d *Detector, m []string, line string, now time.Duration) {
			d.tick("ultralytics", Frame, "predict", line, now)
		}},
	// llama-bench: benchmark 1/1: generation run 12/60
	{"llama-bench", "llama-bench: benchmark", lazyregexp.New(`(warmup )?(prompt|generation) run(?: (\d+)/(\d+))?`),
		func(d *Detector, m []string, line string, now time.Duration) {
			if m[1] != "" || m[3] == "" {
				return
			}
			n, _ := strconv.Atoi(m[3])
			of, _ := strconv.Atoi(m[4])
			c := d.find(found{form: "llama-bench", unit: Run, name: m[2] + " run", of: of, known: true})
			if c != nil {
				c.example = line
				c.count(n, 0, now, 0)
			}
		}},
	// | llama 8B Q4_K - Medium |   4.58 GiB |     8.03 B | CUDA       |  99 |            tg32 |        160.00 ± 0.05 |
	{"llama-bench", "±", lazyregexp.New(`\|\s*(tg|pp)(\d+)(?:\s*@\s*d\d+)?\s*\|\s*([\d.]+) ± [\d.]+\s*\|`),
		func(d *Detector, m []string, line string, now time.Duration) {
			if v := decimal(m[3]); v > 0 && m[1] == "tg" {
				d.report("llama-bench", Token, 1000/v, decimal(m[2]))
			}
		}},
	// average rate: 19.999
	{"ros", "average rate:", lazyregexp.New(`^average rate: ([\d.]+)$`),
		func(d *Detector, m []string, line string, now time.Duration) {
			if v := decimal(m[1]); v > 0 {
				d.stated("ros", Frame, "messages", 1000/v, 0, line, now)
			}
		}},
	{"isaac", "steps/s", lazyregexp.New(`Computation: ([\d.]+) steps/s`),
		func(d *Detector, m []string, line string, now time.Duration) {
			if v := decimal(m[1]); v > 0 {
				d.stated("isaac", Step, "computation", 1000/v, 0, line, now)
			}
		}},
}

// knownForms returns the names of the known lines and reports.
func knownForms() (names []string) {
	for _, k := range knownLines {
		names = append(names, k.form)
	}
	for _, l := range reportLines {
		names = append(names, l.form)
	}
	return names
}

// ignoredLines count no steps: another line gives the same more accurately, or they are about something else.
var ignoredLines = []string{"prompt eval", "load time =", "sample time =", "sampling time =", "total time =",
	"eval_samples_per_second", "train_samples_per_second", "[TRT]", "KV cache usage", "Speed: "}

// known takes a line of a known format.
func (d *Detector) known(line string, now time.Duration, whole bool) bool {
	for _, k := range knownLines {
		if !strings.Contains(line, k.has) {
			continue
		}
		if m := k.re.FindStringSubmatch(line); m != nil {
			if whole {
				k.take(d, m, line, now)
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

// stated takes a time per unit from a known line.
func (d *Detector) stated(form, unit, name string, ms, n float64, line string, now time.Duration) {
	c := d.find(found{form: form, unit: unit, name: name, label: form, stated: true, known: true})
	if c == nil {
		return
	}
	c.example = line
	c.tell(ms, n, now)
}

// tick takes a known line that is printed once per unit.
func (d *Detector) tick(form, unit, name, line string, now time.Duration) {
	c := d.find(found{form: form, unit: unit, name: name, label: form, known: true})
	if c == nil {
		return
	}
	c.example = line
	c.count(c.done+1, 0, now, 0)
}

func decimal(s string) float64 {
	v, _ := strconv.ParseFloat(s, 64)
	return v
}
