package profiles

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"jtune/profiles/harness"
	"jtune/profiles/harness/torch"
	"jtune/tegra"
	"jtune/tegra/virtual"
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

func TestAnOwnCommandIsMeasuredAcrossModes(t *testing.T) {
	t.Parallel()
	// A real process on the machine's clock, on a board that answers at once.
	r := newRig(t, "lstm", virtual.Options{})
	dir := t.TempDir()
	r.use(&ageless{Device: r.device, n: 0}, tegra.RealClock())
	r.bench.Settings = Settings{Minibatches: 10, SampleEvery: 20 * time.Millisecond, SteadyGiveUp: 200 * time.Millisecond}
	w := Workload{Name: "own", Batch: 16, Dir: dir, Command: []string{"sh", "-c",
		`echo Loading; i=0; while true; do i=$((i+1)); echo '{"event":"minibatch","batch":'$i',"time_ms":5,"fetch_ms":1,"compute_ms":4}'; sleep 0.005; done`}}
	r.bench.Workload = w
	log := filepath.Join(dir, "log.txt")
	r.bench.NewHarness = w.NewHarness(HarnessOptions{Clock: r.bench.Clock, Log: log, Silence: time.Minute})
	sum, err := (&Campaign{Bench: r.bench, Plan: listOf(r.device.Space().Sample(3, 2))}).Run(t.Context())
	if err != nil || sum.End != Complete || sum.Failed != 0 {
		t.Fatalf("%s, %d failed, %v: %+v", sum.End, sum.Failed, err, sum.Rows)
	}
	for _, row := range sum.Rows {
		if row.TimeMS != 5 || row.StallMS != tegra.Some(1.0) || row.PowerW != 25 || row.Minibatches < 10 {
			t.Errorf("%+v", row)
		}
	}
	if text, _ := os.ReadFile(log); strings.Count(string(text), "jtune: started") != 1 || !strings.Contains(string(text), "Loading") {
		t.Errorf("the job was not kept running from mode to mode:\n%s", text)
	}
}

// ageless is a device with a constant power and nothing else to say.
type ageless struct {
	tegra.Device
	n int
}

func (d *ageless) Read() (tegra.Reading, error) {
	return tegra.Reading{TotalW: tegra.Some(25.0)}, nil
}

func TestAWorkloadWithoutACommandSaysWhatToWrite(t *testing.T) {
	t.Parallel()
	_, err := Workload{Name: "vgg11"}.NewHarness(HarnessOptions{})(t.Context(), 0)
	if !errors.Is(err, ErrNoCommand) || !strings.Contains(err.Error(), "[workload.vgg11]") {
		t.Errorf("got %v", err)
	}
}

func TestACommandLearnsTheWorkloadsSettings(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "env")
	w := Workload{Name: "own", Batch: 32, Workers: 2, Env: map[string]string{"EXTRA": "1", "JTUNE_WORKERS": "3"},
		Command: []string{"sh", "-c", `echo "$JTUNE_WORKLOAD $JTUNE_BATCH $JTUNE_WORKERS $JTUNE_EPOCHS $EXTRA" >` + file}}
	h, err := w.NewHarness(HarnessOptions{Epochs: 6})(t.Context(), 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := h.Next(t.Context()); !errors.Is(err, io.EOF) {
		t.Error(err)
	}
	if text, _ := os.ReadFile(file); string(text) != "own 32 3 6 1\n" {
		t.Errorf("got %q", text)
	}
}
