package run

import (
	"strings"
	"testing"

	"jtune/internal/arrivals"
	"jtune/internal/must"
	"jtune/internal/usage"
	"jtune/optimize"
	"jtune/profiles/record"
	"jtune/tegra/metric"
	"jtune/tui/session/campaigns"
	"jtune/tui/session/measure"
	"jtune/tui/session/search"
	"jtune/tui/session/sessiontest"
	"jtune/tui/session/workloads"
)

func TestRunOnRealTrafficRefusesWhatItsUsersWouldFeel(t *testing.T) {
	t.Parallel()
	s, _, url := sessiontest.Live(t)
	w := must.Get(workloads.Find(s, "chat"))(t)
	for name, c := range map[string]struct {
		r     measure.TuneRequest
		words string
	}{
		"no latency": {measure.TuneRequest{Questions: metric.Question{Limit: metric.LeastEnergy}.List()},
			"with “latency” … or limit.latency_ms"},
		"a rate": {measure.TuneRequest{Questions: metric.Question{Load: arrivals.Spec{RatePerS: 3,
			LatencyMS: 9}}.List()},
			"nothing is sent"},
		"at random": {measure.TuneRequest{Questions: metric.Question{Limit: metric.Millis(9)}.List(),
			Asked: record.Asked{Strategy: optimize.Random}},
			"slow modes"},
		"whole front": {measure.TuneRequest{Questions: metric.Question{Limit: metric.Millis(9)}.List(),
			Asked: record.Asked{Coverage: campaigns.CoverFront}},
			"slow modes"},
	} {
		c.r.Workload = w
		_, err := search.Tune(t.Context(), s, c.r, nil)
		if !usage.Is(err) || !strings.Contains(err.Error(), c.words) {
			t.Errorf("%s: %v", name, err)
		}
	}
	w.Server.Counters = "/none"
	if _, err := Run(t.Context(), s, measure.RunRequest{Workload: w, NoRecord: true}, nil); err == nil ||
		!strings.Contains(err.Error(), "counters at "+url+"/none: HTTP status 404") {
		t.Errorf("no such page: %v", err)
	}
	w.Server.Counters = "http://192.0.2.1/metrics"
	if _, err := Run(t.Context(), s, measure.RunRequest{Workload: w, NoRecord: true}, nil); err == nil ||
		!strings.Contains(err.Error(), "no loopback address") {
		t.Errorf("counters elsewhere: %v", err)
	}
}
