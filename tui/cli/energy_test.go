package cli

import (
	"encoding/csv"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"jtune/internal/must"
	"jtune/tui/session/measure"
)

func TestExperimentEnergyReportsAsTextJSONAndFigures(t *testing.T) {
	t.Parallel()
	computes(t)
	nano := []string{"--device", "virtual:nano", "--speed", "max"}
	dir, plots := filepath.Join(t.TempDir(), "x"), filepath.Join(t.TempDir(), "plots")
	args := with(nano, "experiment", "energy", "mobilenet-infer", "--repeat", "2", "--latency-cost", "15", "--out", dir,
		"--governor", "cpu=ondemand", "--against", "alexnet-infer", "--svg", plots)
	o := jtune(t, args...).done(t)
	must.Contain(t, strings.Join(strings.Fields(o.out), " "), "VIRTUAL: a simulation, not a measurement",
		"Least energy:", "against the default", "Batch 16 in place of 1", "governors cpu=ondemand:",
		"alexnet-infer with the default governors:", "alexnet-infer at ", "Within +15 % of latency:",
		"◆ least measured", "latency of a batch, ms")
	if !regexp.MustCompile(`mobilenet-infer takes [0-9.]+ % (more|less)\.`).MatchString(
		strings.Join(strings.Fields(o.out), " ")) {
		t.Errorf("the report does not say how much more or less another job takes:\n%s", o.out)
	}
	for _, name := range []string{"heat.svg", "curves-gpu.svg", "curves-cpu.svg"} {
		text, err := os.ReadFile(filepath.Join(plots, name))
		if err != nil || !strings.Contains(string(text), "VIRTUAL") {
			t.Errorf("%s: %v", name, err)
		}
	}
	object := jtune(t, with(args, "--resume", "--json")...).done(t)
	wantMarkedJSON(t, object.out)
	v := object.object(t, "experiment workload device virtual unit "+
		"batch full repeat least beyond within latency_falls inner_minimum baselines sizes against points findings "+
		"failed dir")
	has(t, v, "unit = inference", "baselines.# = 2", "against.# = 2", "sizes.# = 1")
	least := v["least"].(map[string]any)
	if saving := least["energy_change_pct"].(float64); saving > -6 || saving < -22 || least["status"] != "measured" {
		t.Errorf("the least is %v", least)
	}
	within := v["within"].([]any)[0].(map[string]any)
	if cost := within["answer"].(map[string]any)["time_change_pct"].(float64); cost > 15 {
		t.Errorf("%g %% more latency, 15 were allowed", cost)
	}
	rows := jtune(t, with(args, "--resume", "--csv")...).done(t).out
	wantMarkedCSV(t, "the report", rows)
	table := must.Get(csv.NewReader(strings.NewReader(rows)).ReadAll())(t)
	must.Equal(t, len(table), 1+len(v["points"].([]any))+5)
}

func TestTuneTakesLimitsAndALoadInOneLine(t *testing.T) {
	t.Parallel()
	tune := func(limits ...string) measure.TuneRequest {
		args := []string{"--device", "virtual:nano", "tune", "mobilenet-infer", "--probes", "6"}
		return requestOf[measure.TuneRequest](t, with(args, limits...)...)
	}
	line := tune("--limit", "10 W, p95 100 ms, 5/s")
	flags := tune("--power-limit", "10", "--latency", "100", "--quantile", "0.95", "--rate", "5")
	must.Equal(t, line, flags)
	must.Equal(t, line.Load.RatePerS, 5)
}
