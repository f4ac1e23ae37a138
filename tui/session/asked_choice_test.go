package session

import (
	"testing"

	"jtune/optimize"
	"jtune/profiles/workload"
)

// A load is remembered beside the limits of training, and what cannot be read of it is no load.
func TestTuneChoiceAsksForItsLoadFirst(t *testing.T) {
	t.Parallel()
	c := TuneChoice{Goal: WithinPower, PowerW: []float64{25}, Load: "30 W, p99 50 ms, 30/s"}
	if a := c.Asks(); a.Limit != (optimize.Limit{PowerW: 30}) || a.Serving == nil || a.Serving.RatePerS != 30 ||
		a.String() != c.Load {
		t.Errorf("it asks for %v", a)
	}
	for _, damaged := range []string{"", "30/s uniform of", "p99"} {
		c.Load = damaged
		if a := c.Asks(); a.Limit != (optimize.Limit{PowerW: 25}) || a.Serving != nil {
			t.Errorf("%q: it asks for %v", damaged, a)
		}
	}
}

// What is typed goes before the configuration, which fills in the rest; training knows no load.
func TestLoadForTakesTheConfigurationWhereNothingElseIsAsked(t *testing.T) {
	t.Parallel()
	w := workload.Workload{Name: "chat", Kind: workload.Inference, Load: workload.Demand{Rate: 10, MaxWaitMS: 5},
		Limit: workload.LatencyLimit{LatencyMS: 80, Quantile: 0.95}}
	if v, loaded := LoadFor(w, nil); !loaded || v.RatePerS != 10 || v.LatencyMS != 80 || v.Quantile != 0.95 {
		t.Errorf("of the configuration: %+v, %t", v, loaded)
	}
	a, err := ParseAsked("p99 50 ms, 30/s, uniform")
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
