package sessiontest

import (
	"fmt"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"jtune/tegra/virtual"
	"jtune/tui/session"
	"jtune/tui/session/config"
)

// busyServer is a server with its own users: it counts what it serves, as llama-server does. Its tokens are simulated
// by a virtual board and advance the board's clock.
type busyServer struct {
	board *virtual.Board
	posts atomic.Int32
	asked chan struct{} // after each request of a user

	Counted bool // also counts its answers by latency, as vLLM does

	mu       sync.Mutex
	tokens   int
	decodeMS float64
	requests int
	upTo     [60]int // answers within (index+1) times 20 ms
}

func (b *busyServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodPost {
		defer func() {
			select {
			case b.asked <- struct{}{}:
			default:
			}
		}()
		n := 4 + int(b.posts.Add(1))%9
		took := 0.0
		for range n {
			m, err := b.board.NextMinibatch(r.Context())
			if err != nil {
				return // between two jobs
			}
			took += m.TimeMS
		}
		b.mu.Lock()
		defer b.mu.Unlock()
		b.tokens, b.decodeMS, b.requests = b.tokens+n, b.decodeMS+took, b.requests+1
		for i := range b.upTo {
			if took <= 20*float64(i+1) {
				b.upTo[i]++
			}
		}
		return
	}
	if r.URL.Path != "/metrics" {
		http.NotFound(w, r)
		return
	}
	answers := 2 // users who get no time of a busy machine do not fall behind the board's clock
	if b.Counted {
		answers = 18 // of each length twice: one that began in the mode before is no twentieth of those since
	}
	for range answers {
		select {
		case <-b.asked:
		case <-r.Context().Done():
			return
		}
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.Counted {
		fmt.Fprintf(w, "vllm:generation_tokens_total %d\nvllm:request_success_total %d\n"+
			"vllm:e2e_request_latency_seconds_sum %g\n", b.tokens, b.requests, b.decodeMS/1000)
		for i, n := range b.upTo {
			fmt.Fprintf(w, "vllm:e2e_request_latency_seconds_bucket{le=\"%g\"} %d\n", 0.02*float64(i+1), n)
		}
		fmt.Fprintf(w, "vllm:e2e_request_latency_seconds_bucket{le=\"+Inf\"} %d\n", b.requests)
		return
	}
	fmt.Fprintf(w, "# TYPE llamacpp:tokens_predicted_total counter\nllamacpp:tokens_predicted_total %d\n"+
		"llamacpp:tokens_predicted_seconds_total %g\nllamacpp:prompt_seconds_total 0\nllamacpp:kv{a=\"}\"} 1\n",
		b.tokens, b.decodeMS/1000)
}

// Live opens a fast virtual board with a server whose users never pause, until the test ends.
func Live(t *testing.T) (*session.Session, *busyServer, string) {
	t.Helper()
	b := &busyServer{asked: make(chan struct{})}
	server := httptest.NewServer(b)
	settings := filepath.Join(t.TempDir(), "config.toml")
	text := fmt.Sprintf("[workload.chat]\nkind = \"infer\"\nunit = \"token\"\nserver = { counters = \"/metrics\", "+
		"url = %q, output_tokens = 8, beside = \"llama\" }\n", server.URL)
	if err := os.WriteFile(settings, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	o := session.Options{Device: "virtual:agx-orin", Speed: math.Inf(1),
		Paths: config.Paths{Config: settings, DataDir: t.TempDir()},
		Seed:  1}
	s, err := session.OpenBoard(o, virtual.AGXOrin, virtual.Options{Name: virtual.AGXOrin, Speed: o.Speed, Seed: 1,
		Noise: new(float64)})
	if err != nil {
		t.Fatal(err)
	}
	b.board = s.Virtual
	ended := make(chan struct{})
	var users sync.WaitGroup
	users.Go(func() {
		for {
			select {
			case <-ended:
				return
			default:
			}
			a, err := server.Client().Post(server.URL+"/completion", "text/plain", strings.NewReader("x"))
			if err == nil {
				io.Copy(io.Discard, a.Body)
				a.Body.Close()
			}
		}
	})
	t.Cleanup(func() {
		close(ended)
		users.Wait()
		s.Close()
		server.Close()
	})
	return s, b, server.URL
}
