package cli

import (
	"path/filepath"
	"strings"
	"testing"

	"jtune/internal/must"
	"jtune/tegra"
)

// A table of measurements has only time and power, so nothing else may be printed.
func TestReplayMakesUpNoPartsOfAMinibatch(t *testing.T) {
	t.Parallel()
	path, _ := toySweep(t)
	v := jtune(t, with(replay(path), "run", "label", "--minibatches", "5", "--json")...).done(t).object(t, runKeys)
	for _, key := range []string{"stall_ms", "compute_ms", "overhead_ms", "bound", "base_w", "cache_before_pct",
		"disk"} {
		must.Equal(t, v[key], nil, key)
	}
	all := v["all"].(map[string]any)
	for _, key := range []string{"stall_ms", "cpu_pct", "gpu_pct", "ram_bytes", "reads_per_s"} {
		must.Equal(t, all[key], nil, key)
	}
	if advice := v["advice"].([]any); len(advice) > 0 {
		t.Errorf("advice out of time and power alone: %v", advice)
	}
	has(t, v, "time_ms != null", "power_w != null")
	text := jtune(t, with(replay(path), "run", "label", "--minibatches", "5")...).done(t).out
	must.Contain(t, strings.Join(strings.Fields(text), " "), "stall – compute – overhead –")

	dir := filepath.Join(t.TempDir(), "campaign")
	jtune(t, with(replay(path), "profile", "label", "--sample", "3", "--minibatches", "5", "--out", dir)...).done(t)
	head, rows := rowsIn(t, dir, 3)
	for _, r := range rows {
		if r.StallMS.OK || r.ComputeMS.OK || r.OverheadMS.OK || r.TimeMS <= 0 {
			t.Errorf("%s: stall %v compute %v overhead %v time %g", r.Mode, r.StallMS, r.ComputeMS, r.OverheadMS,
				r.TimeMS)
		}
	}
	if head.Device.Replay == "" {
		t.Error("the campaign does not say that it was replayed")
	}
}

// The minibatches of a table may be inference, whatever its name.
func TestTuneOnAReplaySpeaksOfNoTraining(t *testing.T) {
	t.Parallel()
	path, _ := toySweep(t)
	args := with(replay(path), "tune", "resnet", "--power-limit", "20", "--probes", "8")
	must.Lack(t, jtune(t, args...).done(t).out, "training")
	_, o := measured(t)
	must.Contain(t, o.out, "a whole training of")
}

func TestReplayedSamplesAreNoSimulation(t *testing.T) {
	t.Parallel()
	path, _ := toySweep(t)
	file := filepath.Base(path)
	dir, model := filepath.Join(t.TempDir(), "campaign"), filepath.Join(t.TempDir(), "model")
	o := jtune(t, with(replay(path), "tune", "label", "--power-limit", "20", "--probes", "6", "--out", dir)...).done(t)
	fit := jtune(t, "fit", "--samples", dir, "--out", model).done(t)
	choose := jtune(t, "choose", "--model", model, "--power-limit", "20").done(t)
	front := jtune(t, "front", "--samples", dir).done(t)
	for name, text := range map[string]string{"tune": o.out, "fit": fit.err, "choose": choose.out,
		"device": jtune(t, with(replay(path), "device")...).done(t).out, "front": front.out + front.err} {
		if !strings.Contains(text, "replayed from "+file) && name != "front" {
			t.Errorf("%s does not say what is replayed:\n%s", name, text)
		}
		must.Lack(t, text, "simulation")
	}
}

func TestOriginSaysWhatStandsBehindANumber(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		board tegra.Board
		want  string
	}{
		{"a real board", tegra.Board{}, ""},
		{"physics", tegra.Board{Virtual: true}, "a simulation, not a measurement"},
		{"a table", tegra.Board{Virtual: true, Replay: "a.csv"}, "replayed from a.csv"},
	} {
		must.Equal(t, c.board.Origin(), c.want, c.name)
	}
}
