package cli

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"jtune/internal/must"
	"jtune/optimize/advice"
	"jtune/tegra"
)

const modelKeys = "name path method modes samples cv workload device virtual campaigns made when warnings error"

// shippedModels is the number of built-in ones: a reference workload.
const shippedModels = 1

func TestModelsTellOfTheShippedReference(t *testing.T) {
	t.Parallel()
	v := hasKeys(t, array(t, jtune(t, "models", "resnet18-agx-orin", "--json").done(t).out)[0],
		modelKeys+" version source licence commands")
	cv := hasKeys(t, v["cv"], "time_mape_pct power_mape_pct")
	has(t, v, "path = null", "device = AGX Orin", "version = 1", "samples = 4368", "commands.# = 1")
	has(t, cv, "time_mape_pct > 0")
	must.Contain(t, jtune(t, "models").done(t).out, "resnet18-agx-orin")
}

// The list and the page of a model count the same modes, also if batch sizes are an input.
func TestModelsListCountsAsShowDoes(t *testing.T) {
	t.Parallel()
	model, rows := fitServed(t)
	modes := map[tegra.Mode]bool{}
	for _, r := range rows {
		modes[r.Mode] = true
	}
	data := filepath.Join(t.TempDir(), "data")
	jtune(t, "models", "keep", model, "--data-dir", data).done(t)
	list := array(t, jtune(t, "models", "list", "--json", "--data-dir", data).done(t).out)
	shown := jtune(t, "models", "show", "served", "--json", "--data-dir", data).done(t).object(t, modelKeys)
	if want := float64(len(modes)); list[len(list)-1]["modes"] != want || shown["modes"] != want {
		t.Errorf("the list counts %v modes, show %v, want %v", list[len(list)-1]["modes"], shown["modes"], want)
	}
}

// A model's page shows calculated beside measured values: modes, whole epochs with their energy, and latency under a
// load.
func TestModelsShowHowFarCalculatedValuesWereOff(t *testing.T) {
	t.Parallel()
	computes(t)
	data := t.TempDir()
	on := func(args ...string) outcome {
		return jtune(t, with(args, "--device", "virtual:orin-nano", "--speed", "max", "--data-dir", data)...).done(t)
	}
	on("tune", "lenet5", "--power-limit", "8", "--baseline", "none")
	on("run", "lenet5", "--epochs", "2")
	on("tune", "mobilenet-infer", "--rate", "20", "--latency", "90", "--power-limit", "12", "--baseline", "none")
	for workload, want := range map[string]string{
		"lenet5":          "time of a mode, power of a mode, time of an epoch, energy of an epoch",
		"mobilenet-infer": "time of a mode, power of a mode, latency under load",
	} {
		v := on("models", "show", workload, "--json").object(t, modelKeys+" calculated_off")
		var found []string
		for _, one := range v["calculated_off"].([]any) {
			o := hasKeys(t, one, "what n median_pct most_pct calculated measured unit")
			found = append(found, o["what"].(string))
			if pct := o["median_pct"].(float64); math.Abs(pct) > 20 || !(o["measured"].(float64) > 0) {
				t.Errorf("%s: %v", workload, o)
			}
		}
		must.Equal(t, strings.Join(found, ", "), want, workload)
		must.Contain(t, on("models", "show", workload).out, "calculated, ")
	}
}

// A model is fitted, kept, shown, and used as a reference by name.
func TestReferenceOfOnesOwn(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("fits a hundred modes twice, one command after another")
	}
	path := sampleFile(t, 24)
	dir := t.TempDir()
	here := []string{"--data-dir", filepath.Join(dir, "data")}
	run := func(args ...string) outcome { return jtune(t, with(args, here...)...) }
	model, few := filepath.Join(dir, "mine.model"), sampleFile(t, 12)
	run("fit", "--samples", path, "--out", model, "--device", "virtual:agx-orin").done(t)
	run("models", "mine").fails(t, exitFailed, "no model mine", "data")
	run("models", "--keep", model).done(t)
	if v := array(t, run("models", "--json").done(t).out); len(v) != shippedModels+1 ||
		v[shippedModels]["name"] != "mine" || v[shippedModels]["samples"] != 24.0 || v[shippedModels]["error"] != nil ||
		v[shippedModels]["when"] == nil {
		t.Errorf("got %v, want the shipped reference and mine", v)
	}
	run("predict", "--model", "mine", "--modes", few, "--csv").done(t)
	run("fit", "--samples", few, "--out", filepath.Join(dir, "m"), "--reference", "mine", "--no-cv").done(t)

	big := filepath.Join(dir, "campaign")
	run("profile", "resnet", "--device", "virtual:orin-nano", "--speed", "max", "--sample", "100", "--minibatches", "2",
		"--out", big).done(t)
	run("fit", "--samples", big, "--out", model, "--no-cv").done(t)
	must.Lack(t,
		run("fit", "--samples", big, "--out", filepath.Join(dir, "m"), "--reference", model, "--no-cv").done(t).err,
		"not used")
	os.WriteFile(filepath.Join(dir, "data", "models", "torn.model"), []byte("jtune-model 1 "), 0o644)
	must.Equal(t, len(array(t, run("models", "--json").done(t).out)), shippedModels+2)
	must.Contain(t, run("models").done(t).out, "unreadable")
	for _, args := range [][]string{{"models", "mine", "--keep", model}, {"models", "a", "b"}} {
		run(args...).fails(t, exitUsage)
	}
	run("models", "--keep", path).fails(t, exitFailed, "not a jtune model")
}

func TestModelsRefuseAReferenceInTheirPlace(t *testing.T) {
	t.Parallel()
	jtune(t, with(virtualBoard, "predict", "--model", "resnet18-agx-orin", "--data-dir", t.TempDir())...).
		fails(t, exitFailed, "resnet18-agx-orin is a reference, not a model")
}

func TestAdviceWithoutAModelTellsTheApproaches(t *testing.T) {
	t.Parallel()
	out := jtune(t, "advice").done(t).out
	for _, a := range advice.Approaches() {
		must.Contain(t, out, a.Scenario, a.Paper, a.Jtune)
	}
}

func TestAdviceOfAModel(t *testing.T) {
	t.Parallel()
	model := fitToy(t)
	out := jtune(t, "advice", "--model", model, "--minibatches", "1000000").done(t).out
	must.Contain(t, out, "halving one setting of ", "a whole training of 1,000,000 minibatches takes",
		"for a training of that length")
	one := jtune(t, "advice", "--model", model, "--mode", "2c/0.73C/0.73G/0.67M").done(t).out
	if !strings.HasPrefix(one, "halving one setting of 2c/0.73C/0.73G/0.67M: ") {
		t.Errorf("the advice is not about the mode of --mode:\n%s", one)
	}
}
