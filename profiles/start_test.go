package profiles

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"jtune/profiles/harness"
	"jtune/profiles/harness/torch"
)

func TestBuiltInJobIsWrittenOutAndStarted(t *testing.T) {
	t.Setenv("SUDO_UID", "")
	w, err := Find(builtIns(t), "lenet")
	if err != nil {
		t.Fatalf("%+v, %v", w, err)
	}
	w.Torch.Data, w.Torch.Python = torch.Synthetic, "sh"
	scripts := filepath.Join(t.TempDir(), "torch")
	e, err := w.job(HarnessOptions{Scripts: scripts})
	if err != nil {
		t.Fatal(err)
	}
	want := "sh -B " + scripts + "/train.py --net lenet5 --set mnist --data synthetic"
	if got := strings.Join(e.Command, " "); got != want || e.Env["JTUNE_BATCH"] != "16" || e.Silence != builtInSilence {
		t.Errorf("got %q, %v, silence %v; want %q", got, e.Env, e.Silence, want)
	}
	if _, err := os.Stat(e.Command[2]); err != nil {
		t.Error(err)
	}
}

func TestBuiltInJobInAContainerSeesScriptsAndData(t *testing.T) {
	t.Setenv("SUDO_UID", "")
	data, scripts := t.TempDir(), t.TempDir()
	w, err := Find(builtIns(t), "resnet")
	if err != nil {
		t.Fatal(err)
	}
	w.Torch.Data, w.Torch.Python = data, "/opt/venv/bin/python"
	w.Container = harness.Container{Image: "l4t-pytorch", Mounts: []string{"/a:/b"}}
	e, err := w.job(HarnessOptions{Scripts: scripts})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := strings.Join(e.Container.Mounts, " "), "/a:/b "+scripts+":/opt/jtune:ro "+data+":"+data+":ro"; got != want {
		t.Errorf("mounts %q, want %q", got, want)
	}
	if got, want := strings.Join(e.Command[:3], " "), "/opt/venv/bin/python -B /opt/jtune/train.py"; got != want {
		t.Errorf("command %q, want %q", got, want)
	}
	if len(w.Container.Mounts) != 1 {
		t.Error("the workload itself was changed")
	}
}

func TestBuiltInJobWithoutDataSaysWhatToDo(t *testing.T) {
	t.Parallel()
	w, err := Find(builtIns(t), "bert")
	if err != nil {
		t.Fatal(err)
	}
	w.Torch.Python = "sh"
	_, err = w.NewHarness(HarnessOptions{Scripts: t.TempDir()})(t.Context(), 0)
	if err == nil || !strings.Contains(err.Error(), `workload bert: no data for squad: write data = "FOLDER"`) {
		t.Errorf("got %v", err)
	}
}

func TestUsersFileSetsTheBuiltInJobs(t *testing.T) {
	t.Parallel()
	list, err := parseWorkloads("my.toml", `
[torch]
data = "/data"
python = "/opt/python"

[workload.resnet-gld]
torch = { net = "resnet18", set = "gld23k" }
batch = 8

[workload.lenet5.torch]
data = "synthetic"

[workload.mine]
command = ["python3", "finetune.py"]
pattern = "huggingface"

[workload.mine.container]
image = "nvcr.io/nvidia/l4t-pytorch:r35.2.1-pth2.0-py3"
runtime = "nvidia"
mounts = ["/data:/data:ro"]
`, builtIns(t))
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]torch.Job{
		"resnet-gld": {Net: "resnet18", Set: "gld23k", Data: "/data", Python: "/opt/python"},
		"lenet5":     {Net: "lenet5", Set: "mnist", Data: "synthetic", Python: "/opt/python"},
		"vgg11":      {Net: "vgg11", Set: "cifar10", Data: "/data", Python: "/opt/python"},
		"mine":       {},
	} {
		if w, err := Find(list, name); err != nil || w.Torch != want {
			t.Errorf("%s: %+v, %v; want %+v", name, w.Torch, err, want)
		}
	}
	mine, _ := Find(list, "mine")
	if mine.Container.Runtime != "nvidia" || mine.Pattern != "huggingface" || mine.Container.Image == "" {
		t.Errorf("got %+v", mine)
	}
	before, _ := Find(builtIns(t), "vgg11")
	after, _ := Find(list, "vgg11")
	if before.Same(after) {
		t.Error("rows on made-up data would continue rows on other data")
	}
}
