package evidence

import (
	"testing"

	"jtune/internal/must"
)

// An error smaller than the published one is no fault; beside one that is worse it does not make up for that.
func TestResultSaysBetterOrWorse(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		metric string
		own    []float64
		want   string
	}{
		{"time_mape", []float64{6.1}, "too good"},
		{"time_mape", []float64{6.1, 12}, "too good"},
		{"time_mape", []float64{6.1, 13.9}, "near, worse"},
		{"time_mape", []float64{6.1, 20}, "OUTSIDE, worse"},
		{"cases", []float64{14}, "too good"},
		{"time_mape", []float64{30}, "OUTSIDE, worse"},
		{"time_mape", []float64{12.6}, "within"},
		{"epoch_time", []float64{6.1}, "OUTSIDE"},
		{"time_mape", nil, "not simulated"},
	} {
		r := Result{Figure: Figure{Metric: c.metric, Value: 12.5, Relation: "eq", Tolerance: 1, Kind: Simulated},
			Values: c.own}
		if len(c.own) == 0 {
			r.Kind = NotSimulated
		}
		_, r.Verdict = r.Judge(c.own)
		must.Equal(t, r.Said(), c.want, c.metric, c.own)
	}
}
