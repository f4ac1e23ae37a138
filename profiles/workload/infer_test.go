package workload

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"jtune/internal/must"
)

const servers = `
[workload.chat]
kind = "infer"
unit = "token"
server = { api = "openai", url = "http://127.0.0.1:8080", prompt_tokens = 512, output_tokens = 128 }
load = { rate = 30, arrivals = "poisson" }

[workload.detect]
kind = "infer"
command = ["trtexec", "--shapes=images:${JTUNE_BATCH}x3x640x640", "$HOME/${OTHER}"]
batches = [1, 4, 16]
limit = { latency_ms = 50, quantile = 0.99 }

[workload.mine]
torch = { net = "mobilenet", set = "gld23k", infer = true }
`

func serversOf(t *testing.T) []Workload {
	t.Helper()
	file := filepath.Join(t.TempDir(), "config.toml")
	must.NoError(t, os.WriteFile(file, []byte(servers), 0o600))
	return must.Get(Load(file))(t)
}

func TestWorkloadOfInferenceIsReadFromTheFile(t *testing.T) {
	t.Parallel()
	list := serversOf(t)
	chat, _ := Find(list, "chat")
	if !chat.Infers() || chat.UnitName() != UnitToken || chat.Server.API != APIOpenAI || !chat.Server.Local() {
		t.Errorf("chat: %+v", chat)
	}
	detect, _ := Find(list, "detect")
	if detect.UnitName() != UnitInference || !slices.Equal(detect.Batches, []int{1, 4, 16}) ||
		detect.Limit != (LatencyLimit{50, 0.99}) || chat.Load != (Demand{Rate: 30, Arrivals: "poisson"}) {
		t.Errorf("detect: %+v", detect)
	}
	if !detect.TakesBatch() {
		t.Error("a command with ${JTUNE_BATCH} takes no batch size")
	}
	job, err := detect.AtBatch(4).job(HarnessOptions{})
	if want := []string{"trtexec", "--shapes=images:4x3x640x640", "$HOME/${OTHER}"}; err != nil ||
		!slices.Equal(job.Command, want) {
		t.Errorf("command %q (%v), want %q: no other name is expanded", job.Command, err, want)
	}
	if job.Env["JTUNE_PROTOCOL"] != "2" || job.Env["JTUNE_KIND"] != Inference {
		t.Errorf("environment %v", job.Env)
	}
	mine, _ := Find(list, "mine")
	if train, _ := Find(list, "resnet18"); !mine.Infers() || train.Infers() || train.UnitName() != "" {
		t.Error("infer = true is not an inference workload, or training is one")
	}
}

func TestWorkloadFingerprintKnowsKindServerAndLoad(t *testing.T) {
	t.Parallel()
	list := serversOf(t)
	for name, change := range map[string]func(*Workload){
		"kind":   func(w *Workload) { w.Kind = "" },
		"server": func(w *Workload) { w.Server.OutputTokens = 64 },
		"model":  func(w *Workload) { w.Server.Model = "qwen3" },
		"load":   func(w *Workload) { w.Load.Rate = 31 },
		"half":   func(w *Workload) { w.Torch.Half = true },
	} {
		for _, of := range []string{"chat", "detect"} {
			w, _ := Find(list, of)
			changed := w
			change(&changed)
			if name == "load" && of == "detect" { // to which nothing is sent
				if w.Fingerprint("") != changed.Fingerprint("") {
					t.Error("a limit that is not sent makes another workload")
				}
				continue
			}
			if w.Otherwise(changed) == nil || w.Fingerprint("") == changed.Fingerprint("") {
				t.Errorf("%s with another %s counts as the same", of, name)
			}
		}
	}
	w, _ := Find(list, "chat")
	if w.Server.URL = "http://127.0.0.1:9090"; w.Fingerprint("") != list[slices.IndexFunc(list,
		func(o Workload) bool { return o.Name == "chat" })].Fingerprint("") {
		t.Error("the port of a server makes another workload")
	}
}

func TestWorkloadFaultsOfInferenceNameTheLine(t *testing.T) {
	t.Parallel()
	const begin = "[workload.a]\ncommand = ['x']\n"
	for _, c := range []struct{ text, line, want string }{
		{begin + "kind = 'serve'\n", "line 3", `kind "serve": want train, infer`},
		{begin + "kind = 'infer'\nunit = 'word'\n", "line 4", `unit "word": want inference, token, frame`},
		{begin + "unit = 'token'\n", "line 3", `unit is only for inference: give kind = "infer" too`},
		{begin + "kind = 'infer'\nper = 'day'\n", "line 4", `per "day"`},
		{begin + "kind = 'infer'\nbatches = [1, 0]\n", "line 4", "0 is outside"},
		{begin + "kind = 'infer'\nlimit = { quantile = 1.5 }\n", "line 4", "quantile 1.5"},
		{begin + "kind = 'infer'\nload = { rate = -3 }\n", "line 4", "rate -3"},
		{begin + "kind = 'infer'\nload = { rate = 3, max_wait_ms = -1 }\n", "line 4", "max_wait_ms -1"},
		{"[workload.a]\nkind = 'infer'\nload = { rate = 3, max_wait_ms = 9 }\nserver = { api = 'openai', " +
			"url = 'http://x' }\n", "line 3", "a server makes its own batches"},
		{"[workload.a]\nkind = 'infer'\nserver = { counters = 'metrics' }\n", "line 3", "or a path"},
		{"[workload.a]\nkind = 'infer'\nserver = { counters = '/metrics' }\n", "line 3", "without url"},
		{begin + "kind = 'infer'\nserver = { counters = 'http://x/metrics' }\n", "line 4", "remove command"},
		{"[workload.a]\nkind = 'infer'\nload = { rate = 3 }\nserver = { counters = 'http://x/metrics' }\n", "line 4",
			"no load: remove it"},
		{begin + "kind = 'infer'\nload = { rte = 3 }\n", "line 4", "rte"},
		{begin + "kind = 'train'\ntorch = { net = 'bert', set = 'squad', infer = true }\n", "line 3", "exclude"},
		{"[workload.a]\nkind = 'infer'\nserver = { url = 'http://x' }\n", "line 3", "without api"},
		{"[workload.a]\nkind = 'infer'\nserver = { api = 'openai' }\n", "line 3", "without url"},
		{"[workload.a]\nkind = 'infer'\nserver = { api = 'grpc', url = 'http://x' }\n", "line 3", "openai, ollama"},
		{"[workload.a]\nkind = 'infer'\nserver = { api = 'ollama', url = 'x:1' }\n", "line 3", "want an address"},
		{"[workload.a.server]\napi = 'ollama'\nurl = 'http://x'\nprompt_tokens = -1\n", "line", "prompt_tokens"},
	} {
		faults := Faults("f.toml", c.text)
		if len(faults) == 0 || !strings.Contains(faults[0].Error(), c.line) ||
			!slices.ContainsFunc(faults, func(err error) bool { return strings.Contains(err.Error(), c.want) }) {
			t.Errorf("%q: %v, want %s and %q", c.text, faults, c.line, c.want)
		}
	}
}

func TestWorkloadWithEnvAddsToIt(t *testing.T) {
	t.Parallel()
	w := Workload{Name: "a", Env: map[string]string{"A": "1"}}
	got, err := w.WithEnv([]string{"CUDA_MODULE_LOADING=EAGER", "B="})
	if err != nil || len(got.Env) != 3 || got.Env["CUDA_MODULE_LOADING"] != "EAGER" || len(w.Env) != 1 ||
		w.Otherwise(got) == nil {
		t.Errorf("%v, %v of %v", got.Env, err, w.Env)
	}
	for _, bad := range []string{"A", "=1", "A=\x00"} {
		if _, err := w.WithEnv([]string{bad}); err == nil {
			t.Errorf("%q is taken", bad)
		}
	}
}

func TestProgramsOfInferenceAreFoundAndTheirServersAsked(t *testing.T) {
	home := t.TempDir()
	bin := filepath.Join(home, "llama.cpp", "build", "bin")
	must.NoError(t, os.MkdirAll(bin, 0o755))
	bench := filepath.Join(bin, "llama-bench")
	must.NoError(t, os.WriteFile(bench, []byte("#!/bin/sh\n"), 0o755))
	t.Setenv("HOME", home)
	t.Setenv("PATH", t.TempDir())
	found := must.Get(Programs(t.Context()))(t)
	for _, f := range found {
		if f.There != (f.Workload == "llama") || f.There && f.Program != bench {
			t.Errorf("%+v, want llama-bench alone", f)
		}
	}
	list := builtIns(t)
	llama, _ := Find(list, "llama")
	if err := llama.Ready(); err == nil || !strings.Contains(err.Error(), "give “weights”") {
		t.Errorf("without weights: %v", err)
	}
	llama = must.Get(llama.WithWeights("/models/x.gguf"))(t)
	job, err := llama.job(HarnessOptions{})
	if err != nil || job.Command[0] != bench || !slices.Contains(job.Command, "/models/x.gguf") {
		t.Errorf("%q, %v", job.Command, err)
	}
	resnet, _ := Find(list, "resnet18")
	if _, err := resnet.WithWeights("x"); err == nil || !strings.Contains(err.Error(), "takes no “weights”") {
		t.Errorf("a training job takes weights: %v", err)
	}
}

func TestWorkloadsOfTheUserAreListedBeforeTheBuiltInOnes(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "config.toml")
	text := "[workload.night]\ncommand = [\"true\"]\n" +
		"[workload.resnet18]\nbatch = 8\n" +
		"[workload.day]\ncommand = [\"true\"]\n"
	must.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	list := must.Get(Load(path))(t)
	if list[0].Name != "night" || list[1].Name != "day" || list[2].Name != "resnet18" || list[2].Batch != 8 {
		t.Errorf("the list begins with %s %s %s", list[0].Name, list[1].Name, list[2].Name)
	}
}
