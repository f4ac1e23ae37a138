package cli

import (
	"os"
	"os/exec"
	"path/filepath"
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

// TestPyTorchTrainsForAProfile is the whole way on a machine without a Jetson:
// a board of plain files, LeNet trained for real on the CPU, a record, a model.
func TestPyTorchTrainsForAProfile(t *testing.T) {
	if testing.Short() {
		t.Skip("trains for many seconds")
	}
	const python = "/usr/bin/python3"
	if err := exec.Command(python, "-c", "import torch").Run(); err != nil {
		t.Skipf("%s cannot import torch (%v): install python3-torch to run this test", python, err)
	}
	args, _ := fakeBoard(t, "true")
	config := write(t, "[torch]\ndata = \"synthetic\"\npython = \""+python+"\"\n[workload.lenet5]\nworkers = 1\n")
	args = with(args, "--config", config)
	dir := filepath.Join(t.TempDir(), "campaign")
	o := jtune(t, with(args, "profile", "lenet5", "--sample", "2", "--minibatches", "5", "--out", dir)...)
	if o.code != 0 {
		t.Fatalf("exit code %d: %s%s", o.code, o.out, o.err)
	}
	head, rows, err := profiles.Read(dir)
	if err != nil || len(rows) != 2 || head.Workload.Torch.Net != "lenet5" {
		t.Fatalf("%d rows, %v, workload %+v", len(rows), err, head.Workload)
	}
	for _, r := range rows {
		if !r.Status.Usable() || r.Minibatches < 5 || !(r.TimeMS > 0) || !r.ComputeMS.OK {
			t.Errorf("row %+v", r)
		}
	}
}
