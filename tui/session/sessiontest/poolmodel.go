package sessiontest

import (
	"math"
	"testing"

	"jtune/learn"
	"jtune/profiles/workload"
	"jtune/tegra"
	"jtune/tui/session"
	"jtune/tui/session/config"
	"jtune/tui/session/workloads"
)

// InDir opens a virtual board with a data directory and finds a workload.
func InDir(t *testing.T, dir string, seed uint64) (*session.Session, workload.Workload) {
	t.Helper()
	return InDirOf(t, dir, seed, "lstm")
}

func InDirOf(t *testing.T, dir string, seed uint64, name string) (*session.Session, workload.Workload) {
	t.Helper()
	s := Open(t, session.Options{Device: "virtual:agx-orin", Speed: math.Inf(1), Paths: config.Paths{DataDir: dir},
		Seed: seed})
	w, err := workloads.Find(s, name)
	if err != nil {
		t.Fatal(err)
	}
	return s, w
}

// SamplesOf returns the settings in a model file.
func SamplesOf(t *testing.T, path string) map[tegra.Setting]bool {
	t.Helper()
	_, samples, err := learn.LoadSource(path)
	if err != nil {
		t.Fatal(err)
	}
	out := map[tegra.Setting]bool{}
	for _, m := range samples {
		out[m.Setting] = true
	}
	return out
}
