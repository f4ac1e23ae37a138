package search

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"jtune/internal/arrivals"
	"jtune/internal/must"
	"jtune/optimize"
	"jtune/optimize/mix"
	"jtune/profiles/record"
	"jtune/profiles/workload"
	"jtune/tegra"
	"jtune/tegra/metric"
	"jtune/tui/session"
	"jtune/tui/session/config"
	"jtune/tui/session/measure"
	"jtune/tui/session/models"
	"jtune/tui/session/sessiontest"
	"jtune/tui/session/workloads"
)

// crowded is a server that answers one request after the other in the time that a virtual board's mode asks
// for, on the machine's clock and twenty times as fast. While others wait it takes longer, which no service time
// tells.
type crowded struct {
	s       *session.Session
	slower  float64
	one     sync.Mutex
	waiting atomic.Int32
	asked   atomic.Int32
}

func (c *crowded) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path != "/v1/completions" {
		io.WriteString(w, `{"data":[{"id":"qwen3-4b"}]}`)
		return
	}
	io.Copy(io.Discard, r.Body)
	c.asked.Add(1)
	crowd := c.waiting.Add(1) > 1
	defer c.waiting.Add(-1)
	c.one.Lock()
	defer c.one.Unlock()
	if r.Context().Err() != nil {
		return
	}
	ms, _, err := c.s.Virtual.Truth("llama", c.s.Setup().Mode.V)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	if ms *= sessiontest.AnswerTokens / 20.0; crowd {
		ms *= c.slower
	}
	time.Sleep(time.Duration(ms * float64(time.Millisecond)))
	for range sessiontest.AnswerTokens {
		io.WriteString(w, "data: {\"choices\":[{\"text\":\"x\"}]}\n\n")
	}
	fmt.Fprintf(w, "data: {\"usage\":{\"prompt_tokens\":16,\"completion_tokens\":%d}}\n\ndata: [DONE]\n\n",
		sessiontest.AnswerTokens)
}

// atARate opens a board at the speed of the machine beside a crowded server.
func atARate(t *testing.T, slower float64) (*session.Session, *crowded, measure.TuneRequest) {
	t.Helper()
	c := &crowded{slower: slower}
	server := httptest.NewServer(c)
	t.Cleanup(server.Close)
	settings := filepath.Join(t.TempDir(), "config.toml")
	text := fmt.Sprintf("[workload.chat]\nkind = \"infer\"\nunit = \"token\"\nserver = { api = \"openai\", url = %q, "+
		"prompt_tokens = 16, output_tokens = %d, beside = \"llama\" }\n", server.URL, sessiontest.AnswerTokens)
	must.NoError(t, os.WriteFile(settings, []byte(text), 0o600))
	s := sessiontest.Open(t, session.Options{Device: "virtual:agx-orin", Speed: 1,
		Paths: config.Paths{Config: settings, DataDir: t.TempDir()},
		Seed:  1})
	c.s = s
	w := must.Get(workloads.Find(s, "chat"))(t)
	fast := record.Settings{Minibatches: 3, MinSamples: 1, SampleEvery: 20 * time.Millisecond,
		FixedWait: 40 * time.Millisecond}
	return s, c, measure.TuneRequest{Measuring: measure.Measuring{Workload: w, Settings: fast}, Keep: true,
		Questions: metric.Question{}.List(), Asked: record.Asked{Reference: "none"}}
}

// An answer is tried with requests at the rate. The limit is far above what a busy machine adds.
func TestTuneUnderALoadTriesItsAnswerWithRealRequests(t *testing.T) {
	if testing.Short() {
		t.Skip("fits models; profiles/load tests the requests")
	}
	t.Parallel()
	s, c, r := atARate(t, 1)
	r.Load = arrivals.Spec{RatePerS: 10, LatencyMS: 30_000, Quantile: 0.5}
	configured := r
	configured.Workload.Load = workload.Demand{Rate: 10}
	out, err := Tune(t.Context(), s, configured, nil)
	if err != nil || out.Kept == "" {
		t.Fatalf("model %q, %v", out.Kept, err)
	}
	last := out.Sent[len(out.Sent)-1]
	if !out.Answers[0].Feasible || !last.Meets() || last.Setting != out.Answers[0].Setting ||
		!(last.LatencyMS.V > 0 && last.LatencyMS.V <= 30_000) || last.Serving.Requests < fewestSent/2 ||
		!last.MeanW.OK {
		t.Errorf("%+v; sent %+v", out.Result.Answers[0].Measured, last)
	}
	if a := out.Answers[0]; a.Serving == nil || !a.Serving.UnitJ.OK || len(a.Serving.Phases) != 2 {
		t.Errorf("the answer's inference: %+v", a.Serving)
	}
	head, rows, err := record.Read(last.Dir)
	if err != nil || len(rows) != 1 || head.Workload.Load != (workload.Demand{Rate: 10, Arrivals: "poisson"}) {
		t.Errorf("the campaign of the requests: %+v, %d rows, %v", head.Workload.Load, len(rows), err)
	}
	must.Equal(t, len(must.Get(models.PoolOf(s, r.Workload, nil))(t).Parts), len(out.Sent))
	if c.asked.Load() < 50 {
		t.Errorf("%d requests", c.asked.Load())
	}
}

func TestTuneUnderALoadSaysWhenTheServerDoesNotFollow(t *testing.T) {
	t.Parallel()
	s, _, r := atARate(t, 8)
	r.Load = arrivals.Spec{RatePerS: 30, LatencyMS: 40, Quantile: 0.5}
	if os.Getenv("JTUNE_LONG") == "" { // the answer alone, without the 20 s of the search
		asked := must.Get(mix.AskOf(metric.Question{Load: r.Load}, 1))(t)
		got, err := send(t.Context(), s, r, asked,
			tegra.Setting{Mode: s.Device.Space().Max()}, nil)
		if err != nil || got.Meets() || !got.LatencyMS.OK || got.Serving.Requests < fewestSent {
			t.Errorf("%+v, %v", got, err)
		}
		return
	}
	r.Dir = filepath.Join(t.TempDir(), "asked") // of the first campaign; further ones are in the data directory
	out, err := Tune(t.Context(), s, r, nil)
	if !errors.Is(err, optimize.ErrInfeasible) || out.Home != r.Dir || out.Answers[0].Feasible || len(out.Sent) == 0 ||
		out.Sent[0].Meets() {
		t.Fatalf("%d tried, %v", len(out.Sent), err)
	}
	must.Contain(t, err.Error(), "30/s poisson, p50 ≤ 40 ms): nearest is ", "with requests sent at that rate")
}

func TestRequestsForAQuantileAreEnoughForItWithinFiveMinutes(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		rate, quantile, latencyMS float64
		want                      int
	}{{30, 0.99, 50, 1000}, {30, 0.95, 50, 200}, {30, 0.5, 50, 20}, {30, 0.99, 0, 20}, {0.5, 0.99, 50, 150},
		{0.01, 0.99, 50, 20}} {
		a := mix.Ask{Quantile: c.quantile, LatencyMS: c.latencyMS,
			Load: arrivals.Load{Pattern: arrivals.Poisson, RatePerS: c.rate}}
		must.Equal(t, requestsFor(a), c.want, c)
	}
}
