package harness

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"jtune/internal/must"
	"jtune/internal/stats"
	"jtune/internal/tools/reliability"
	"jtune/profiles/harness/detect"
	"jtune/profiles/harness/pipe"
)

// output is what a program printed, line by line a second apart, and what is to be read out of it.
type output struct {
	tool, command, name string
	text                string
	want                string // events as shortly prints them
}

// outputs are written as the programs' sources print them.
var outputs = []output{
	{"llama-bench", "llama-bench -m x.gguf -p 0 -n 32 -r 100000 -o jsonl --progress", "progress", `ggml_cuda_init: found 1 CUDA devices:
llama-bench: benchmark 1/1: starting
llama-bench: benchmark 1/1: warmup generation run
llama-bench: benchmark 1/1: generation run 1/100000
llama-bench: benchmark 1/1: generation run 2/100000
llama-bench: benchmark 1/1: generation run 3/100000
`, "infer 32 decode 1000; infer 32 decode 1000"},
	{"llama-bench", "llama-bench -m x.gguf -p 512 -n 0 --progress", "a prompt, then a result on the CPU", `llama-bench: benchmark 1/1: warmup prompt run
llama-bench: benchmark 1/1: prompt run 1/3
llama-bench: benchmark 1/1: prompt run 2/3
{"backends":"BLAS","n_gpu_layers":0,"model_type":"qwen3 4B Q4_K","n_prompt":512,"n_gen":0,"n_depth":0,"avg_ns":1000000,"samples_ns":[1000000]}
`, "infer 512 prefill 1000; note llama-bench runs on the CPU"},
	{"llama-bench", "llama-bench -m x.gguf -p 0 -n 32 -o jsonl", "a result alone", `{"backends":"CUDA","n_gpu_layers":99,"n_prompt":0,"n_gen":32,"samples_ns":[900000000,1000000000,1100000000]}
`, "summary 96 in 3000: 1000"},
	{"trtexec", "trtexec --loadEngine=x --shapes=images:16x3x640x640 --duration=10", "as of 8.6", `[11/22/2026-10:00:00] [I] Timing trace has 300 queries over 3.00 s
[11/22/2026-10:00:00] [I] === Performance summary ===
[11/22/2026-10:00:00] [I] Throughput: 100 qps
[11/22/2026-10:00:00] [I] Latency: min = 9.4 ms, max = 13.0 ms, mean = 10.1 ms, median = 10.02 ms, percentile(90%) = 11 ms, percentile(95%) = 11.5 ms, percentile(99%) = 12.6 ms
[11/22/2026-10:00:00] [I] Enqueue Time: min = 0.4 ms, max = 3.0 ms, mean = 1 ms, median = 1.4 ms, percentile(99%) = 2.6 ms
[11/22/2026-10:00:00] [I] H2D Latency: min = 0.4 ms, max = 3.0 ms, mean = 1 ms, median = 0.4 ms, percentile(99%) = 0.6 ms
[11/22/2026-10:00:00] [I] GPU Compute Time: min = 8 ms, max = 12 ms, mean = 9 ms, median = 9.4 ms, percentile(99%) = 11 ms
`, "summary 4800 in 3000: 10.02 p50 10.02 p95 11.5 p99 12.6 of 300"},
	{"trtexec", "trtexec --loadEngine=x --duration=2", "one percentile, no prefix", `Throughput: 691.435 qps
Latency: min = 1.4 ms, max = 3.0 ms, mean = 1.44 ms, median = 1.43823 ms, percentile(99%) = 2.61597 ms
`, "summary 1383 in 2000: 1.43823 p50 1.43823 p99 2.61597 of 1382"},
	{"perf_analyzer", "perf_analyzer -m x", "a concurrency", `*** Measurement Settings ***
  Batch size: 1
  Measurement window: 4000 msec
Request concurrency: 1
  Client:
    Request count: 25341
    Throughput: 1407.84 infer/sec
    p50 latency: 690 usec
    p90 latency: 800 usec
    p95 latency: 850 usec
    p99 latency: 1200 usec
    Avg HTTP time: 705 usec
Inferences/Second vs. Client Average Batch Latency
Concurrency: 1, throughput: 1407.84 infer/sec, latency 708 usec
`, "summary 5631 in 4000: 0.7103079895442664 p50 0.69 p95 0.85 p99 1.2 of 25341"},
	{"perf_analyzer", "perf_analyzer -m x --request-rate-range 30", "a rate", `Request Rate: 30, throughput: 29.9 infer/sec, latency 7080 usec
`, "summary 150 in 5000: 33.44481605351171"},
	{"ultralytics-predict", "yolo predict", "a video", `Ultralytics 8.3.0 Python-3.10 torch-2.3 CUDA:0 (Orin, 30536MiB)
video 1/1 (frame 1/500) /home/me/video.mp4: 384x640 4 persons, 1 bus, 12.3ms
video 1/1 (frame 2/500) /home/me/video.mp4: 384x640 4 persons, 12.5ms
video 1/1 (frame 3/500) /home/me/video.mp4: 384x640 (no detections), 12.7ms
Speed: 6.8ms preprocess, 138.6ms inference, 1.5ms postprocess per image at shape (1, 3, 384, 640)
`, "infer 1 1000; request 12.5; infer 1 1000; request 12.7"},
	{"ultralytics-predict", "yolo predict", "a camera",
		"0: 384x640 1 face, 248.1ms\n\x1b[1m0: 384x640 2 faces, 240.5ms\x1b[0m\n",
		"infer 1 1000; request 240.5"},
	{"vllm", "vllm bench serve", "serve", `============ Serving Benchmark Result ============
Successful requests:                     100
Benchmark duration (s):                  10.00
Total generated tokens:                  3521
Output token throughput (tok/s):         352.10
Median TTFT (ms):                        55.10
P99 TTFT (ms):                           80.20
Median TPOT (ms):                        20.50
==================================================
`, "summary 3521 in 10000: 20.5 of 100 ttft 55.1 tpot 20.5"},
	{"vllm", "vllm bench serve", "no requests served", `Successful requests:                     0
Benchmark duration (s):                  10.00
`, ""},
	{"edge-llm", "llm_bench", "both parts", `=== LLM Prefill ===
Computed Tokens: 512
Average Time per Run: 95.5 ms
=== LLM Generation ===
Tokens/Second: 32.8
Average Time per Token: 30.4815 ms
`, "summary 33 in 1000: 30.4815 ttft 95.5 tpot 30.4815"},
	{"edge-llm", "llm_bench", "prefill alone", "=== LLM Prefill ===\nAverage Time per Run: 95.5 ms\n", ""},
	{"edge-llm", "llm_bench", "a rate without a time", "=== LLM Generation ===\nTokens/Second: 32.8\n", ""},
	{"edge-llm", "llm_bench", "a time without a rate", "=== LLM Generation ===\nAverage Time per Token: 30 ms\n", ""},
	{"llama-bench", "llama-bench -o jsonl", "a result of no tokens",
		`{"n_prompt":0,"n_gen":0,"samples_ns":[1000000000]}` + "\n", ""},
	{"llama-bench", "llama-bench -o jsonl", "a result without samples",
		`{"n_prompt":0,"n_gen":5,"samples_ns":[]}` + "\n", ""},
	{"llama-bench", "llama-bench -o jsonl", "a result of more tokens than a run has",
		fmt.Sprintf(`{"n_prompt":0,"n_gen":%d,"samples_ns":[1]}`+"\n", maxUnits+1), ""},
	{"llama-bench", "llama-bench -o jsonl", "a result of one token",
		`{"n_prompt":0,"n_gen":1,"samples_ns":[1000000000]}` + "\n", "summary 1 in 1000: 1000"},
	{"aiperf", "sh -c 'aiperf profile … && cat artifacts/x/profile_export_aiperf.json'", "an export", `some words
{
  "request_latency": {"unit": "ms", "avg": 100.0, "p50": 90.0, "p95": 150.0, "p99": 200.0},
  "time_to_first_token": {"unit": "ms", "avg": 20, "p50": 19.0},
  "inter_token_latency": {"unit": "ms", "avg": 10, "p50": 9.5},
  "output_token_throughput": {"unit": "tokens/sec", "avg": 80.0},
  "request_count": {"unit": "requests", "avg": 50.0},
  "benchmark_duration": {"unit": "sec", "avg": 10.0}
}
`, "summary 800 in 10000: 9.5 p50 90 p95 150 p99 200 of 50 ttft 19 tpot 9.5"},
	{"aiperf", "x", "another unit",
		"{\"request_latency\": {\"unit\": \"s\", \"p50\": 0.5},\n" +
			"\"output_token_throughput\": {\"avg\": 50}}\n",
		"summary 50 in 1000: 20 p50 500"},
	{"aiperf", "x", "times that are none",
		`{"request_latency": {"unit": "ms", "p50": 0, "p95": -1, "p99": 1e12}, "inter_token_latency": {"unit": "h", ` +
			`"p50": 1}, "output_token_throughput": {"avg": 50}}` + "\n", "summary 50 in 1000: 20"},
}

// shortly prints events for comparison.
func shortly(events []Event) string {
	var out []string
	for _, e := range events {
		switch {
		case e.Summary != nil:
			s := fmt.Sprintf("summary %d in %v: %v", e.N, e.TimeMS, e.Summary.TimeMS)
			add := func(name string, v float64, ok bool) {
				if ok {
					s += fmt.Sprintf(" %s %v", name, v)
				}
			}
			add("p50", e.Summary.P50.V, e.Summary.P50.OK)
			add("p95", e.Summary.P95.V, e.Summary.P95.OK)
			add("p99", e.Summary.P99.V, e.Summary.P99.OK)
			add("of", float64(e.Summary.Requests), e.Summary.Requests > 0)
			add("ttft", e.Summary.TTFTMS.V, e.Summary.TTFTMS.OK)
			add("tpot", e.Summary.TPOTMS.V, e.Summary.TPOTMS.OK)
			out = append(out, s)
		case e.Kind == Note:
			what, _, _ := strings.Cut(e.Message, ":")
			out = append(out, "note "+what)
		case e.Kind == Request:
			out = append(out, fmt.Sprintf("request %v", e.Latency()))
		default:
			words := strings.Fields(fmt.Sprintf("%s %d %s %v", e.Kind, e.N, e.Phase, e.TimeMS))
			out = append(out, strings.Join(words, " "))
		}
	}
	return strings.Join(out, "; ")
}

// readsTool passes text through a reader, one second for each line.
func readsTool(t testing.TB, tool, command, text string) (events []Event) {
	t.Helper()
	r := must.Get(readerOf(ExecOptions{Pattern: tool, Command: strings.Fields(command)}))(t)
	now := time.Duration(0)
	pipe.EachFinished(strings.NewReader(text), func(line []byte, whole bool) {
		if len(line) > 0 {
			now += time.Second
		}
		found, _ := r.read(line, now, whole)
		events = append(events, found...)
	})
	if sum, ok := r.(summing); ok {
		if e := sum.summary(); e != nil {
			events = append(events, *e)
		}
	}
	return events
}

func TestReadersTakeTheNumbersOfTheirTools(t *testing.T) {
	t.Parallel()
	of := map[string]int{}
	for _, o := range outputs {
		of[o.tool]++
		for form, text := range map[string]string{
			"unchanged": o.text, "with CRLF": strings.ReplaceAll(o.text, "\n", "\r\n"),
			"in colour": "\x1b[32m" + strings.ReplaceAll(o.text, "\n", "\x1b[0m\n\x1b[?25h\x1b[1;34m"),
		} {
			if got := shortly(readsTool(t, o.tool, o.command, text)); got != o.want {
				t.Errorf("%s, %s, %s:\n%s\nwant\n%s", o.tool, o.name, form, got, o.want)
			}
		}
	}
	for name := range tools {
		if of[name] < 2 {
			t.Errorf("%d outputs of %s, want 2", of[name], name)
		}
		if err := CheckPattern(name); err != nil {
			t.Error(err)
		}
	}
}

// A program that is killed leaves half a line: it is no number.
func TestReadersTakeNothingFromHalfALine(t *testing.T) {
	t.Parallel()
	for _, o := range outputs {
		last := ""
		for n := range len(o.text) + 1 {
			text := o.text[:n]
			got := shortly(readsTool(t, o.tool, o.command, text))
			if !strings.HasSuffix(text, "\n") && got != last {
				t.Errorf("%s, %s, cut in a line at %d: %q, without that line %q", o.tool, o.name, n, got, last)
			}
			if strings.HasSuffix(text, "\n") || n == 0 {
				last = got
			}
		}
	}
}

func FuzzReaders(f *testing.F) {
	for _, o := range outputs {
		f.Add(o.tool, o.command, o.text)
	}
	f.Fuzz(func(t *testing.T, tool, command, text string) {
		if tools[tool] == nil && reports[tool] == nil {
			t.Skip()
		}
		defer reliability.Input(t)()
		for _, e := range readsTool(t, tool, command, text) {
			if e.Kind == Note {
				continue
			}
			if e.T < 0 || e.N < 1 || e.Kind == Infer && !(e.TimeMS > 0 && e.TimeMS <= maxTimeMS) || e.Batch < 0 {
				t.Errorf("%s: %+v", tool, e)
			}
			if s := e.Summary; s != nil && (!(s.TimeMS > 0) || s.Requests < 0) {
				t.Errorf("%s: %+v", tool, s)
			}
		}
	})
}

// Where a script hides llama-bench, the tokens of a run are assumed, and a note says so once.
// Counts that llama-bench does not take as tokens of a run are its defaults.
func TestLlamaBenchTakesItsTokensFromTheCommand(t *testing.T) {
	t.Parallel()
	for words, want := range map[string][2]int{"": {512, 128}, "-p 1 -n 1": {1, 1}, "-p 64 --n-gen 32": {64, 32},
		"-p 0 -n -3": {512, 128}, "-p 64,128 -n x": {512, 128}, fmt.Sprint("-n ", maxUnits): {512, maxUnits},
		fmt.Sprint("-n ", maxUnits+1): {512, 128}} {
		l := newLlamaBench(strings.Fields("llama-bench " + words)).(*llamaBench)
		if got := [2]int{l.prompt, l.gen}; got != want || l.hidden {
			t.Errorf("%q: %v, want %v; hidden %v", words, got, want, l.hidden)
		}
	}
}

func TestLlamaBenchInAScriptSaysWhichTokensItAssumes(t *testing.T) {
	for command, want := range map[string]int{"sh run.sh": 1, "./llama-bench -n 32": 0, "nice llama-bench": 0} {
		l, notes := newLlamaBench(strings.Fields(command)), 0
		for run := range 4 {
			line := fmt.Sprintf("llama-bench: benchmark 1/1: generation run %d/9", run+1)
			events, _ := l.read([]byte(line), time.Duration(run)*time.Second, true)
			for _, e := range events {
				if e.Kind == Note && strings.Contains(e.Message, "runs of 128 and 512 tokens are assumed") {
					notes++
				}
			}
		}
		if notes != want {
			t.Errorf("%s: %d notes, want %d", command, notes, want)
		}
	}
}

// recordAll prints every format of the shared tool in virtual time, in one process: once, and again until it has lasted
// for the given seconds or 20,000 pieces: a flood is read alike each time.
const recordAll = `
import sys, io, json, os
tool, least = sys.argv[1], float(sys.argv[2])
sys.argv = [tool, "truth", "trace"]
sys.path.insert(0, os.path.dirname(os.path.dirname(tool)))
import pace
real, sys.stdout = sys.stdout, io.StringIO()
exec(compile(open(tool).read(), tool, "exec"), {"__name__": "__main__", "__file__": tool})
truth = json.loads(sys.stdout.getvalue())
for name in truth:
    pace.t = pace.T0 = 0.0
    pace.rnd.seed(11)
    sys.stdout = io.StringIO()
    pace.M[name]()
    while pace.t < least and sys.stdout.getvalue().count("\n") < 20_000: pace.M[name]()
    print(json.dumps([name, truth[name], [json.loads(l) for l in sys.stdout.getvalue().splitlines()]]), file=real)
`

// written is what a program wrote to one of its outputs at a time.
type written struct {
	at   time.Duration
	fd   int
	text []byte
}

// trace is what a shared format writes, and the units and their times of which each is right.
type trace struct {
	name    string
	command []string
	right   [][2]any
	all     []written
}

// traces returns the shared formats, each written again until it has lasted for least.
func traces(t *testing.T, least time.Duration) (out []trace) {
	t.Helper()
	shared := os.Getenv("JTUNE_SHARED")
	if shared == "" {
		shared = filepath.Join("..", "..", "..", "shared")
	}
	tool := filepath.Join(shared, "tools", "own-jobs", "hand", "formats.py")
	if _, err := os.Stat(tool); err != nil {
		t.Skip("the shared formats are not here")
	}
	cmd := exec.Command("python3", "-c", recordAll, tool, fmt.Sprint(least.Seconds()))
	cmd.Stderr = os.Stderr
	text := must.Get(cmd.Output())(t)
	for line := range bytes.Lines(text) {
		var f trace
		var want struct {
			Truth [2]any
			Alt   [][2]any
		}
		var pieces [][3]any
		must.NoError(t, json.Unmarshal(line, &[]any{&f.name, &want, &pieces}))
		f.right = append(want.Alt, want.Truth)
		for _, p := range pieces {
			w := written{at: time.Hour + time.Duration(p[0].(float64)*1e9), fd: int(p[1].(float64))}
			for _, r := range p[2].(string) { // its bytes
				w.text = append(w.text, byte(r))
			}
			f.all = append(f.all, w)
		}
		if f.command = []string{"python3", tool, f.name}; f.name == "pix2pix4" {
			f.command = append(f.command, "--batch_size", "4")
		}
		out = append(out, f)
	}
	if len(out) < 80 {
		t.Fatalf("%d formats", len(out))
	}
	return out
}

// feed gives a program's output to its reader as the harness does, and returns the events. each is called once a
// second.
func feed(r *detecting, all []written, each func(now time.Duration)) (events []Event) {
	held, next := map[int][]byte{}, all[0].at
	for _, w := range all {
		for ; next < w.at; next += time.Second {
			each(next)
		}
		text := append(held[w.fd], w.text...)
		for {
			i := bytes.IndexAny(text, "\r\n\b")
			if i < 0 {
				break
			}
			got, _ := r.read(text[:i], w.at, true)
			events = append(events, got...)
			text = text[i+1:]
		}
		if held[w.fd] = bytes.Clone(text); len(text) > 0 && len(text) < 4096 {
			got, _ := r.read(text, w.at, false)
			events = append(events, got...)
		}
	}
	return append(events, r.finish(all[len(all)-1].at)...)
}

// A run reads all of a program, a search what is printed after its choice. Both take the same counter and give the same
// time, within their errors. They read most shared formats, and none wrongly; jtune warns within ten seconds of output
// where they read nothing.
func TestDetectingReadsEveryFormatAlikeInARunAndASearch(t *testing.T) {
	t.Parallel()
	const least = 60 * time.Second // epochs of 3 s are read then
	pieces := map[string]int{}     // by format, when it was last read
	for _, c := range []struct {
		name  string
		least time.Duration
		right int // formats; 0: their repetition, of which each begins slowly, is another work
	}{{"once", 0, 77}, {"again and again", least, 0}} {
		right := 0
		for i, f := range traces(t, c.least) {
			if pieces[f.name] == len(f.all) || c.right == 0 && i%3 > 0 && os.Getenv("JTUNE_LONG") == "" {
				continue // the same lines were read, or the long form reads them
			}
			pieces[f.name] = len(f.all)
			run := newDetecting(Detect{Options: detect.Options{FromStart: true}, ToEnd: true}, f.command)
			feed(run, f.all, func(time.Duration) {})
			ran, err := run.d.Read()
			if err == nil && slices.ContainsFunc(f.right, func(u [2]any) bool {
				return u[0] == ran.Unit && math.Abs(ran.TimeMS/u[1].(float64)-1) <= 0.05
			}) {
				right++
			} else if err == nil && c.right > 0 {
				t.Errorf("%s: %s %q, %.4g ms a %s, want one of %v", f.name, ran.Form, ran.What, ran.TimeMS, ran.Unit,
					f.right)
			}
			search := newDetecting(Detect{}, f.command)
			var took, ones []float64
			said := time.Duration(0)
			events := feed(search, f.all, func(now time.Duration) {
				if search.doubt(now) != "" && said == 0 {
					said = now - f.all[0].at
				}
			})
			for _, e := range events {
				switch {
				case e.Kind == Withdrawn:
					took, ones = nil, nil
				case e.Timed() && !e.Unclean && e.Summary == nil:
					took, ones = append(took, e.TimeMS), append(ones, 1)
				}
			}
			searched, no := search.d.Read()
			if refused := no != nil || search.err != nil; refused != (err != nil) {
				t.Errorf("%s, %s: a run %v, a search %v, %v", f.name, c.name, err, no, search.err)
			} else if refused {
				if lasts := f.all[len(f.all)-1].at - f.all[0].at; lasts > doubtWork && (said == 0 || said > doubtWork) {
					t.Errorf("%s, %s: jtune warns after %v, want %v at most", f.name, c.name, said, doubtWork)
				}
				continue
			}
			mean := stats.MeanOf(took, ones)
			band := math.Max(0.01*ran.TimeMS, 1.96*math.Hypot(ran.ErrorMS, mean.Error))
			if searched.Unit != ran.Unit || !(math.Abs(mean.Mean-ran.TimeMS) <= band) {
				t.Errorf("%s, %s: a search %q, %.4g ms a %s; a run %q, %.4g ± %.2g ms a %s", f.name, c.name,
					searched.What, mean.Mean, searched.Unit, ran.What, ran.TimeMS, ran.ErrorMS, ran.Unit)
			}
		}
		if t.Logf("%s: %d formats are read right", c.name, right); right < c.right {
			t.Errorf("%d formats are read right, want %d", right, c.right)
		}
	}
}
