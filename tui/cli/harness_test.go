package cli

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"jtune/profiles"
)

func TestHarnessPrintsTheHelperAndWritesTheJobs(t *testing.T) {
	t.Parallel()
	o := jtune(t, "harness")
	if o.code != 0 || !strings.Contains(o.out, "def minibatch(") {
		t.Errorf("exit code %d: %s%s", o.code, o.out, o.err)
	}
	dir := filepath.Join(t.TempDir(), "new")
	o = jtune(t, "harness", "--write", dir)
	if _, err := os.Stat(filepath.Join(dir, "train.py")); o.code != 0 || err != nil || !strings.Contains(o.out, filepath.Join(dir, "jtune.py")) {
		t.Errorf("exit code %d, %v: %s%s", o.code, err, o.out, o.err)
	}
	jtune(t, "harness", "--write", "").fails(t, exitUsage, "--write")
}

// python is Debian's interpreter, which may have PyTorch.
const python = "/usr/bin/python3"

func needPyTorch(t *testing.T) {
	t.Helper()
	if err := exec.Command(python, "-c", "import torch").Run(); err != nil {
		t.Skipf("%s cannot import torch (%v): install python3-torch to run this test", python, err)
	}
}

// TestPyTorchTrainsForAProfile is the whole way on a machine without a Jetson:
// a board of plain files or a virtual one, LeNet trained for real on the CPU, a
// record, a model.
func TestPyTorchTrainsForAProfile(t *testing.T) {
	if testing.Short() {
		t.Skip("trains for many seconds")
	}
	needPyTorch(t)
	config := "[torch]\ndata = \"synthetic\"\npython = \"" + python + "\"\nbeside = true\n[workload.lenet5]\nworkers = 1\n"
	files, _ := fakeBoard(t, "true")
	virtual := []string{"--device", "virtual:agx-orin", "--data-dir", t.TempDir(), "--log-file", filepath.Join(t.TempDir(), "log")}
	for name, c := range map[string]struct {
		args  []string
		modes int
	}{"board of files": {files, 2}, "virtual board": {virtual, 4}} {
		t.Run(name, func(t *testing.T) {
			if name == "virtual board" && os.Getenv("JTUNE_LONG") == "" {
				t.Skip("half a minute in real time: set JTUNE_LONG=1")
			}
			args := with(c.args, "--config", write(t, config))
			dir := filepath.Join(t.TempDir(), "campaign")
			o := jtune(t, with(args, "profile", "lenet5", "--sample", strconv.Itoa(c.modes), "--minibatches", "5", "--out", dir)...)
			if o.code != 0 {
				t.Fatalf("exit code %d: %s%s", o.code, o.out, o.err)
			}
			head, rows, err := profiles.Read(dir)
			if err != nil || len(rows) != c.modes || head.Workload.Torch.Net != "lenet5" {
				t.Fatalf("%d rows, %v, workload %+v", len(rows), err, head.Workload)
			}
			for _, r := range rows {
				if !r.Status.Usable() || r.Minibatches < 5 || !(r.TimeMS > 0) || !r.ComputeMS.OK || !(r.PowerW > 0) {
					t.Errorf("row %+v", r)
				}
			}
			if name == "virtual board" {
				jtune(t, with(args, "fit", "--samples", dir, "--method", "linear", "--out", filepath.Join(t.TempDir(), "m"))...).done(t)
			}
		})
	}
}
