package cli

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"jtune/internal/must"
	"jtune/learn"
	"jtune/optimize"
	"jtune/optimize/pareto"
	"jtune/tegra"
	"jtune/tegra/metric"
)

// noisyToy is the made-up board with random errors in its readings.
func noisyToy() []tegra.Measured {
	var out []tegra.Measured
	for i, m := range toyModes() {
		r := toyLaw(m)
		r.TimeMS *= 1 + 0.04*math.Sin(float64(7*i))
		r.PowerW *= 1 + 0.04*math.Cos(float64(5*i))
		out = append(out, r)
	}
	return out
}

// Measurements replace predictions: if every mode was measured, choice and front follow the measurements.
func TestMeasuredModesAreNotPredicted(t *testing.T) {
	t.Parallel()
	rows := noisyToy()
	var b strings.Builder
	b.WriteString(head)
	var known []learn.Prediction
	for _, r := range rows {
		known = append(known, optimize.MeasuredPrediction(r))
		fmt.Fprintf(&b, "%d,%d,%d,%d,%v,%v\n", r.Mode.Cores, r.Mode.CPU.KHz(), r.Mode.GPU, r.Mode.EMC, r.TimeMS,
			r.PowerW)
	}
	campaign, model := filepath.Join(t.TempDir(), "campaign"), filepath.Join(t.TempDir(), "m")
	jtune(t, "import", write(t, b.String()), "--out", campaign).done(t)
	jtune(t, "fit", "--samples", campaign, "--out", model).done(t)
	for _, limit := range []float64{14, 18, 22, 26} {
		best, err := optimize.ChooseKnown(known, func(int) int { return 1 }, metric.Watts(limit))
		must.NoError(t, err)
		want := known[best]
		v := jtune(t, "choose", "--model", model, "--power-limit", fmt.Sprint(limit), "--json").done(t).object(t,
			answerKeys)
		measured := hasKeys(t, v["measured"], measuredKeys)
		if got := modeOf(t, v["mode"]); got != want.Mode || measured["power_w"].(float64) > limit ||
			hasKeys(t, v["predicted"], bandKeys)["time_lo_ms"] == nil {
			t.Errorf("within %g W: got %v measured %v predicted %v, want the measured best %v with its prediction "+
				"beside it", limit, got, measured, v["predicted"], want.Mode)
		}
	}
	// One reading of 1 % error: at a risk of 49 % the best mean counts.
	best, err := optimize.Choose(known, metric.Watts(14))
	v := jtune(t, "choose", "--model", model, "--power-limit", "14", "--risk", "0.49", "--json").done(t).object(t,
		answerKeys)
	if chance := v["chance_over"].(float64); err != nil || modeOf(t, v["mode"]) != known[best].Mode ||
		!(chance > 0.05 && chance < 0.49) || v["state"] != "measured" {
		t.Errorf("at a risk of 49 %%: %v, %v with a chance of %v; want %v", v["mode"], v["state"], chance,
			known[best].Mode)
	}
	o := jtune(t, "choose", "--model", model, "--power-limit", "5", "--json")
	o.fails(t, exitInfeasible, "nearest")
	v = o.object(t, answerKeys)
	must.Contain(t, o.err, fmt.Sprintf("%.1f W", hasKeys(t, v["measured"], measuredKeys)["power_w"]))
	got := array(t, jtune(t, "front", "--model", model, "--json").done(t).out)
	want := pareto.Front(rows, pareto.Power)
	if len(got) != len(want) {
		t.Fatalf("got a front of %d rows, want the measured one's %d", len(got), len(want))
	}
	for i, k := range want {
		if got[i]["time_ms"] != rows[k].TimeMS || got[i]["power_w"] != rows[k].PowerW || got[i]["measured"] != true ||
			got[i]["time_lo_ms"] != nil {
			t.Errorf("point %d: got %v, want the measurement %v without bands", i, got[i], rows[k])
		}
	}
}

// A single false reading that would win is not chosen and not on the front until a second reading confirms it; it is
// still shown and noted.
func TestFalseReadingDoesNotWin(t *testing.T) {
	computes(t)
	t.Parallel()
	const limit = 18.0
	rows := noisyToy()
	odd, fastest := 0, math.Inf(1)
	for i, r := range rows {
		if r.TimeMS < fastest {
			odd, fastest = i, r.TimeMS
		}
	}
	row := func(r tegra.Measured) string {
		return fmt.Sprintf("%d,%d,%d,%d,%v,%v\n", r.Mode.Cores, r.Mode.CPU.KHz(), r.Mode.GPU, r.Mode.EMC, r.TimeMS,
			r.PowerW)
	}
	rows[odd].PowerW = 0.9 * limit
	var b strings.Builder
	b.WriteString(head)
	for _, r := range rows {
		b.WriteString(row(r))
	}
	again := rows[odd]
	again.TimeMS *= 1.001
	for _, c := range []struct {
		name, text string
		wins       bool
	}{
		{"one reading", b.String(), false},
		{"a copy of it", b.String() + row(rows[odd]), false},
		{"two that agree", b.String() + row(again), true},
	} {
		dir := t.TempDir()
		campaign, model := filepath.Join(dir, "campaign"), filepath.Join(dir, "m")
		jtune(t, "import", write(t, c.text), "--out", campaign).done(t)
		jtune(t, "fit", "--samples", campaign, "--out", model).done(t)
		o := jtune(t, "choose", "--model", model, "--power-limit", fmt.Sprint(limit), "--json").done(t)
		got, noted := modeOf(t, o.object(t, answerKeys)["mode"]), strings.Contains(o.err,
			"only if a second reading agrees")
		if (got == rows[odd].Mode) != c.wins || noted == c.wins {
			t.Errorf("%s: chose %v, the false reading belongs to %v; stderr: %q", c.name, got, rows[odd].Mode, o.err)
		}
		front := array(t, jtune(t, "front", "--model", model, "--json").done(t).out)
		must.Equal(t,
			slices.ContainsFunc(front, func(p map[string]any) bool { return p["power_w"] == rows[odd].PowerW }), c.wins,
			c.name)
		if c.wins {
			continue
		}
		// If its prediction makes it the answer, the reading is printed beside it.
		o = jtune(t, "choose", "--model", model, "--power-limit", "1000", "--json").done(t)
		v := o.object(t, answerKeys)
		if modeOf(t, v["mode"]) != rows[odd].Mode {
			t.Fatalf("%s: without a limit that matters %v was chosen, %v is the fastest", c.name, v["mode"],
				rows[odd].Mode)
		}
		if m := v["measured"].(map[string]any); m["power_w"] != rows[odd].PowerW || m["suspicious"] != true {
			t.Errorf("%s: measured %v, want it marked as suspicious", c.name, m)
		}
		must.Contain(t, jtune(t, "choose", "--model", model, "--power-limit", "1000").done(t).out, "measured, in doubt")
	}
}

// Commands on models read what the campaigns recorded: with a device that does not exist they print the same. Only a
// workload's name in place of a model's asks which board this is.
func TestCommandsOnModelsOpenNoDevice(t *testing.T) {
	t.Parallel()
	data, _ := measured(t)
	folders, err := filepath.Glob(filepath.Join(data, "campaigns", "*"))
	if err != nil || len(folders) != 1 {
		t.Fatal(folders, err)
	}
	const name = "mobilenet@virtual-orin-nano"
	file := filepath.Join(data, "models", name+".model")
	sizes, model := filepath.Join(data, "sizes.csv"), filepath.Join(data, "copy.model")
	must.NoError(t, os.WriteFile(sizes, []byte("mode,power_w\n15W,14\n"), 0o644))
	jtune(t, "models", "fit", "--samples", folders[0], "--out", model, "--data-dir", data).done(t)
	for _, line := range []string{
		"choose --power-limit 12 --model " + name,
		"choose --power-limit 12 --json --model " + name,
		"choose --power-limit 12 --json --model " + model,
		"choose --knee --epochs 3 --model " + name,
		"choose --power-limit 12 --rate 2 --latency 20000 --json --model " + name,
		"predict 15W --model " + file,
		"predict --estimates " + sizes + " --model " + name,
		"front --json --model " + name,
		"front --json --samples " + folders[0],
		"explain --mode 15W --model " + name,
		"plot heat --model " + name,
		"plot importance --model " + file,
		"plot violin --samples " + folders[0],
		"models show --json " + name,
		"models --json",
	} {
		on := func(device string) outcome {
			return jtune(t, append(strings.Fields(line), "--device", device, "--data-dir", data)...)
		}
		with, without := on("virtual:orin-nano").done(t), on("virtual:absent").done(t)
		if with.out == "" || with.out != without.out {
			t.Errorf("%s: with the board\n%s\nwithout it\n%s", line, with.out, without.out)
		}
	}
	v := jtune(t, "choose", "--model", model, "--power-limit", "12", "--json", "--device", "virtual:absent",
		"--data-dir", data).done(t).object(t, answerKeys)
	versus := hasKeys(t, v["versus"], "maxn present presets")
	if versus["present"] == nil || len(versus["presets"].([]any)) == 0 {
		t.Errorf("a model of a campaign knows neither the present mode nor the presets: %v", versus)
	}
	jtune(t, "choose", "--model", "mobilenet", "--power-limit", "12", "--device", "virtual:absent", "--data-dir",
		data).fails(t, exitNoDevice, "absent")
	other := []string{"choose", "--power-limit", "12", "--device", "virtual:nano", "--data-dir", data, "--model"}
	jtune(t, append(other, "mobilenet")...).fails(t, exitFailed, "no model of mobilenet for this board")
	must.Contain(t, jtune(t, append(other, name)...).done(t).err, "the model is of another board, Orin")
}
