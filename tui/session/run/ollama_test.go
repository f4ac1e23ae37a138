package run

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"jtune/internal/must"
	"jtune/profiles/record"
	"jtune/tegra/metric"
	"jtune/tui/session"
	"jtune/tui/session/config"
	"jtune/tui/session/measure"
	"jtune/tui/session/search"
	"jtune/tui/session/sessiontest"
	"jtune/tui/session/workloads"
)

// tinyModel is a model of the llama family with random weights in the GGUF format (version 3): 4 layers, 11 MB. It
// answers nonsense, at the speed of a model of its size.
func tinyModel() []byte {
	const embed, layers, heads, forward, context = 256, 4, 8, 512, 2048
	words := []string{"<unk>", "<s>", "</s>"}
	kinds := []int32{2, 3, 3}
	for i := range 256 {
		words, kinds = append(words, fmt.Sprintf("<0x%02X>", i)), append(kinds, 6)
	}
	for _, w := range "▁abcdefghijklmnopqrstuvwxyz" {
		words, kinds = append(words, string(w)), append(kinds, 1)
	}
	var about, tensors, weights bytes.Buffer
	put := func(to *bytes.Buffer, values ...any) {
		for _, v := range values {
			if s, ok := v.(string); ok {
				binary.Write(to, binary.LittleEndian, uint64(len(s)))
				to.WriteString(s)
				continue
			}
			binary.Write(to, binary.LittleEndian, v)
		}
	}
	n := uint64(0)
	key := func(name string, kind uint32, values ...any) {
		put(&about, append([]any{name, kind}, values...)...)
		n++
	}
	const asU32, asF32, asText, asList, asI32 = 4, 6, 8, 9, 5
	list := func(kind uint32, of int, value func(i int) any) (out []any) {
		out = []any{kind, uint64(of)}
		for i := range of {
			out = append(out, value(i))
		}
		return out
	}
	key("general.architecture", asText, "llama")
	key("general.name", asText, "tiny-random")
	for name, v := range map[string]uint32{"general.file_type": 0, "llama.context_length": context,
		"llama.embedding_length": embed, "llama.block_count": layers, "llama.feed_forward_length": forward,
		"llama.attention.head_count": heads, "llama.attention.head_count_kv": heads,
		"llama.rope.dimension_count": embed / heads, "llama.vocab_size": uint32(len(words)),
		"tokenizer.ggml.bos_token_id": 1, "tokenizer.ggml.eos_token_id": 2, "tokenizer.ggml.unknown_token_id": 0} {
		key(name, asU32, v)
	}
	key("llama.attention.layer_norm_rms_epsilon", asF32, float32(1e-5))
	key("tokenizer.ggml.model", asText, "llama")
	key("tokenizer.ggml.tokens", asList, list(asText, len(words), func(i int) any { return words[i] })...)
	key("tokenizer.ggml.scores", asList, list(asF32, len(words), func(int) any { return float32(0) })...)
	key("tokenizer.ggml.token_type", asList, list(asI32, len(words), func(i int) any { return kinds[i] })...)
	rng, count := rand.New(rand.NewPCG(1, 1)), uint64(0)
	tensor := func(name string, shape ...int) {
		put(&tensors, name, uint32(len(shape)))
		size := 1
		for _, d := range shape {
			put(&tensors, uint64(d))
			size *= d
		}
		put(&tensors, uint32(0), uint64(weights.Len()))
		for range size {
			v := float32(1)
			if len(shape) > 1 {
				v = float32(0.05 * rng.NormFloat64())
			}
			put(&weights, v)
		}
		weights.Write(make([]byte, -weights.Len()&31))
		count++
	}
	tensor("token_embd.weight", embed, len(words))
	tensor("output_norm.weight", embed)
	tensor("output.weight", embed, len(words))
	for i := range layers {
		at := fmt.Sprintf("blk.%d.", i)
		for _, name := range []string{"attn_norm", "ffn_norm"} {
			tensor(at+name+".weight", embed)
		}
		for _, name := range []string{"attn_q", "attn_k", "attn_v", "attn_output"} {
			tensor(at+name+".weight", embed, embed)
		}
		tensor(at+"ffn_gate.weight", embed, forward)
		tensor(at+"ffn_up.weight", embed, forward)
		tensor(at+"ffn_down.weight", forward, embed)
	}
	var out bytes.Buffer
	out.WriteString("GGUF")
	put(&out, uint32(3), count, n)
	out.Write(about.Bytes())
	out.Write(tensors.Bytes())
	out.Write(make([]byte, -out.Len()&31))
	out.Write(weights.Bytes())
	return out.Bytes()
}

// ollama is a real server in a folder of its own.
type ollama struct {
	t      *testing.T
	binary string
	env    []string
	url    string
	cmd    *exec.Cmd
}

func (o *ollama) start() {
	o.t.Helper()
	o.cmd = exec.Command(o.binary, "serve")
	o.cmd.Env, o.cmd.SysProcAttr = o.env, &syscall.SysProcAttr{Setpgid: true}
	must.NoError(o.t, o.cmd.Start())
	for until := time.Now().Add(3 * time.Minute); ; time.Sleep(200 * time.Millisecond) {
		if a, err := http.Get(o.url + "/api/version"); err == nil {
			a.Body.Close()
			return
		}
		if time.Now().After(until) {
			o.t.Fatal("Ollama does not answer")
		}
	}
}

// signal sends a signal to the server and its runners.
func (o *ollama) signal(s syscall.Signal) { syscall.Kill(-o.cmd.Process.Pid, s) }

func (o *ollama) kill() {
	o.signal(syscall.SIGKILL)
	o.cmd.Wait()
}

// A real Ollama on this machine's CPU, beside a virtual board's power: run, tune, restart, stall and kill.
func TestOllamaIsMeasuredAndTunedEndToEnd(t *testing.T) {
	binary, err := exec.LookPath("ollama")
	if os.Getenv("JTUNE_LONG") == "" || err != nil {
		t.Skip("takes minutes and an Ollama in the PATH (go install github.com/ollama/ollama@v0.6.8): JTUNE_LONG=1")
	}
	l := must.Get(net.Listen("tcp", "127.0.0.1:0"))(t)
	address := l.Addr().String()
	l.Close()
	dir := t.TempDir()
	server := &ollama{t: t, binary: binary, url: "http://" + address, env: append(os.Environ(), "OLLAMA_HOST="+address,
		"OLLAMA_MODELS="+filepath.Join(dir, "models"), "HOME="+dir)}
	server.start()
	t.Cleanup(func() { server.kill() })
	for name, text := range map[string][]byte{"tiny.gguf": tinyModel(), "Modelfile": []byte("FROM ./tiny.gguf\n")} {
		must.NoError(t, os.WriteFile(filepath.Join(dir, name), text, 0o600))
	}
	create := exec.Command(binary, "create", "tiny", "-f", "Modelfile")
	create.Dir, create.Env = dir, server.env
	if out, err := create.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	settings := filepath.Join(dir, "config.toml")
	text := fmt.Sprintf("[workload.tiny]\nkind = \"infer\"\nunit = \"token\"\nsilence_s = 60\n"+
		"server = { api = \"ollama\", url = %q, prompt_tokens = 8, output_tokens = 4, beside = \"llama\" }\n",
		server.url)
	must.NoError(t, os.WriteFile(settings, []byte(text), 0o600))
	s := sessiontest.Open(t, session.Options{Device: "virtual:agx-orin", Speed: 1,
		Paths: config.Paths{Config: settings},
		Seed:  1})
	w, err := workloads.Find(s, "tiny")
	if err != nil || w.Server.Model != "tiny:latest" {
		t.Fatalf("model %q, %v: want the one that is there", w.Server.Model, err)
	}
	notes := ""
	run, err := Run(t.Context(), s, measure.RunRequest{Workload: w, NoRecord: true, Minibatches: 4},
		func(e measure.Event) {
			note, _ := e.(measure.NoteEvent)
			notes += string(note)
		})
	v := run.Character.Serving
	if err != nil || v == nil || v.Units != 4*run.Minibatches || !v.PerS.OK || len(v.Phases) != 2 ||
		!strings.Contains(notes, "on the CPU") {
		t.Fatalf("%+v, %q, %v", v, notes, err)
	}
	t.Logf("%.4g tokens/s, first token after %.4g ms", v.PerS.V, v.TTFTMS.V)
	request := measure.TuneRequest{Measuring: measure.Measuring{Workload: w,
		Settings: record.Settings{Minibatches: 2, MinSamples: 1,
			SampleEvery: 100 * time.Millisecond, FixedWait: 300 * time.Millisecond}},
		Questions: metric.Question{Limit: metric.LeastEnergy}.List(),
		Asked:     record.Asked{Reference: "none", Probes: 5}}
	found := s.Setup().Mode
	out, err := search.Tune(t.Context(), s, request, nil)
	if err != nil || !out.Answers[0].Feasible || len(out.Probes) < 3 || s.Setup().Mode != found {
		t.Errorf("%d measurements, %v", len(out.Probes), err)
	}
	must.Equal(t, must.Get(http.Get(server.url+"/api/version"))(t).StatusCode, http.StatusOK)
	// A stalled server is tried again, and then does not say either that it is ready.
	for name, do := range map[string]func(){"it stalls": func() { server.signal(syscall.SIGSTOP) },
		"it is killed": server.kill} {
		done := make(chan struct{})
		go func() {
			time.Sleep(3 * time.Second)
			do()
			close(done)
		}()
		request.Probes = 0
		_, err := search.Tune(t.Context(), s, request, nil)
		<-done
		if err == nil || !strings.Contains(err.Error(), server.url) || strings.Contains(err.Error(), "\n") ||
			s.Setup().Mode != found {
			t.Errorf("%s: %v, the board is in %v", name, err, s.Setup().Mode)
		}
		server.signal(syscall.SIGCONT)
		server.kill()
		server.start()
		if _, err := Run(t.Context(), s, measure.RunRequest{Workload: w, NoRecord: true, Minibatches: 2},
			nil); err != nil {
			t.Errorf("after a restart: %v", err)
		}
	}
}
