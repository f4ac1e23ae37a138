package serve

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"jtune/internal/arrivals"
	"jtune/internal/must"
	"jtune/internal/tools/reliability"
	"jtune/profiles/harness"
	"jtune/tegra"
)

// fake is a server with a model whose answers are written by answer.
type fake struct {
	models string // JSON of /v1/models, or of Ollama's lists
	answer func(w http.ResponseWriter, r *http.Request, body string)
}

func (f fake) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch r.URL.Path {
	case "/v1/models", "/api/ps", "/api/tags":
		io.WriteString(w, f.models)
	case "/api/version":
		io.WriteString(w, `{"version":"0.6.8"}`)
	case "/v1/completions", "/api/generate":
		body, _ := io.ReadAll(r.Body)
		f.answer(w, r, string(body))
	default:
		http.NotFound(w, r)
	}
}

const (
	oneModel    = `{"data":[{"id":"qwen3","owned_by":"llamacpp"}]}`
	ollamaModel = `{"models":[{"name":"tiny:latest","size":100,"size_vram":0,"details":{"quantization_level":"Q4_K_M"}}]}`
)

// good answers with three tokens as llama-server does.
func good(w http.ResponseWriter, _ *http.Request, _ string) {
	for range 3 {
		io.WriteString(w, "data: {\"choices\":[{\"text\":\"x\"}]}\n\n")
	}
	io.WriteString(w, `data: {"choices":[],"usage":{"prompt_tokens":40,"completion_tokens":3},`+
		`"timings":{"prompt_ms":12.5,"predicted_ms":30}}`+"\n\ndata: [DONE]\n\n")
}

func goodOllama(w http.ResponseWriter, _ *http.Request, _ string) {
	io.WriteString(w, "{\"response\":\"a\",\"done\":false}\n{\"response\":\"b\",\"done\":false}\n"+
		`{"response":"","done":true,"load_duration":5000000000,"prompt_eval_count":40,"prompt_eval_duration":12500000,`+
		`"eval_count":2,"eval_duration":30000000}`+"\n")
}

func serves(t *testing.T, api string, f fake) (harness.Harness, error) {
	t.Helper()
	return servesWithin(t, api, f, time.Minute)
}

// servesWithin gives up an answer that stalls for so long.
func servesWithin(t *testing.T, api string, f fake, silence time.Duration) (harness.Harness, error) {
	t.Helper()
	s := httptest.NewServer(f)
	t.Cleanup(s.Close)
	h, err := New(t.Context(), Options{API: api, URL: s.URL, PromptTokens: 64, OutputTokens: 3,
		Silence: silence})
	if err == nil {
		t.Cleanup(func() { h.Stop(context.Background()) })
	}
	return h, err
}

func TestServerRequestsBecomeBatchesOfTokens(t *testing.T) {
	t.Parallel()
	for api, f := range map[string]fake{OpenAI: {oneModel, good}, Ollama: {ollamaModel, goodOllama}} {
		h := must.Get(serves(t, api, f))(t)
		seen := map[harness.Kind]int{}
		for seen[harness.Infer] < 6 {
			e := must.Get(h.Next(t.Context()))(t)
			seen[e.Kind]++
			switch e.Kind {
			case harness.Hello:
				if e.Info["kind"] != "infer" || e.Info["unit"] != "token" || e.Info["model"] == "" {
					t.Errorf("%s: hello %v", api, e.Info)
				}
			case harness.Infer:
				want := map[string]int{OpenAI: 3, Ollama: 2}[api]
				if e.N != want || e.PrefillMS != tegra.Some(12.5) || e.DecodeMS != tegra.Some(30.0) || e.TimeMS <= 0 ||
					e.Unclean != (seen[harness.Infer] <= warmUp) {
					t.Errorf("%s: batch %d: %+v", api, seen[harness.Infer], e)
				}
			case harness.Request:
				if e.In != 40 || e.Latency() <= 0 || e.Arrive > e.Start || e.Start > e.First || e.First > e.T {
					t.Errorf("%s: request %+v", api, e)
				}
			}
		}
		if seen[harness.Warm] != 1 || seen[harness.Request] != 4 ||
			seen[harness.Note] != map[string]int{Ollama: 2}[api] { // it runs on the CPU, and its answers are short
			t.Errorf("%s: %v", api, seen)
		}
		if err := h.Stop(t.Context()); err != nil {
			t.Error(err)
		}
	}
}

// endless answers with the same line until the client has gone.
func endless(line string) func(http.ResponseWriter, *http.Request, string) {
	return func(w http.ResponseWriter, r *http.Request, _ string) {
		for r.Context().Err() == nil {
			io.WriteString(w, line)
			w.(http.Flusher).Flush()
			time.Sleep(time.Millisecond)
		}
	}
}

// says answers with that many pieces, and with its own counts of tokens.
func says(pieces, in, out int) func(http.ResponseWriter, *http.Request, string) {
	return func(w http.ResponseWriter, _ *http.Request, _ string) {
		io.WriteString(w, strings.Repeat("data: {\"choices\":[{\"text\":\"x\"}]}\n\n", pieces))
		fmt.Fprintf(w, "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":%d,\"completion_tokens\":%d}}\n\n"+
			"data: [DONE]\n\n", in, out)
	}
}

// Servers that fail: the measurement ends with one line that says what is wrong.
func TestServerThatFailsEndsWithAReason(t *testing.T) {
	t.Parallel()
	stall := func(w http.ResponseWriter, r *http.Request, _ string) {
		io.WriteString(w, "data: {\"choices\":[{\"text\":\"x\"}]}\n\n")
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	}
	for name, c := range map[string]struct {
		api  string
		f    fake
		want string
	}{
		"answers 500": {OpenAI, fake{oneModel, func(w http.ResponseWriter, _ *http.Request, _ string) {
			http.Error(w, `{"error":{"message":"out of memory"}}`, 500)
		}}, "HTTP status 500: out of memory"},
		"stalls": {OpenAI, fake{oneModel, stall}, "nothing comes for 200 ms: it stalls"},
		"breaks off": {OpenAI, fake{oneModel, func(w http.ResponseWriter, _ *http.Request, _ string) {
			io.WriteString(w, "data: {\"choices\":[{\"text\":\"x\"}]}\n\n")
		}}, "broke off after 1 tokens"},
		"dies in the middle": {OpenAI, fake{oneModel, func(w http.ResponseWriter, _ *http.Request, _ string) {
			io.WriteString(w, "data: {\"choices\":[{\"text\":\"x\"}]}\n\n")
			w.(http.Flusher).Flush()
			panic(http.ErrAbortHandler)
		}}, "unexpected EOF"},
		"streams garbage": {OpenAI, fake{oneModel, func(w http.ResponseWriter, _ *http.Request, _ string) {
			io.WriteString(w, strings.Repeat("data: \x1b[31m{{{{\n\n", 10))
		}}, "no JSON"},
		"streams one endless line": {OpenAI, fake{oneModel, func(w http.ResponseWriter, _ *http.Request, _ string) {
			io.WriteString(w, strings.Repeat("x", mostLine+10))
		}}, "token too long"},
		"does not end": {OpenAI, fake{oneModel, func(w http.ResponseWriter, r *http.Request, _ string) {
			for r.Context().Err() == nil {
				io.WriteString(w, "data: {\"choices\":[{\"text\":\"x\"}]}\n\n")
			}
		}}, "does not end"},
		"keeps alive without an answer": {OpenAI, fake{oneModel, endless(": keep-alive\n\n")}, "nothing comes for"},
		"streams pieces without text": {OpenAI, fake{oneModel, endless("data: {\"choices\":[{\"text\":\"\"}]}\n\n")},
			"nothing comes for"},
		"streams pieces of no text to Ollama's client": {Ollama, fake{ollamaModel, endless("{\"response\":\"\"}\n")},
			"nothing comes for"},
		"says a million tokens": {OpenAI, fake{oneModel, says(3, 40, 1000000)},
			"1,000,000 tokens for a request of 3"},
		"says a million tokens of the prompt": {OpenAI, fake{oneModel, says(3, 1000000, 3)},
			"a prompt of 1,000,000 tokens"},
		"streams an error": {Ollama, fake{ollamaModel, func(w http.ResponseWriter, _ *http.Request, _ string) {
			io.WriteString(w, `{"error":"model runner has unexpectedly stopped"}`+"\n")
		}}, "model runner has unexpectedly stopped"},
		"answers nothing": {Ollama, fake{ollamaModel, func(w http.ResponseWriter, _ *http.Request, _ string) {
			io.WriteString(w, `{"done":true}`+"\n")
		}}, "the answer is empty"},
		"has no model":       {OpenAI, fake{`{"data":[]}`, good}, "serves none; load one, or give “weights”"},
		"has several models": {OpenAI, fake{`{"data":[{"id":"a"},{"id":"b"}]}`, good}, "serves a, b; give “weights”"},
		"has a model of a long name": {OpenAI, fake{`{"data":[{"id":"` + strings.Repeat("x", 3000) + `"}]}`, good},
			"has more than 200 bytes"},
		"has a model of no name": {OpenAI, fake{`{"data":[{"id":"a\u0085b"}]}`, good}, "or control characters"},
		"has no Ollama model":    {Ollama, fake{`{"models":[]}`, goodOllama}, "has none; load one"},
		"lists garbage":          {OpenAI, fake{`<html>`, good}, "answers no JSON"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			silence := time.Minute
			if strings.HasPrefix(c.want, "nothing comes") {
				silence = 200 * time.Millisecond
			}
			h, err := servesWithin(t, c.api, c.f, silence)
			for err == nil {
				_, err = h.Next(t.Context())
			}
			if errors.Is(err, io.EOF) || !strings.Contains(err.Error(), c.want) ||
				strings.ContainsAny(err.Error(), "\n\x1b") {
				t.Errorf("%v, want %q", err, c.want)
			}
		})
	}
}

// One stall says enough where nothing else is answered: three would take three times as long.
func TestServerThatStallsLaterEndsAtTheFirstStall(t *testing.T) {
	t.Parallel()
	var asked atomic.Int32
	h, err := servesWithin(t, OpenAI, fake{oneModel, func(w http.ResponseWriter, r *http.Request, body string) {
		if asked.Add(1) > warmUp+2 {
			endless(": keep-alive\n\n")(w, r, body)
			return
		}
		good(w, r, body)
	}}, time.Second)
	for err == nil {
		_, err = h.Next(t.Context())
	}
	if n := asked.Load(); n != warmUp+3 || !strings.Contains(err.Error(), "it stalls") {
		t.Errorf("%d requests, %v", n, err)
	}
}

// A server that holds one answer up is charged for all the requests that were due in that time.
func TestServerAtARateIsChargedFromTheSchedule(t *testing.T) {
	t.Parallel()
	var asked atomic.Int32
	var one sync.Mutex
	s := httptest.NewServer(fake{oneModel, func(w http.ResponseWriter, r *http.Request, body string) {
		one.Lock()
		defer one.Unlock()
		if asked.Add(1) == 10 {
			time.Sleep(400 * time.Millisecond)
		}
		good(w, r, body)
	}})
	t.Cleanup(s.Close)
	h := must.Get(New(t.Context(), Options{API: OpenAI, URL: s.URL, OutputTokens: 3, Silence: time.Minute,
		Load: arrivals.Load{Pattern: arrivals.Uniform, RatePerS: 100}}))(t)
	slow := 0
	for n := 0; n < 60; {
		if e := must.Get(h.Next(t.Context()))(t); e.Kind == harness.Request {
			if n++; e.Latency() > 150 {
				slow++
			}
		}
	}
	h.Stop(t.Context())
	if slow < 20 {
		t.Errorf("%d requests waited for more than 150 ms of a stall of 400 ms at 100 a second", slow)
	}
}

// A field that other servers of the API do not know is omitted after one refusal.
func TestServerThatKnowsNoExtrasIsAskedWithoutThem(t *testing.T) {
	t.Parallel()
	refusals := 0
	h, err := serves(t, OpenAI, fake{oneModel, func(w http.ResponseWriter, r *http.Request, body string) {
		if strings.Contains(body, "ignore_eos") {
			refusals++
			http.Error(w, `{"error":"unknown field ignore_eos"}`, http.StatusUnprocessableEntity)
			return
		}
		good(w, r, body)
	}})
	must.NoError(t, err)
	for n := 0; n < 5; {
		if e := must.Get(h.Next(t.Context()))(t); e.Timed() {
			n++
		}
	}
	h.Stop(t.Context())
	if refusals != 1 {
		t.Errorf("refused %d times", refusals)
	}
}

// unusedPort returns a port below those that systems give to servers that ask for any: other tests ask for these.
func unusedPort(t *testing.T) int {
	t.Helper()
	for range 100 {
		port := 20000 + rand.IntN(10000)
		if l, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port)); err == nil {
			l.Close()
			return port
		}
	}
	t.Fatal("no port is free")
	return 0
}

func TestServerThatIsNotThereIsStartedByItsCommandAndEnded(t *testing.T) {
	t.Parallel()
	port := strconv.Itoa(unusedPort(t))
	url := "http://127.0.0.1:" + port
	if _, err := New(t.Context(), Options{API: OpenAI, URL: url}); err == nil ||
		!strings.Contains(err.Error(), "no server answers at "+url) {
		t.Errorf("no server and no command: %v", err)
	}
	_, err := New(t.Context(), Options{API: OpenAI, URL: url, Start: harness.ExecOptions{Command: []string{"sh", "-c",
		"echo no such model >&2; exit 1"}}})
	if err == nil || !strings.Contains(err.Error(), "no such model") {
		t.Errorf("a server that ends at once: %v", err)
	}
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("no python3")
	}
	script := filepath.Join(t.TempDir(), "server.py")
	text := `
import http.server, sys
class H(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200); self.end_headers(); self.wfile.write(b'{"data":[{"id":"x"}]}')
    def do_POST(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        self.send_response(200); self.end_headers()
        self.wfile.write(b'data: {"choices":[{"text":"x"}]}\n\ndata: [DONE]\n\n')
    def log_message(self, *a): pass
http.server.ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), H).serve_forever()
`
	must.NoError(t, os.WriteFile(script, []byte(text), 0o600))
	h := must.Get(New(t.Context(), Options{API: OpenAI, URL: url, OutputTokens: 1,
		Start: harness.ExecOptions{Command: []string{python, script, port}}}))(t)
	for n := 0; n < 4; {
		if e := must.Get(h.Next(t.Context()))(t); e.Timed() {
			n++
		}
	}
	if err := h.Stop(t.Context()); err != nil {
		t.Error(err)
	}
	if _, err := http.Get(url + "/v1/models"); err == nil {
		t.Error("the server that was started still runs")
	}
}

// A decode rate counts tokens: those that the server counts, or its pieces where an answer of full length proves that
// they are tokens. The first piece belongs to the prompt, and a single one has no rate.
func TestDecodeCountsTokensThatAreProven(t *testing.T) {
	t.Parallel()
	const text = `data: {"choices":[{"text":"x"}]}` + "\n\n"
	usage := func(out int) string {
		return fmt.Sprintf(`data: {"choices":[],"usage":{"prompt_tokens":9,"completion_tokens":%d}}`+"\n\n", out)
	}
	const timings = `data: {"timings":{"prompt_ms":12.5,"predicted_ms":0.001}}` + "\n\n"
	for _, c := range []struct {
		name         string
		answer       string
		each         bool // a former answer proved that pieces are tokens
		out, decoded int  // 0: refused; no rate
	}{
		{"a token a piece, counted", strings.Repeat(text, 128) + usage(128), false, 128, 127},
		{"four a piece, counted", strings.Repeat(text, 32) + usage(128), false, 128, 124},
		{"four a piece, not counted", strings.Repeat(text, 32), false, 0, 0},
		{"full length, not counted", strings.Repeat(text, 128), false, 128, 127},
		{"shorter, of pieces known to be tokens", strings.Repeat(text, 10), true, 10, 9},
		{"one token", text + usage(1), false, 1, 0},
		{"all in one piece", text + usage(128), false, 128, 0},
		{"one token by the server's clock", text + usage(1) + timings, false, 1, 0},
		{"nothing", usage(0), false, 0, 0},
	} {
		var each atomic.Bool
		each.Store(c.each)
		s := stream{clock: tegra.RealClock()}
		err := s.read(strings.NewReader(c.answer+"data: [DONE]\n\n"), OpenAI, 128)
		if err == nil {
			err = s.count(128, &each)
		}
		if (err == nil) != (c.out > 0) {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if s.finish(); err == nil && (s.a.out != c.out || s.a.decodeMS.OK != (c.decoded > 0) ||
			c.decoded > 0 && s.a.decoded != c.decoded) {
			t.Errorf("%s: %+v, want %d tokens, %d of them decoded", c.name, s.a, c.out, c.decoded)
		}
	}
}

// A server that ends its answers early, or counts more tokens than come, is named once.
func TestServerOfOtherAnswersThanAskedIsNamedOnce(t *testing.T) {
	t.Parallel()
	for said, answer := range map[string]func(http.ResponseWriter, *http.Request, string){
		"2 tokens of 3 asked for": says(2, 40, 2), "counts 3 tokens in 2 pieces": says(2, 40, 3),
		"": says(3, 40, 3),
	} {
		h := must.Get(serves(t, OpenAI, fake{oneModel, answer}))(t)
		notes, batches := 0, 0
		for batches < 6 {
			e := must.Get(h.Next(t.Context()))(t)
			if e.Kind == harness.Note && strings.Contains(e.Message, said) {
				notes++
			}
			if e.Timed() {
				batches++
			}
		}
		if want := min(1, len(said)); notes != want {
			t.Errorf("%q: said %d times, want %d", said, notes, want)
		}
	}
}

func FuzzStream(f *testing.F) {
	f.Add([]byte("data: {\"choices\":[{\"text\":\"x\"}]}\n\ndata: [DONE]\n"), true)
	f.Add([]byte("{\"response\":\"a\"}\n{\"done\":true,\"eval_count\":3,\"eval_duration\":1e9}\n"), false)
	f.Fuzz(func(t *testing.T, text []byte, openAI bool) {
		defer reliability.Input(t)()
		api := Ollama
		if openAI {
			api = OpenAI
		}
		s := stream{clock: tegra.RealClock()}
		err := s.read(strings.NewReader(string(text)), api, 8)
		if err == nil {
			err = s.count(8, new(atomic.Bool))
		}
		s.finish()
		if err == nil && (s.a.out < 1 || s.a.in < 0 || s.a.end < s.a.first ||
			s.a.prefillMS.V < 0 || s.a.decodeMS.V < 0) {
			t.Errorf("%q: %+v", text, s.a)
		}
	})
}

func ExampleLoaded() {
	server := httptest.NewServer(fake{models: oneModel})
	defer server.Close()
	model, err := Loaded(context.Background(), Options{API: OpenAI, URL: server.URL})
	fmt.Println(model, err)
	// Output: qwen3 <nil>
}
