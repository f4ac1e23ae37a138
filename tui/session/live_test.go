package session

import (
	"errors"
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

	"jtune/optimize"
	"jtune/tegra/virtual"
)

// busyServer is a server with users of its own: it counts what it serves, as llama-server does. Its tokens are those
// that a virtual board simulates, and move its clock.
type busyServer struct {
	board *virtual.Board
	posts atomic.Int32

	mu       sync.Mutex
	tokens   int
	decodeMS float64
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
		b.tokens, b.decodeMS = b.tokens+n, b.decodeMS+took
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if r.URL.Path != "/metrics" {
		http.NotFound(w, r)
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
	o := Options{Device: "virtual:agx-orin", Speed: math.Inf(1), Config: config, DataDir: t.TempDir(), Seed: 1}
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
// power within it is found: 7 % above, for what may be too slow is never tried.
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
	if err != nil || !r.Feasible || len(r.Probes) > 14 || ms > 1.01*perToken || power > 1.12*leastW {
		t.Errorf("%v after %d measurements: %.4g ms a token, %.4g W, the least is %.4g (%v)", r.Setting.Mode,
			len(r.Probes), ms, power, leastW, err)
	}
	for _, p := range r.Probes {
		if ms, _, err := s.Virtual.Truth("llama", p.Mode); err != nil || ms > 1.1*perToken {
			t.Errorf("%v was tried: %.4g ms a token", p.Mode, ms)
		}
	}
	if a := r.Answers(TuneRequest{})[0].Serving; a == nil || a.Units < 8*4 || !a.UnitJ.OK {
		t.Errorf("the answer's inference: %+v", a)
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
		"no latency":  {TuneRequest{Limit: optimize.Limit{Energy: true}}, "--latency MS"},
		"a rate":      {TuneRequest{Serving: &Serving{RatePerS: 3, LatencyMS: 9}}, "nothing is sent"},
		"at random":   {TuneRequest{Limit: optimize.Limit{TimeMS: 9}, Strategy: optimize.Random}, "slow modes"},
		"whole front": {TuneRequest{Limit: optimize.Limit{TimeMS: 9}, Coverage: CoverFront}, "slow modes"},
	} {
		c.r.Workload = w
		_, err := s.Tune(t.Context(), c.r, nil)
		if !errors.Is(err, ErrUsage) || !strings.Contains(err.Error(), c.words) {
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
