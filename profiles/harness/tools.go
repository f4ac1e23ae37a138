package harness

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"jtune/internal/lazyregexp"
	"jtune/internal/stats"
)

// llamaBench reads llama-bench of llama.cpp, run with -o jsonl --progress -r 100000: its progress on standard error
// (tools/llama-bench/llama-bench.cpp) is one line at the beginning of each run of -n or -p tokens.
type llamaBench struct {
	prompt, gen int           // tokens of a run
	at          time.Duration // of the last line
	of          string        // kind of run that it began
	run         int
	told        bool // it has reported that it runs on the CPU
	hidden      bool // the words of llama-bench are in a script: how many tokens a run has is not known
	any         bool // any event so far
	end         *Event
}

func newLlamaBench(command []string) reader {
	count := func(otherwise int, names ...string) int {
		if n, err := strconv.Atoi(argument(command, names...)); err == nil && n >= 1 && n <= maxUnits {
			return n
		}
		return otherwise
	}
	return &llamaBench{prompt: count(512, "-p", "--n-prompt"), gen: count(128, "-n", "--n-gen"),
		hidden: !slices.ContainsFunc(command, func(word string) bool { return strings.Contains(word, "llama-bench") })}
}

var llamaRun = lazyregexp.New(`^llama-bench: benchmark \d+/\d+: (warmup )?(prompt|generation) run( (\d+)/\d+)?$`)

func (l *llamaBench) read(text []byte, now time.Duration, whole bool) ([]Event, bool) {
	if !whole {
		return nil, false
	}
	line := plainLine(text)
	if strings.HasPrefix(line, "{") {
		return l.object(line, now)
	}
	if strings.Contains(line, "no usable GPU found") {
		return l.onCPU(), true
	}
	m := llamaRun.FindStringSubmatch(line)
	if m == nil {
		return nil, false
	}
	run, err := strconv.Atoi(m[4])
	if m[1] != "" || err != nil {
		l.of = ""
		return nil, true
	}
	last, since, follows := l.at, now-l.at, l.of == m[2] && run == l.run+1
	l.at, l.of, l.run = now, m[2], run
	if !follows || now <= last || since > seconds(maxTimeMS/1000) {
		return nil, true
	}
	e := Event{Kind: Infer, T: now, Batch: run - 2, N: l.gen, Phase: "decode",
		TimeMS: float64(since) / float64(time.Millisecond)}
	if m[2] == "prompt" {
		e.N, e.Phase = l.prompt, "prefill"
	}
	e.Batch = max(0, e.Batch)
	l.any = true
	if l.hidden {
		l.hidden = false
		said := fmt.Sprintf("the command does not show llama-bench's -n and -p: runs of %d and %d tokens are assumed; "+
			"give llama-bench itself as the command", l.gen, l.prompt)
		return []Event{{Kind: Note, Message: said}, e}, true
	}
	return []Event{e}, true
}

// object reads the result of a finished test.
func (l *llamaBench) object(line string, now time.Duration) ([]Event, bool) {
	var o struct {
		NPrompt   *int      `json:"n_prompt"`
		NGen      *int      `json:"n_gen"`
		GPULayers *int      `json:"n_gpu_layers"`
		Backends  string    `json:"backends"`
		SamplesNS []float64 `json:"samples_ns"`
	}
	if json.Unmarshal([]byte(line), &o) != nil || o.NGen == nil || o.NPrompt == nil {
		return nil, false
	}
	units, sum := *o.NGen+*o.NPrompt, 0.0
	for _, ns := range o.SamplesNS {
		sum += ns
	}
	if !l.any && units > 0 && units <= maxUnits {
		l.end = summed(now, time.Duration(min(sum, 9e18)), float64(units*len(o.SamplesNS)),
			Summary{TimeMS: stats.Median(o.SamplesNS) / 1e6})
		if l.end != nil && *o.NPrompt == 0 {
			l.end.Phase = "decode"
		} else if l.end != nil && *o.NGen == 0 {
			l.end.Phase = "prefill"
		}
	}
	if o.GPULayers != nil && *o.GPULayers == 0 || o.Backends != "" && !strings.Contains(o.Backends, "CUDA") {
		return l.onCPU(), true
	}
	return nil, true
}

func (l *llamaBench) onCPU() []Event {
	if l.told {
		return nil
	}
	l.told = true
	return []Event{{Kind: Note, Message: "llama-bench runs on the CPU: build llama.cpp with " +
		"-DGGML_CUDA=ON and give -ngl 99"}}
}

func (l *llamaBench) summary() *Event { return l.end }

// ultralyticsPredict reads "yolo predict": a line for each image, whose last number is the time of the network only.
type ultralyticsPredict struct {
	at     time.Duration
	frames int
}

var (
	yoloLine  = lazyregexp.New(`^(?:(?:video|image) \d+/\d+ .*: |\d+: )\d+x\d+ .*?,? ([\d.]+)ms$`)
	yoloBench = lazyregexp.New(`^Benchmarks? complete|^Setup complete .*benchmark`)
)

func (u *ultralyticsPredict) read(text []byte, now time.Duration, whole bool) ([]Event, bool) {
	if !whole {
		return nil, false
	}
	line := plainLine(text)
	if yoloBench.MatchString(line) {
		return []Event{{Kind: Note, Message: "yolo benchmark exports every format before it measures: " +
			"use yolo predict, which prints a line for every image"}}, true
	}
	ms := find(yoloLine, line)
	if !ms.OK {
		return nil, false
	}
	last := u.at
	u.at = now
	if last == 0 || now <= last {
		return nil, true
	}
	u.frames++
	network := now - time.Duration(ms.V*float64(time.Millisecond))
	return []Event{
		{Kind: Infer, T: now, N: 1, Batch: u.frames - 1, TimeMS: float64(now-last) / float64(time.Millisecond)},
		{Kind: Request, T: now, N: 1, Arrive: network, Start: network, First: now},
	}, true
}
