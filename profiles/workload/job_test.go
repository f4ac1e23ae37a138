package workload

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"jtune/internal/must"
	"jtune/profiles/harness"
	"jtune/profiles/harness/torch"
)

func TestWorkloadBuiltInJobIsWrittenOutAndStarted(t *testing.T) {
	t.Setenv("SUDO_UID", "")
	w, err := Find(builtIns(t), "lenet")
	if err != nil {
		t.Fatalf("%+v, %v", w, err)
	}
	w.Torch.Data, w.Torch.Python = torch.Synthetic, "sh"
	scripts := filepath.Join(t.TempDir(), "torch")
	e := must.Get(w.job(HarnessOptions{Scripts: scripts}))(t)
	want := "sh -B " + scripts + "/train.py --net lenet5 --set mnist --data synthetic"
	if got := strings.Join(e.Command, " "); got != want || e.Env["JTUNE_BATCH"] != "16" || e.Silence != builtInSilence {
		t.Errorf("got %q, %v, silence %v; want %q", got, e.Env, e.Silence, want)
	}
	if _, err := os.Stat(e.Command[2]); err != nil {
		t.Error(err)
	}
}

func TestWorkloadBuiltInJobInAContainerSeesScriptsAndData(t *testing.T) {
	t.Setenv("SUDO_UID", "")
	data, scripts := t.TempDir(), t.TempDir()
	w := must.Get(Find(builtIns(t), "resnet"))(t)
	w.Torch.Data, w.Torch.Python = data, "/opt/venv/bin/python"
	w.Container = harness.Container{Image: "l4t-pytorch", Mounts: []string{"/a:/b"}}
	e := must.Get(w.job(HarnessOptions{Scripts: scripts}))(t)
	if got, want := strings.Join(e.Container.Mounts,
		" "), "/a:/b "+scripts+":/opt/jtune:ro "+data+":"+data+":ro"; got != want {
		t.Errorf("mounts %q, want %q", got, want)
	}
	if got, want := strings.Join(e.Command[:3], " "), "/opt/venv/bin/python -B /opt/jtune/train.py"; got != want {
		t.Errorf("command %q, want %q", got, want)
	}
	if len(w.Container.Mounts) != 1 {
		t.Error("the workload itself was changed")
	}
}

func TestWorkloadBuiltInJobWithoutDataSaysWhatToDo(t *testing.T) {
	t.Parallel()
	w, err := Find(builtIns(t), "bert")
	must.NoError(t, err)
	w.Torch.Python = "sh"
	_, err = w.NewHarness(HarnessOptions{Scripts: t.TempDir()})(t.Context(), 0)
	if err == nil || !strings.Contains(err.Error(), `workload bert: no data for squad: write data = "FOLDER"`) {
		t.Errorf("got %v", err)
	}
}

func TestWorkloadUsersFileSetsTheBuiltInJobs(t *testing.T) {
	t.Parallel()
	list, err := parse("my.toml", `
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
	must.NoError(t, err)
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
	if before.Otherwise(after) == nil {
		t.Error("rows on made-up data would continue rows on other data")
	}
}

func TestWorkloadWithoutACommandSaysWhatToWrite(t *testing.T) {
	t.Parallel()
	_, err := Workload{Name: "vgg11"}.NewHarness(HarnessOptions{})(t.Context(), 0)
	if !errors.Is(err, ErrNoCommand) || !strings.Contains(err.Error(), "[workload.vgg11]") {
		t.Errorf("got %v", err)
	}
}

func TestWorkloadCommandLearnsTheWorkloadsSettings(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "env")
	w := Workload{Name: "own", Batch: 32, Workers: 2, Env: map[string]string{"EXTRA": "1", "JTUNE_WORKERS": "3"},
		Command: []string{
			"sh",
			"-c",
			`echo "$JTUNE_WORKLOAD $JTUNE_BATCH $JTUNE_WORKERS $JTUNE_EPOCHS $EXTRA" >` + file,
		}}
	h := must.Get(w.NewHarness(HarnessOptions{Epochs: 6})(t.Context(), 0))(t)
	if _, err := h.Next(t.Context()); !errors.Is(err, harness.ErrNotUnderstood) {
		t.Error(err)
	}
	if text, _ := os.ReadFile(file); string(text) != "own 32 3 6 1\n" {
		t.Errorf("got %q", text)
	}
}

func TestWorkloadWhichCommandsTakeAMinibatchSize(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"reads.py": "batch = int(os.environ['JTUNE_BATCH'])\n",
		"fixed.py": "batch = 16\n",
	} {
		must.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	for _, c := range []struct {
		name string
		w    Workload
		want bool
	}{
		{"a built-in job", Workload{}, true},
		{"its variable in the command", Workload{Command: []string{"sh", "-c", "train --bs $JTUNE_BATCH"}}, true},
		{"a script that reads it", Workload{Command: []string{"python3", "reads.py"}, Dir: dir}, true},
		{"a script in a line for a shell", Workload{Command: []string{"sh", "-c",
			"cd x; python3 '" + filepath.Join(dir, "reads.py") + "'"}}, true},
		{"a script with a size of its own", Workload{Command: []string{"python3", "fixed.py"}, Dir: dir}, false},
		{"a program", Workload{Command: []string{"train", "--bs", "16"}, Dir: dir}, false},
		{"a size in its environment",
			Workload{Command: []string{"python3", "reads.py"}, Dir: dir, Env: map[string]string{"JTUNE_BATCH": "16"}},
			false},
	} {
		if got := c.w.TakesWorkers(); got != (len(c.w.Command) == 0) {
			t.Errorf("%s: takes workers %v", c.name, got)
		}
		if got := c.w.TakesBatch(); got != c.want {
			t.Errorf("%s: got %v", c.name, got)
		}
	}
}

// A server of the user's own is stalled after a minute, as the built-in ones are; a command has a quarter of an hour to
// its first step.
func TestWorkloadSilenceOfServersAndCommands(t *testing.T) {
	t.Parallel()
	server := Workload{Name: "chat", Own: true, Server: Server{API: APIOpenAI, URL: "http://127.0.0.1:1"}}
	if o := server.serveOptions(HarnessOptions{}); o.Silence != 0 && o.Silence != harness.DefaultSilence {
		t.Errorf("a server may be silent for %v", o.Silence)
	}
	own := Own("own", []string{"true"})
	if start, later := own.silence(HarnessOptions{}); start != builtInStart || later != 0 {
		t.Errorf("a command may be silent for %v at its start, and for %v", start, later)
	}
}

// A batch size that the user gave is not assumed, even if it equals the default.
func TestWorkloadBatchSizeOfTheUserIsNotAssumed(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "config.toml")
	text := "[workload.given]\ncommand = [\"true\"]\nbatch = 16\n[workload.open]\ncommand = [\"true\"]\n"
	must.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	list := must.Get(Load(path))(t)
	own := Own("own", []string{"true"})
	for w, want := range map[*Workload]int{&list[0]: 16, &list[1]: 0, &own: 0} {
		if d := w.detect(); d.Batch != want || d.Usual != 16 {
			t.Errorf("%s: batch %d, usual %d, want %d and 16", w.Name, d.Batch, d.Usual, want)
		}
	}
	if sized := own.AtBatch(16); sized.detect().Batch != 16 {
		t.Error("a batch size of 16 is assumed though the user gave it")
	}
}
