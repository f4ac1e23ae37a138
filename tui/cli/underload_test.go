package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"jtune/internal/must"
)

func TestChooseUnderALoad(t *testing.T) {
	t.Parallel()
	model, _ := fitServed(t)
	keys := answerKeys + " batch time_per_sample_ms served"
	choose := func(args ...string) map[string]any {
		t.Helper()
		return jtune(t, append([]string{"choose", "--model", model, "--json"}, args...)...).done(t).object(t, keys)
	}
	v := choose("--rate", "30", "--latency", "200", "--idle-power", "6", "--arrivals", "uniform")
	served := v["served"].(map[string]any)
	limit := v["limit"].(map[string]any)
	if served["served_per_s"] != 30.0 || served["latency_ms"].(float64) > 200 || served["meets"] != true ||
		limit["kind"] != "latency" || limit["quantile"] != 0.99 || limit["rate_per_s"] != 30.0 ||
		served["mean_w"].(float64) >= served["peak_w"].(float64) {
		t.Errorf("30/s: limit %v, %v", limit, served)
	}
	poisson := choose("--rate", "30", "--latency", "200", "--max-wait", "20")["served"].(map[string]any)
	has(t, poisson, "mean_w = null", "unit_j = null", "arrivals = poisson")
	closed := choose("--outstanding", "8")["served"].(map[string]any)
	if closed["rate_per_s"] != nil || closed["busy_share"] != 1.0 || closed["mean_w"] != closed["peak_w"] {
		t.Errorf("closed loop: %v", closed)
	}
	trace := filepath.Join(t.TempDir(), "arrivals.txt")
	must.NoError(t, os.WriteFile(trace, []byte("0\n0.1\n0.2\n0.35\n"), 0o600))
	must.Equal(t, choose("--arrivals", trace, "--rate", "20")["served"].(map[string]any)["arrivals"], "trace")
	o := jtune(t, "choose", "--model", model, "--rate", "5000", "--json")
	o.fails(t, exitInfeasible, "5000/s", "requests/s", "at batch size")
	if v := o.object(t, keys); v["feasible"] != false || v["served"].(map[string]any)["latency_ms"] != nil {
		t.Errorf("a rate that nothing serves: %v", v["served"])
	}
}

func TestTuneUnderALoadMeasuresItsAnswer(t *testing.T) {
	t.Parallel()
	board := []string{"--device", "virtual:orin-nano", "--speed", "max", "--data-dir", t.TempDir()}
	words, v := tunedInWords(t, answerKeys+" batch time_per_sample_ms served serving sent",
		append([]string{"tune", "mobilenet-infer", "--batch", "1,4", "--rate", "30", "--latency", "100"}, board...)...)
	served, probes := v["served"].(map[string]any), v["probes"].([]any)
	if v["feasible"] != true || v["measured"] == nil || served["latency_ms"].(float64) > 100 || v["virtual"] != true ||
		len(probes) < 10 || len(probes) > 18+2+8 { // 18 of the search, two baselines; the first answer is late by
		// what was sent to it, and the search goes on with a lower limit: the best again, and six settings more
		t.Errorf("%d probes, %v", len(probes), v)
	}
	measured := false
	for _, p := range probes {
		measured = measured || fmt.Sprint(p.(map[string]any)["mode"]) == fmt.Sprint(v["mode"])
	}
	if !measured {
		t.Errorf("the answer %v was not measured", v["mode"])
	}
	has(t, v, "serving.unit = inference", "serving.unit_j > 0")
	sent := v["sent"].(map[string]any) // to the job itself, at the rate
	has(t, sent, "requests >= 1000", "meets = true", "latency_ms <= 100", "rate_per_s = 30", "why = null")
	if !strings.Contains(words, "with real requests  p99 ") ||
		!strings.Contains(words, " requests at 30/s poisson\n") ||
		!regexp.MustCompile(`\nunder the load +30/s poisson: p99 .* W peak, `).MatchString(words) {
		t.Errorf("the text lacks the requests:\n%s", words)
	}
	jtune(t, append([]string{"tune", "mobilenet-infer", "--batch", "1,4", "--rate", "9000"}, board...)...).fails(t,
		exitInfeasible, "9000/s", "requests/s")
}

func TestFrontUnderALoadTradesLatencyForPower(t *testing.T) {
	t.Parallel()
	model, _ := fitServed(t)
	args := []string{"front", "--model", model, "--batch", "1,8,32", "--rate", "20"}
	list := array(t, jtune(t, append(args, "--json")...).done(t).out)
	for i := 1; i < len(list); i++ {
		if list[i]["latency_ms"].(float64) < list[i-1]["latency_ms"].(float64) ||
			list[i]["peak_w"].(float64) >= list[i-1]["peak_w"].(float64) || list[i]["virtual"] != list[0]["virtual"] ||
			list[i]["state"] == "over" {
			t.Fatalf("point %d, %v, after %v", i, list[i], list[i-1])
		}
	}
	words := jtune(t, args...).done(t).out
	if len(list) < 2 || !strings.Contains(words, "p99 ms") || !strings.Contains(words, "  –  ") ||
		!strings.Contains(words, "poisson, predicted") {
		t.Errorf("%d points: %.300s", len(list), words)
	}
	table := strings.Split(strings.TrimSpace(jtune(t, append(args, "--csv")...).done(t).out), "\n")
	if len(table) != len(list)+1 || !strings.HasPrefix(table[0], "cores,cpu_khz,gpu_hz,mem_hz,batch,") ||
		!strings.HasSuffix(table[0], ",virtual") || !strings.Contains(table[1], ",0.99,20,poisson,") {
		t.Errorf("CSV of %d lines: %.300s", len(table), table)
	}
	svg := filepath.Join(t.TempDir(), "front.svg")
	jtune(t, append(args, "--svg", svg, "--latency", "300")...).done(t)
	must.Contain(t, string(must.Read(t, svg)), "p99 at 20/s poisson, ms", "peak power, W", "≤ 300 ms")
}

// The load and the limit in a workload's table apply unless a flag sets others.
func TestConfiguredLoadHoldsForChooseAndTune(t *testing.T) {
	t.Parallel()
	computes(t)
	config := filepath.Join(t.TempDir(), "config.toml")
	text := "[workload.mobilenet-infer]\nkind = \"infer\"\nmodel = \"MobileNetV3\"\n" +
		"torch = { net = \"mobilenet\", set = \"gld23k\", infer = true }\nbatch = 1\n" +
		"limit = { latency_ms = 150, quantile = 0.95 }\n" +
		"load = { rate = 25, arrivals = \"uniform\", max_wait_ms = 40 }\n"
	must.NoError(t, os.WriteFile(config, []byte(text), 0o600))
	data := t.TempDir()
	o := jtune(t, "tune", "mobilenet-infer", "--config", config, "--device", "virtual:orin-nano", "--speed",
		"max", "--json", "--data-dir", data)
	v := o.done(t).object(t, answerKeys+" served serving sent")
	has(t, v, "served.rate_per_s = 25", "served.latency_ms <= 150")
	choose := func(args ...string) map[string]any {
		t.Helper()
		o := jtune(t, append([]string{"choose", "--config", config, "--data-dir", data, "--model",
			"mobilenet-infer@virtual-orin-nano", "--json"}, args...)...).done(t)
		keys := answerKeys + " served"
		if len(args) == 0 { // the setting and the load of the sent requests
			keys += " sent"
		}
		v := o.object(t, keys)
		must.Equal(t, hasKeys(t, v["gain"], gainKeys)["measured"], v["measured"] != nil, args)
		return v["served"].(map[string]any)
	}
	measured := v["served"].(map[string]any)["measured"]
	if got := choose()["measured"]; measured == nil || !reflect.DeepEqual(got, measured) {
		t.Errorf("choose after the search: measured under the load %v, the search says %v", got, measured)
	}
	has(t, choose("--power-limit", "20"), "rate_per_s = 25", "quantile = 0.95", "arrivals = uniform",
		"latency_ms <= 150")
	has(t, choose("--rate", "10", "--arrivals", "poisson"), "rate_per_s = 10", "arrivals = poisson", "quantile = 0.95")
	has(t, choose("--limit", "p99 90 ms, 5/s"), "rate_per_s = 5", "quantile = 0.99")
	must.Equal(t, choose("--arrivals", "closed")["rate_per_s"], nil)
}
