package workloads

import (
	"testing"

	"jtune/optimize/serving"
	"jtune/profiles/workload"
)

// What is typed goes before the configuration, which fills in the rest; training knows no load.
func TestLoadForTakesTheConfigurationWhereNothingElseIsAsked(t *testing.T) {
	t.Parallel()
	w := workload.Workload{Name: "chat", Kind: workload.Inference, Load: workload.Demand{Rate: 10, MaxWaitMS: 5},
		Limit: workload.LatencyLimit{LatencyMS: 80, Quantile: 0.95}}
	if v, loaded := LoadFor(w, nil); !loaded || v.RatePerS != 10 || v.LatencyMS != 80 || v.Quantile != 0.95 {
		t.Errorf("of the configuration: %+v, %t", v, loaded)
	}
	a, err := serving.ParseAsked("p99 50 ms, 30/s, uniform")
	if err != nil {
		t.Fatal(err)
	}
	if v, _ := LoadFor(w, a.Serving); v.RatePerS != 30 || v.LatencyMS != 50 || v.Quantile != 0.99 ||
		v.Arrivals != "uniform" || v.MaxWaitMS != 5 {
		t.Errorf("what is typed: %+v", v)
	}
	w.Kind = ""
	if _, loaded := LoadFor(w, a.Serving); loaded {
		t.Error("training is under a load")
	}
	if v, loaded := LoadFor(workload.Workload{Kind: workload.Inference}, nil); loaded {
		t.Errorf("nothing is asked for, and it is %+v", v)
	}
}
