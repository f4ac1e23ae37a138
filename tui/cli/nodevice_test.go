package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"jtune/internal/must"
)

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
	if o := jtune(t, append(other, name)...).done(t); !strings.Contains(o.err, "the model is of another board, Orin") {
		t.Errorf("the answer is of another board than --device names: %s", o.err)
	}
}
