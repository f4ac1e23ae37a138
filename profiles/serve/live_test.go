package serve

import (
	"fmt"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"jtune/internal/must"
	"jtune/internal/tools/reliability"
	"jtune/profiles/harness"
)

func TestCountersAreAddedUpOverTheirLabels(t *testing.T) {
	t.Parallel()
	got, err := parseCounters(strings.NewReader("# HELP x words\n# TYPE x counter\n" +
		"vllm:request_success_total{finished_reason=\"stop\",model=\"a}b\"} 3\r\n" +
		"vllm:request_success_total{finished_reason=\"length\"} 4 1700000000\n" +
		"nv_inference_count 12\nbad\nworse{ 3\nnegative -1\nnone NaN\ninfinite +Inf\n\nlast 1e3"))
	want := map[string]float64{"vllm:request_success_total": 7, "nv_inference_count": 12, "last": 1000}
	if err != nil || fmt.Sprint(got.values) != fmt.Sprint(want) {
		t.Errorf("%v, %v, want %v", got, err, want)
	}
}

func TestCountersOfAHistogramAreAddedUpForEachBucket(t *testing.T) {
	t.Parallel()
	got, err := parseCounters(strings.NewReader("x_bucket{le=\"0.5\",model=\"a\"} 3\n" +
		"x_bucket{model=\"b\", le=\"0.5\"} 4\n" +
		"x_bucket{le=\"+Inf\"} 9\nx_bucket{le=\"NaN\"} 1\nx_bucket{le=\"\"} 1\nx_bucket 1\nx_bucket{handle=\"2\"} 1\n"))
	want := map[string]map[float64]float64{"x": {0.5: 7, math.Inf(1): 9}}
	if err != nil || fmt.Sprint(got.buckets) != fmt.Sprint(want) {
		t.Errorf("%v, %v, want %v", got.buckets, err, want)
	}
}

// pages is a server of counters that shows one page after the other, the last one for ever; "" is an error.
type pages struct {
	list []string
	at   atomic.Int32
}

func (p *pages) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet {
		panic("a request was sent")
	}
	page := p.list[min(int(p.at.Add(1)), len(p.list))-1]
	if page == "" {
		http.Error(w, "down", http.StatusServiceUnavailable)
		return
	}
	io.WriteString(w, page)
}

func vllm(tokens, requests int, seconds float64) string {
	return fmt.Sprintf("vllm:generation_tokens_total{m=\"a\"} %d\nvllm:request_success_total{m=\"a\"} %d\n"+
		"vllm:e2e_request_latency_seconds_sum{m=\"a\"} %g\n", tokens, requests, seconds)
}

func watches(t *testing.T, list ...string) (harness.Harness, error) {
	t.Helper()
	s := httptest.NewServer(&pages{list: list})
	t.Cleanup(s.Close)
	h, err := New(t.Context(), Options{Counters: s.URL + "/metrics", Poll: time.Millisecond})
	if err == nil {
		t.Cleanup(func() { h.Stop(t.Context()) })
	}
	return h, err
}

// Each answered request of a running server is an event with its tokens and its time; what is under way counts with
// its answer, and a restart counts from zero.
func TestLiveServerIsReadByItsCounters(t *testing.T) {
	t.Parallel()
	h := must.Get(watches(t, vllm(1000, 10, 50), vllm(1000, 10, 50), vllm(1100, 10, 50), vllm(1400, 12, 60), "",
		vllm(30, 1, 2), vllm(130, 2, 7)))(t)
	var got []string
	for len(got) < 5 {
		e := must.Get(h.Next(t.Context()))(t)
		switch e.Kind {
		case harness.Hello:
			got = append(got, e.Info["runtime"]+" "+e.Info["unit"])
		case harness.Infer:
			got = append(got, fmt.Sprintf("%d in %g", e.N, math.Round(e.TimeMS)))
		default:
			what, _, _ := strings.Cut(e.Message, ":")
			got = append(got, what)
		}
	}
	want := "vLLM token; 200 in 5000; 200 in 5000; the counters of the server started again from 0; 100 in 5000"
	if strings.Join(got, "; ") != want {
		t.Errorf("%s\nwant %s", strings.Join(got, "; "), want)
	}
}

// The answers of one reading of the counters may have begun before the reading before, by the time of one.
func TestLiveServerTellsWhenItsAnswersBeganAtTheEarliest(t *testing.T) {
	t.Parallel()
	const s = time.Second
	for _, c := range []struct {
		name            string
		e               harness.Event
		began, earliest time.Duration
	}{
		{"of another job", harness.Event{T: 20 * s, TimeMS: 3000}, 17 * s, 17 * s},
		{"short answers", harness.Event{T: 20 * s, TimeMS: 100, Previous: 19 * s}, 19 * s, 19*s - s/10},
		{"a long answer", harness.Event{T: 20 * s, TimeMS: 3000, Previous: 19 * s}, 17 * s, 16 * s},
	} {
		if c.e.Began() != c.began || c.e.Earliest() != c.earliest {
			t.Errorf("%s: began %v, at the earliest %v, want %v and %v", c.name, c.e.Began(), c.e.Earliest(), c.began,
				c.earliest)
		}
	}
}

// Counters may be anything, and their sums infinite: no event has such a time.
func TestLiveServerLeavesOutWhatNoServerServes(t *testing.T) {
	t.Parallel()
	h := must.Get(watches(t, vllm(0, 0, 0), vllm(100, 1, 1.7e308), vllm(200, 2, 1.7e308)+vllm(0, 0, 1.7e308),
		vllm(300, 3, 0), vllm(400, 4, 5)))(t)
	for {
		e := must.Get(h.Next(t.Context()))(t)
		if e.TimeMS > 1e12 {
			t.Errorf("%+v", e)
		}
		if e.Kind == harness.Infer && e.N == 100 && e.TimeMS == 5000 {
			return
		}
	}
}

// vLLM counts its answers by their latency too: what came since the reading before is on its last event.
func TestLiveServerTellsHowManyAnswersTookHowLong(t *testing.T) {
	t.Parallel()
	counted := func(tokens, requests, fast int, seconds float64) string {
		return vllm(tokens, requests, seconds) + fmt.Sprintf("vllm:e2e_request_latency_seconds_bucket{le=\"1.0\"} %d\n"+
			"vllm:e2e_request_latency_seconds_bucket{le=\"2.5\"} %d\n"+
			"vllm:e2e_request_latency_seconds_bucket{le=\"+Inf\"} %d\n",
			fast, requests, requests)
	}
	h := must.Get(watches(t, counted(100, 10, 10, 5), counted(400, 13, 11, 9)))(t)
	for n := 0; n < 3; {
		e := must.Get(h.Next(t.Context()))(t)
		if e.Kind != harness.Infer {
			continue
		}
		if n++; (e.Answered != nil) != (n == 1) {
			t.Errorf("event %d has counts: %v", n, e.Answered != nil)
		}
		if n == 1 && fmt.Sprint(e.Answered.Counts) != "[1 2 0]" {
			t.Errorf("%+v", e.Answered)
		}
	}
}

func TestLiveServerOfTritonCountsInferences(t *testing.T) {
	t.Parallel()
	triton := func(n, requests, us int) string {
		return fmt.Sprintf("nv_inference_count{model=\"a\"} %d\nnv_inference_request_success{model=\"a\"} %d\n"+
			"nv_inference_request_duration_us{model=\"a\"} %d\n", n, requests, us)
	}
	h := must.Get(watches(t, triton(0, 0, 0), triton(32, 1, 8000)))(t)
	for {
		if e := must.Get(h.Next(t.Context()))(t); e.Kind == harness.Infer {
			if e.N != 32 || math.Abs(e.TimeMS-8) > 1e-9 {
				t.Errorf("%+v", e)
			}
			return
		}
	}
}

func TestLiveServerThatFailsEndsWithAReason(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		pages []string
		words string
	}{
		"down":         {[]string{""}, "HTTP status 503: down"},
		"unknown":      {[]string{"up 1\n"}, "none of llama-server (start it with --metrics), vLLM or Triton among 1"},
		"half of them": {[]string{"vllm:generation_tokens_total 3\n"}, "none of llama-server"},
		"garbage":      {[]string{"\x1b[31m\x00\xff{{{"}, "among 0"},
		"endless line": {[]string{strings.Repeat("x", mostLine+1)}, "token too long"},
		"dies":         {[]string{vllm(1, 1, 1), ""}, "the server is gone"},
		"forgets":      {[]string{vllm(1, 1, 1), "up 1\n"}, "the counters of vLLM are gone"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h, err := watches(t, c.pages...)
			for err == nil {
				_, err = h.Next(t.Context())
			}
			if !strings.Contains(err.Error(), c.words) || strings.ContainsAny(err.Error(), "\n\x1b") {
				t.Errorf("%v, want %q", err, c.words)
			}
		})
	}
}

func FuzzCounters(f *testing.F) {
	f.Add([]byte(vllm(1, 2, 3) + "# TYPE x counter\nx{a=\"}\"} 1e9\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		defer reliability.Input(t)()
		all, _ := parseCounters(strings.NewReader(string(text)))
		for name, v := range all.values {
			if !(v >= 0) || name == "" {
				t.Errorf("%q is %v", name, v)
			}
		}
		for _, kind := range knownCounters {
			if now, ok := kind.of(all); ok && now.latency.N() > 0 {
				if v, known := now.latency.Quantile(0.99); known && math.IsNaN(v) {
					t.Errorf("p99 of %+v is no number", now.latency)
				}
			}
		}
	})
}
