package cli

import (
	"path/filepath"
	"strings"
	"testing"

	"jtune/internal/must"
)

// pairKeys are the keys of jtune lab pair --json.
const pairKeys = "device virtual train infer limit setting policy tau train_per_s marginal_unit_j served_per_s " +
	"latency_ms quantile rate_per_s arrivals peak_w mean_w unit_j busy_unit_j busy_share idle_share meets why " +
	"feasible " +
	"measured verified alone minibatch_j request_j late_turns requests campaign free separate"

func TestPairTrainsMostInTheIdleTimeOfInference(t *testing.T) {
	t.Parallel()
	infer, _ := fitServed(t)
	path, _ := servedSweep(t, 8)
	train := filepath.Join(t.TempDir(), "train.model")
	board, _ := toySweep(t)
	jtune(t, with(replay(board), "fit", "--samples", path, "--out", train)...).done(t)
	pair := func(args ...string) map[string]any {
		t.Helper()
		line := append([]string{"pair", "--models", train + "," + infer, "--rate", "20", "--arrivals", "uniform",
			"--latency", "900", "--idle-power", "6", "--json"}, args...)
		return jtune(t, line...).done(t).object(t, pairKeys)
	}
	strict, fill, either := pair("--policy", "strict"), pair("--policy", "fill"), pair()
	if strict["policy"] != "strict" || strict["tau"].(float64) < 1 || fill["tau"] != nil ||
		fill["idle_share"].(float64) > strict["idle_share"].(float64) {
		t.Errorf("strict %v, fill %v", strict, fill)
	}
	best := max(strict["train_per_s"].(float64), fill["train_per_s"].(float64))
	alone := either["alone"].(map[string]any)
	if either["train_per_s"] != best || alone["train_per_s"].(float64) <= best || alone["own_board"] == nil ||
		either["measured"] != false || either["feasible"] != true {
		t.Errorf("the better of %v and %v is %v, alone %v", strict["train_per_s"], fill["train_per_s"],
			either["train_per_s"], alone)
	}
	if few := pair("--policy", "strict", "--tau", "1"); few["tau"] != 1.0 ||
		few["train_per_s"].(float64) > strict["train_per_s"].(float64) {
		t.Errorf("one minibatch at most: %v", few)
	}
	words := jtune(t, "pair", "--models", train+","+infer, "--rate", "20").done(t).out
	must.Contain(t, words, "predicted, not measured", "a board of its own", "(predicted)")
	must.Lack(t, words, "n/a mean")
	both := train + "," + infer
	jtune(t, "pair", "--models", both, "--rate", "5000").fails(t, exitInfeasible, "5000/s", "requests/s")
}

func TestPairRunsOnAVirtualBoard(t *testing.T) {
	t.Parallel()
	line := strings.Fields("pair --train resnet18 --infer mobilenet-infer --rate 60 --latency 900 --speed max " +
		"--batch 16 --at 12c/2.20C/1.30G/3.20M --requests 200 --minibatches 10 --policy strict")
	got := jtune(t, append(line, "--json")...).done(t).object(t, pairKeys)
	late := got["latency_ms"].(map[string]any)
	verified := got["verified"].([]any)
	if got["measured"] != true || got["virtual"] != true || got["feasible"] != true || late["p95"] == nil ||
		late["p99"] != nil || got["tau"].(float64) < 1 || got["minibatch_j"] == nil || len(verified) != 1 {
		t.Errorf("got %v", got)
	}
	has(t, got["alone"].(map[string]any)["infer"].(map[string]any), "requests >= 200")
	over := jtune(t, append(line, "--compare", "--power-limit", "20")...)
	over.fails(t, exitInfeasible, "power", "over 20")
	compared := jtune(t, append(line, "--compare", "--json")...).done(t).object(t, pairKeys)
	if free, ok := compared["free"].(map[string]any); !ok || free["idle_share"] != nil { // unknown
		t.Errorf("--compare --json: without turns %v", free)
	}
	words := over.out
	must.Contain(t, words, "measured as a pair", "does not meet the limits", "no turns", "VIRTUAL")
}
