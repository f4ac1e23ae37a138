package sessiontest

import (
	"fmt"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"
	"time"

	"jtune/tegra/virtual"
	"jtune/tui/session"
	"jtune/tui/session/config"
)

// languageModel is a server whose tokens take as long as those of a virtual board and advance the board's clock.
type languageModel struct {
	board *virtual.Board
	api   string
}

const AnswerTokens = 8

func (l *languageModel) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch r.URL.Path {
	case "/v1/models":
		io.WriteString(w, `{"data":[{"id":"qwen3-4b"}]}`)
		return
	case "/api/ps", "/api/tags":
		io.WriteString(w, `{"models":[{"name":"qwen3-4b","size":9,"size_vram":9}]}`)
		return
	case "/api/version":
		io.WriteString(w, `{"version":"0.6.8"}`)
		return
	}
	io.Copy(io.Discard, r.Body)
	line := "data: {\"choices\":[{\"text\":\"x\"}]}\n\n"
	end := `data: {"usage":{"prompt_tokens":16,"completion_tokens":%d},` + `"timings":{"prompt_ms":1,"predicted_ms":%f}}` + "\n\ndata: [DONE]\n\n"
	if l.api == "ollama" {
		line = "{\"response\":\"x\"}\n"
		end = `{"done":true,"prompt_eval_count":16,"prompt_eval_duration":1000000,"eval_count":%d,"eval_duration":%f}` + "\n"
	}
	took := 0.0
	for range AnswerTokens {
		m, err := l.board.NextMinibatch(r.Context())
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		took += m.TimeMS
		io.WriteString(w, line)
	}
	if l.api == "ollama" {
		took *= 1e6
	}
	fmt.Fprintf(w, end, AnswerTokens, took)
	time.Sleep(time.Millisecond) // limits how far it runs ahead while a model is fitted
}

// BesideServer opens a fast virtual board whose workload "chat" is a server that follows it. The board has no
// deviations of single modes.
func BesideServer(t *testing.T, api string, seed uint64) (*session.Session, *httptest.Server) {
	t.Helper()
	settings := filepath.Join(t.TempDir(), "config.toml")
	l := &languageModel{api: api}
	server := httptest.NewServer(l)
	t.Cleanup(server.Close)
	text := fmt.Sprintf("[workload.chat]\nkind = \"infer\"\nunit = \"token\"\nserver = { api = %q, url = %q, "+
		"prompt_tokens = 16, output_tokens = %d, beside = \"llama\" }\n", api, server.URL, AnswerTokens)
	if err := os.WriteFile(settings, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	o := session.Options{Device: "virtual:agx-orin", Speed: math.Inf(1),
		Paths: config.Paths{Config: settings, DataDir: t.TempDir()},
		Seed:  seed}
	s, err := session.OpenBoard(o, virtual.AGXOrin, virtual.Options{Name: virtual.AGXOrin, Speed: o.Speed, Seed: seed,
		Noise: new(float64)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	l.board = s.Virtual
	return s, server
}
