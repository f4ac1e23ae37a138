package session

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"jtune/profiles/workload"
	"jtune/tegra"
	"jtune/tegra/tegratest"
)

func TestHostReadsLinesOfNvidiaSMI(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]struct {
		index   int
		w, load tegra.Val[float64]
		ok      bool
	}{
		"0, 112.37, 87":                {0, tegra.Some(112.37), tegra.Some(87.0), true},
		"1, [N/A], 3":                  {1, tegra.Val[float64]{}, tegra.Some(3.0), true},
		"0, [Not Supported], [N/A]":    {ok: true},
		"0, 112.37 W, 87 %":            {ok: true},
		"No devices were found":        {},
		"-1, 5, 5":                     {},
		"0, 1e9, 150":                  {ok: true},
		"Failed to initialize NVML, x": {},
	} {
		index, got, ok := parseGPU(line)
		if index != want.index || got.powerW != want.w || got.loadPct != want.load || ok != want.ok {
			t.Errorf("%q: %d, %+v, %v", line, index, got, ok)
		}
	}
}

// A machine without power modes runs workloads, and its epochs stand beside those of the boards.
func TestHostRunsAWorkloadThatIsComparedWithBoards(t *testing.T) {
	data := t.TempDir()
	bin := t.TempDir()
	t.Setenv("PATH", bin+":"+os.Getenv("PATH"))
	tegratest.Program(t, filepath.Join(bin, "nvidia-smi"),
		"#!/bin/sh\nwhile :; do echo '0, 200.5, 90'; sleep 0.1; done\n")
	s, err := Open(Options{NoDevice: true, Paths: Paths{DataDir: data}})
	if err != nil {
		t.Fatal(err)
	}
	w := workload.Workload{Name: "resnet18", Title: "own", Batch: 16, Samples: 1600, Command: []string{"/bin/sh", "-c",
		`while :; do echo '{"event":"minibatch","time_ms":12.5}'; sleep 0.01; done`}}
	res, err := s.Run(t.Context(), RunRequest{Workload: w}, nil)
	if closed := s.Close(); err != nil || closed != nil {
		t.Fatal(err, closed)
	}
	if res.TimeMS != 12.5 || math.Abs(res.PowerW.V-200.5) > 1e-6 {
		t.Errorf("%v ms, %v", res.TimeMS, res.PowerW)
	}
	rows, err := OwnRuns([]string{filepath.Join(data, "campaigns")})
	if err != nil || len(rows) != 1 || rows[0].Virtual || math.Abs(rows[0].EpochS.V-1.25) > 1e-9 {
		t.Errorf("%+v, %v", rows, err)
	}
	f := DevicesFigure(rows, "resnet18")
	if f.Virtual || strings.Contains(f.Title, "VIRTUAL") || f.Rows[0] != rows[0].Board+" measured" {
		t.Errorf("%q, %v, %q", f.Title, f.Virtual, f.Rows)
	}
}

// That a workload does not fit a machine is a result too.
func TestHostRecordsAWorkloadThatDidNotRun(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	s, err := Open(Options{NoDevice: true, Paths: Paths{DataDir: data}})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	w := workload.Workload{Name: "bert", Title: "own", Batch: 16, Samples: 1600, Command: []string{"/bin/sh", "-c",
		`echo '{"event":"error","message":"out of memory, did not run (DNR)"}'; exit 3`}}
	if _, err := s.Run(t.Context(), RunRequest{Workload: w}, nil); err == nil {
		t.Fatal("no error")
	}
	rows, err := OwnRuns([]string{filepath.Join(data, "campaigns")})
	if err != nil || len(rows) != 1 || !strings.Contains(rows[0].Why, "did not run (DNR)") || rows[0].TimeMS.OK {
		t.Errorf("%+v, %v", rows, err)
	}
}
