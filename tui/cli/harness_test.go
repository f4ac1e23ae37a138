package cli

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"jtune/internal/must"
	"jtune/internal/testhome"
)

func TestHarnessPrintsTheHelperAndWritesTheJobs(t *testing.T) {
	t.Parallel()
	o := jtune(t, "harness").done(t)
	must.Contain(t, o.out, "def minibatch(")
	dir := filepath.Join(t.TempDir(), "new")
	o = jtune(t, "harness", "--write", dir)
	if _, err := os.Stat(filepath.Join(dir, "train.py")); o.code != 0 || err != nil ||
		!strings.Contains(o.out, filepath.Join(dir, "jtune.py")) {
		t.Errorf("exit code %d, %v: %s%s", o.code, err, o.out, o.err)
	}
}

// TestPyTorchTrainsForAProfile does the same with the real job: LeNet trained on the CPU, beside a virtual board and,
// with JTUNE_LONG=1, beside one of plain files.
func TestPyTorchTrainsForAProfile(t *testing.T) {
	t.Parallel()
	python := testhome.Torch(t)
	config := "[torch]\ndata = \"synthetic\"\npython = \"" + python + "\"\nbeside = true\n[workload.lenet5]\n" +
		"workers = 1\nenv = { OMP_NUM_THREADS = '1' }\n"
	modes, wait := 2, "100ms" // about 4 s each, in real time
	long := os.Getenv("JTUNE_LONG") != ""
	if long {
		modes, wait = 20, "0" // 7 s: until power is steady
	}
	files, _ := fakeBoard(t, "true")
	for _, c := range []struct {
		name  string
		args  []string
		modes int
		fits  bool
	}{
		{"board of files", files, 1, false},
		{"virtual board", []string{"--device", "virtual:agx-orin", "--data-dir", t.TempDir(), "--log-file",
			filepath.Join(t.TempDir(), "log")}, modes, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if !c.fits && !long {
				t.Skip("trains for 8 s; JTUNE_LONG=1 does")
			}
			args := with(c.args, "--config", write(t, config))
			dir := filepath.Join(t.TempDir(), "campaign")
			o := jtune(t, with(args, "profile", "lenet5", "--modes", strconv.Itoa(c.modes), "--minibatches", "5",
				"--wait", wait, "--out", dir)...)
			if o.code != 0 {
				t.Fatalf("exit code %d: %s%s", o.code, o.out, o.err)
			}
			head, rows := rowsIn(t, dir, c.modes)
			must.Equal(t, head.Workload.Torch.Net, "lenet5")
			for _, r := range rows {
				if !r.Status.Usable() || r.Minibatches < 5 || !(r.TimeMS > 0) || !r.ComputeMS.OK || !(r.PowerW > 0) {
					t.Errorf("row %+v", r)
				}
			}
			if c.fits {
				jtune(t, with(args, "fit", "--samples", dir, "--out", filepath.Join(t.TempDir(), "m"))...).done(t)
			}
		})
	}
}
