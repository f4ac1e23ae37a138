package devices

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"jtune/internal/must"
	"jtune/profiles/workload"
	"jtune/tegra/tegratest"
	"jtune/tui/session"
	"jtune/tui/session/config"
	"jtune/tui/session/measure"
	"jtune/tui/session/run"
)

// A machine without power modes runs workloads, and its epochs are listed with the boards'.
func TestOwnRunsAWorkloadThatIsComparedWithBoards(t *testing.T) {
	data := t.TempDir()
	bin := t.TempDir()
	t.Setenv("PATH", bin+":"+os.Getenv("PATH"))
	tegratest.Program(t, filepath.Join(bin, "nvidia-smi"),
		"#!/bin/sh\nwhile :; do echo '0, 200.5, 90'; sleep 0.1; done\n")
	s := must.Get(session.Open(session.Options{NoDevice: true, Paths: config.Paths{DataDir: data}}))(t)
	w := workload.Workload{Name: "resnet18", Title: "own", Batch: 16, Samples: 1600, Command: []string{"/bin/sh", "-c",
		`while :; do echo '{"event":"minibatch","time_ms":12.5}'; sleep 0.01; done`}}
	res, err := run.Run(t.Context(), s, measure.RunRequest{Workload: w}, nil)
	if closed := s.Close(); err != nil || closed != nil {
		t.Fatal(err, closed)
	}
	if res.TimeMS != 12.5 || math.Abs(res.PowerW.V-200.5) > 1e-6 {
		t.Errorf("%v ms, %v", res.TimeMS, res.PowerW)
	}
	rows, err := Own([]string{filepath.Join(data, "campaigns")})
	if err != nil || len(rows) != 1 || rows[0].Virtual || math.Abs(rows[0].EpochS.V-1.25) > 1e-9 {
		t.Errorf("%+v, %v", rows, err)
	}
	f := Figure(rows, "resnet18")
	if f.Virtual || strings.Contains(f.Title, "VIRTUAL") || f.Rows[0] != rows[0].Board+" measured" {
		t.Errorf("%q, %v, %q", f.Title, f.Virtual, f.Rows)
	}
	rows[0].Virtual = true
	if f := Figure(rows, "resnet18"); !f.Virtual || !strings.Contains(f.Title, "of each board (VIRTUAL: ") {
		t.Errorf("%q, %v", f.Title, f.Virtual)
	}
}

// That a workload does not fit a machine is a result too.
func TestOwnRecordsAWorkloadThatDidNotRun(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	s := must.Get(session.Open(session.Options{NoDevice: true, Paths: config.Paths{DataDir: data}}))(t)
	defer s.Close()
	w := workload.Workload{Name: "bert", Title: "own", Batch: 16, Samples: 1600, Command: []string{"/bin/sh", "-c",
		`echo '{"event":"hello","protocol":1}'
		echo '{"event":"error","message":"out of memory, did not run (DNR)"}'; exit 3`}}
	if _, err := run.Run(t.Context(), s, measure.RunRequest{Workload: w}, nil); err == nil {
		t.Fatal("no error")
	}
	rows, err := Own([]string{filepath.Join(data, "campaigns")})
	if err != nil || len(rows) != 1 || !strings.Contains(rows[0].Why, "did not run (DNR)") || rows[0].TimeMS.OK {
		t.Errorf("%+v, %v", rows, err)
	}
}
