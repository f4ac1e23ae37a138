package cli

import (
	"math"
	"strings"
	"testing"

	"jtune/internal/must"
)

// The toy's label is no workload: its epochs are unknown unless the user gives them.
func TestChooseProjectsAWholeTrainingForEachStrategy(t *testing.T) {
	t.Parallel()
	model := fitToy(t)
	args := []string{"choose", "--model", model, "--power-limit", "20", "--epochs", "120"}
	args = with(args, "--per-epoch", "500")
	v := jtune(t, with(args, "--json")...).done(t).object(t, answerKeys+" training")
	whole := hasKeys(t, v["training"], "epochs minibatches strategies")
	has(t, whole, "epochs = 120", "minibatches = 60000")
	hours := map[string]float64{}
	for i, row := range whole["strategies"].([]any) {
		r := hasKeys(t, row, "strategy mode time_h energy_kwh saved_h saved_kwh measured within_limit")
		h := r["time_h"].(float64)
		hours[r["strategy"].(string)] = h
		if saved := r["saved_h"].(float64); math.Abs(saved-(h-hours["this answer"])) > 1e-9 {
			t.Errorf("%v: %g hours saved of %g", r["strategy"], saved, h)
		}
		if p := toyLaw(modeOf(t, r["mode"])); i > 0 && r["within_limit"] != (p.PowerW <= 20) {
			t.Errorf("%v draws %.1f W, within 20 W: %v", r["strategy"], p.PowerW, r["within_limit"])
		}
	}
	if hours["best measured"] < hours["this answer"]*0.99 || hours["MAXN"] >= hours["this answer"] {
		t.Errorf("got hours %v; want the answer's at most the best measured one's, and above MAXN's", hours)
	}
	must.Contain(t, jtune(t, args...).done(t).out, "exceeds the limit")
}

func TestPredictTellsEpochs(t *testing.T) {
	t.Parallel()
	model := fitToy(t)
	const mode = "8c/1.34C/0.73G/3.20M"
	args := []string{"predict", "--model", model, mode}
	must.Lack(t, jtune(t, args...).done(t).out, "epoch")
	args = with(args, "--per-epoch", "1000")
	p := hasKeys(t, array(t, jtune(t, with(args, "--json")...).done(t).out)[0],
		strings.ReplaceAll(predictColumns, ",", " ")+" epoch_s epoch_j")
	if ms, s, j := p["time_ms"].(float64), p["epoch_s"].(float64), p["epoch_j"].(float64); math.Abs(s-ms) > 1e-9 ||
		math.Abs(j-s*p["power_w"].(float64)) > 1e-6 {
		t.Errorf("1,000 minibatches of %g ms at %v W: an epoch of %g s and %g J", ms, p["power_w"], s, j)
	}
	must.Contain(t, jtune(t, args...).done(t).out, "epoch ")
}
