package session

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

	"jtune/internal/usage"
	"jtune/optimize"
	"jtune/profiles/record"
	"jtune/tegra/virtual"
)

// busyServer is a server with users of its own: it counts what it serves, as llama-server does. Its tokens are those
// that a virtual board simulates, and move its clock.
type busyServer struct {
	board *virtual.Board
	posts atomic.Int32

	Counted bool // it counts its answers by their latency too, as vLLM does

	mu       sync.Mutex
	tokens   int
	decodeMS float64
	requests int
	upTo     [60]int // answers within so many times 20 ms
}

func (b *busyServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodPost {
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
	b.mu.Lock()
	defer b.mu.Unlock()
	if r.URL.Path != "/metrics" {
		http.NotFound(w, r)
		return
	}
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

// live opens a fast virtual board beside a server whose users never rest, until the test ends.
func live(t *testing.T) (*Session, *busyServer, string) {
	t.Helper()
	b := &busyServer{}
	server := httptest.NewServer(b)
	config := filepath.Join(t.TempDir(), "config.toml")
	text := fmt.Sprintf("[workload.chat]\nkind = \"infer\"\nunit = \"token\"\nserver = { counters = \"/metrics\", "+
		"url = %q, output_tokens = 8, beside = \"llama\" }\n", server.URL)
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	o := Options{Device: "virtual:agx-orin", Speed: math.Inf(1), Paths: Paths{Config: config, DataDir: t.TempDir()},
		Seed: 1}
	s, err := openBoard(o, virtual.AGXOrin, virtual.Options{Name: virtual.AGXOrin, Speed: o.Speed, Seed: 1,
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

// The users of a server find no probe slower than 1.1 times the latency that is asked for, and a mode near the least
// power within it is found: 2 to 6 % above, for what may be too slow is never tried.
func TestTuneOnRealTrafficSendsNothingAndKeepsTheLatency(t *testing.T) {
	if testing.Short() {
		t.Skip("numbers that one goroutine computes")
	}
	t.Parallel()
	s, _, _ := live(t)
	w, err := s.Workload("chat")
	if err != nil || !w.Live() {
		t.Fatalf("%+v, %v", w, err)
	}
	const perToken = 45.0
	leastW, space := math.Inf(1), s.Device.Space()
	for i := range space.Len() {
		if ms, power, err := s.Virtual.Truth("llama", space.At(i)); err == nil && ms <= perToken {
			leastW = min(leastW, power)
		}
	}
	r, err := s.Tune(t.Context(), TuneRequest{Measuring: Measuring{Workload: w}, Reference: "none", Keep: true,
		Serving: &Serving{LatencyMS: 8 * perToken}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	ms, power, err := s.Virtual.Truth("llama", r.Setting.Mode)
	t.Logf("%v after %d measurements: %.4g ms a token, %.4g W (least %.4g)", r.Setting.Mode, len(r.Probes), ms, power,
		leastW)
	// Its server answers in real time, so a busy machine changes the readings: 2 to 9 % were seen.
	if err != nil || !r.Feasible || len(r.Probes) > 14 || ms > 1.01*perToken || power > 1.12*leastW {
		t.Errorf("%v after %d measurements: %.4g ms a token, %.4g W, the least is %.4g (%v)", r.Setting.Mode,
			len(r.Probes), ms, power, leastW, err)
	}
	for _, p := range r.Probes {
		if ms, _, err := s.Virtual.Truth("llama", p.Mode); err != nil || ms > 1.1*perToken {
			t.Errorf("%v was tried: %.4g ms a token", p.Mode, ms)
		}
	}
	a := r.Answers(TuneRequest{})[0]
	if v := a.Serving; v == nil || v.Units < 8*4 || !v.UnitJ.OK || v.Latency != (record.Latency{}) {
		t.Errorf("the answer's inference: %+v", v)
	}
	if a.Sent == nil || !strings.Contains(a.Sent.Unsure, "the mean latency alone: whether p99 keeps 360 ms") ||
		a.Standing(optimize.Limit{TimeMS: 8 * perToken}).Ticked() {
		t.Errorf("of a quantile that its counters do not tell: %+v", a.Sent)
	}
}

// Where a server counts its answers by latency, the answer keeps the limit at the quantile, by what its users met.
func TestTuneOnRealTrafficKeepsAQuantileThatTheServerCounts(t *testing.T) {
	if testing.Short() {
		t.Skip("numbers that one goroutine computes")
	}
	t.Parallel()
	s, b, _ := live(t)
	b.Counted = true
	w, err := s.Workload("chat")
	if err != nil {
		t.Fatal(err)
	}
	const limit = 400
	r, err := s.Tune(t.Context(), TuneRequest{Measuring: Measuring{Workload: w}, Reference: "none", Keep: true,
		Serving: &Serving{LatencyMS: limit, Quantile: 0.95}}, nil)
	if err != nil || !r.Feasible || len(r.Sent) == 0 {
		t.Fatalf("%d tried, %v", len(r.Sent), err)
	}
	last := r.Sent[len(r.Sent)-1]
	if !last.Meets() || last.Unsure != "" || !last.Users || last.Serving.Requests < 200 || last.LatencyMS.V > limit {
		t.Errorf("%+v: %+v", last, last.Serving)
	}
	for _, one := range r.Sent { // answers of 4 to 12 tokens, alike often: p95 is that of 12
		ms, _, err := s.Virtual.Truth("llama", one.Mode)
		if err != nil || math.Abs(one.LatencyMS.V-12*ms) > 20 {
			t.Errorf("%v: p95 %.4g ms, 12 tokens take %.4g (%v)", one.Mode, one.LatencyMS.V, 12*ms, err)
		}
		t.Logf("%v: p95 %.4g ms of %d", one.Mode, one.LatencyMS.V, one.Serving.Requests)
	}
}

func TestTuneOnRealTrafficRefusesWhatItsUsersWouldFeel(t *testing.T) {
	t.Parallel()
	s, _, url := live(t)
	w, err := s.Workload("chat")
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		r     TuneRequest
		words string
	}{
		"no latency":  {TuneRequest{Limit: optimize.Limit{Energy: true}}, "with “latency” … or limit.latency_ms"},
		"a rate":      {TuneRequest{Serving: &Serving{RatePerS: 3, LatencyMS: 9}}, "nothing is sent"},
		"at random":   {TuneRequest{Limit: optimize.Limit{TimeMS: 9}, Strategy: optimize.Random}, "slow modes"},
		"whole front": {TuneRequest{Limit: optimize.Limit{TimeMS: 9}, Coverage: CoverFront}, "slow modes"},
	} {
		c.r.Workload = w
		_, err := s.Tune(t.Context(), c.r, nil)
		if !usage.Is(err) || !strings.Contains(err.Error(), c.words) {
			t.Errorf("%s: %v", name, err)
		}
	}
	w.Server.Counters = "/none"
	if _, err := s.Run(t.Context(), RunRequest{Workload: w, NoRecord: true}, nil); err == nil ||
		!strings.Contains(err.Error(), "counters at "+url+"/none: HTTP status 404") {
		t.Errorf("no such page: %v", err)
	}
	w.Server.Counters = "http://192.0.2.1/metrics"
	if _, err := s.Run(t.Context(), RunRequest{Workload: w, NoRecord: true}, nil); err == nil ||
		!strings.Contains(err.Error(), "not on the loopback") {
		t.Errorf("counters elsewhere: %v", err)
	}
}
