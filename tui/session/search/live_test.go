package search

import (
	"math"
	"os"
	"strings"
	"testing"

	"jtune/internal/arrivals"
	"jtune/internal/must"
	"jtune/internal/stats"
	"jtune/profiles/record"
	"jtune/tegra/metric"
	"jtune/tui/session/measure"
	"jtune/tui/session/sessiontest"
	"jtune/tui/session/workloads"
)

// The users of a server hardly ever find a probe slower than 1.1 times the latency limit, and a mode near the least
// power within it is found: 6 to 15 % above, for what may be too slow is hardly ever tried; one answer in six was 24 %
// above or up to 3 % too slow. Its server answers in real time, so no two searches read the same: three are judged
// together, in the long form six.
func TestTuneOnRealTrafficSendsNothingAndKeepsTheLatency(t *testing.T) {
	if testing.Short() {
		t.Skip("numbers that one goroutine computes")
	}
	t.Parallel()
	probes, slow, above := 0, 0, []float64{}
	searches := 3
	if os.Getenv("JTUNE_LONG") != "" {
		searches = 6
	}
	for range searches {
		of, late, gap := searchRealTraffic(t)
		probes, slow, above = probes+of, slow+late, append(above, gap)
	}
	if m := stats.Median(above); m > 0.15 {
		t.Errorf("the answers draw %.0f %% more than the least in the median, want 15", 100*m)
	}
	if slow > probes/20 {
		t.Errorf("%d of %d probes were slower than 1.1 times the limit", slow, probes)
	}
}

// searchRealTraffic searches once for the mode of least power within a limit and returns how many modes were measured,
// how many of them were slower than 1.1 times the limit, and by which share the answer draws more than the least.
func searchRealTraffic(t *testing.T) (probes, slow int, above float64) {
	t.Helper()
	s, _, _ := sessiontest.Live(t)
	w, err := workloads.Find(s, "chat")
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
	r := must.Get(Tune(t.Context(), s, measure.TuneRequest{Measuring: measure.Measuring{Workload: w}, Keep: true,
		Questions: metric.Question{Load: arrivals.Spec{LatencyMS: 8 * perToken}}.List(),
		Asked:     record.Asked{Reference: "none"}}, nil))(t)
	ms, power, err := s.Virtual.Truth("llama", r.Answers[0].Setting.Mode)
	t.Logf("%v after %d measurements: %.4g ms a token, %.4g W (least %.4g)", r.Answers[0].Setting.Mode, len(r.Probes),
		ms, power,
		leastW)
	// Two of the measurements are baselines. A busy machine changes the readings: 2 to 9 % were seen, once an answer a
	// third above the least. The median of all searches is judged more strictly.
	if err != nil || !r.Answers[0].Feasible || len(r.Probes) > 14+2 || ms > 1.05*perToken || power > 1.5*leastW {
		t.Errorf("%v after %d measurements: %.4g ms a token, %.4g W, the least is %.4g (%v)", r.Answers[0].Setting.Mode,
			len(r.Probes), ms, power, leastW, err)
	}
	for _, p := range r.Probes {
		switch ms, _, err := s.Virtual.Truth("llama", p.Mode); {
		case err != nil || ms > 1.3*perToken:
			t.Errorf("%v was tried: %.4g ms a token (%v)", p.Mode, ms, err)
		case ms > 1.1*perToken:
			slow++
		}
	}
	a := r.Answers[0]
	if v := a.Serving; v == nil || v.Units < 8*4 || !v.UnitJ.OK || v.Latency != (record.Latency{}) {
		t.Errorf("the answer's inference: %+v", v)
	}
	if a.Trial == nil || !strings.Contains(a.Trial.Unsure, "only the mean latency: whether p99 is within 360 ms") ||
		a.Standing.Ticked() {
		t.Errorf("of a quantile that its counters do not tell: %+v", a.Trial)
	}
	return len(r.Probes), slow, power/leastW - 1
}

// Where a server counts its answers by latency, the answer keeps the limit at the quantile, by what its users met.
func TestTuneOnRealTrafficKeepsAQuantileThatTheServerCounts(t *testing.T) {
	if testing.Short() {
		t.Skip("numbers that one goroutine computes")
	}
	t.Parallel()
	s, b, _ := sessiontest.Live(t)
	b.Counted = true
	w := must.Get(workloads.Find(s, "chat"))(t)
	const limit = 400
	r, err := Tune(t.Context(), s, measure.TuneRequest{Measuring: measure.Measuring{Workload: w}, Keep: true,
		Questions: metric.Question{Load: arrivals.Spec{LatencyMS: limit, Quantile: 0.95}}.List(),
		Asked:     record.Asked{Reference: "none"}}, nil)
	if err != nil || !r.Answers[0].Feasible || len(r.Sent) == 0 {
		t.Fatalf("%d tried, %v", len(r.Sent), err)
	}
	last := r.Sent[len(r.Sent)-1]
	if !last.Meets() || last.Unsure != "" || !last.Users || last.Serving.Requests < 200 || last.LatencyMS.V > limit {
		t.Errorf("%+v: %+v", last, last.Serving)
	}
	for _, one := range r.Sent { // answers of 4 to 12 tokens, alike often: p95 belongs to 12
		ms, _, err := s.Virtual.Truth("llama", one.Mode)
		if err != nil || math.Abs(one.LatencyMS.V-12*ms) > 20 {
			t.Errorf("%v: p95 %.4g ms, 12 tokens take %.4g (%v)", one.Mode, one.LatencyMS.V, 12*ms, err)
		}
		t.Logf("%v: p95 %.4g ms of %d", one.Mode, one.LatencyMS.V, one.Serving.Requests)
	}
}
