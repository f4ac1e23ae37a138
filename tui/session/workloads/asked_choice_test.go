package workloads

import (
	"testing"

	"jtune/internal/arrivals"
	"jtune/internal/must"
	"jtune/profiles/workload"
	"jtune/tegra/metric"
)

// Typed values take precedence over the configuration, which fills in the rest; training knows no load.
func TestLoadForTakesTheConfigurationWhereNothingElseIsAsked(t *testing.T) {
	t.Parallel()
	none := arrivals.Spec{}
	w := workload.Workload{Name: "chat", Kind: workload.Inference, Load: workload.Demand{Rate: 10, MaxWaitMS: 5},
		Limit: workload.LatencyLimit{LatencyMS: 80, Quantile: 0.95}}
	if v := LoadFor(w, none, none.Gives); v.RatePerS != 10 || v.LatencyMS != 80 || v.Quantile != 0.95 {
		t.Errorf("of the configuration: %+v", v)
	}
	a := must.Get(metric.Parse("p99 50 ms, 30/s, uniform"))(t)
	if v := LoadFor(w, a.Load, a.Load.Gives); v.RatePerS != 30 || v.LatencyMS != 50 || v.Quantile != 0.99 ||
		v.Arrivals != "uniform" || v.MaxWaitMS != 5 {
		t.Errorf("what is typed: %+v", v)
	}
	w.Kind = ""
	if v := LoadFor(w, a.Load, a.Load.Gives); v != none {
		t.Error("training is under a load")
	}
	if v := LoadFor(workload.Workload{Kind: workload.Inference}, none, none.Gives); v != none {
		t.Errorf("nothing was given, and it is %+v", v)
	}
}
