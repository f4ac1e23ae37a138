package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"jtune/learn"
)

// madeUp writes a made-up sweep of count modes.
func madeUp(t *testing.T, count int) string {
	t.Helper()
	text := "cores,cpu_khz,gpu_hz,mem_hz,time_ms,power_w\n"
	for i := range count {
		c, f, g := 2+2*(i%6), 400000+200000*(i/6%5), 200000000+100000000*(i/30)
		text += fmt.Sprintf("%d,%d,%d,3199000000,%.3f,%.3f\n",
			c, f, g, 1e10/float64(g)+1e8/float64(c*f), 10+float64(g)/1e8+float64(i%7)/10)
	}
	path := filepath.Join(t.TempDir(), "sweep.csv")
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestMakerefWritesAReferenceThatLoads(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var out strings.Builder
	if err := run(t.Context(), []string{"-sweep", madeUp(t, 150), "-out", dir}, &out); err != nil {
		t.Fatal(err)
	}
	r, err := learn.LoadReference(filepath.Join(dir, learn.ShippedName+".reference"))
	if err != nil {
		t.Fatal(err)
	}
	if r.Name != learn.ShippedName || r.Compact.Modes != 150 || !strings.Contains(r.Compact.Source, "bf7d6b73") {
		t.Errorf("loaded %+v", r.Compact.ReferenceNote)
	}
	if !strings.Contains(out.String(), "from 150 modes") {
		t.Errorf("printed %q", out.String())
	}
}

func TestMakerefRejectsBadArguments(t *testing.T) {
	t.Parallel()
	few := madeUp(t, 20)
	for _, c := range []struct {
		name string
		args []string
		want string
	}{
		{"no arguments", nil, "required"},
		{"no folder", []string{"-sweep", few}, "required"},
		{"no such file", []string{"-sweep", few + "x", "-out", "."}, "no such file"},
		{"too few modes", []string{"-sweep", few, "-out", "."}, "at least 100"},
		{"an absent folder", []string{"-sweep", madeUp(t, 150), "-out", filepath.Join(t.TempDir(), "absent")}, "no " +
			"such file"},
	} {
		if err := run(t.Context(), c.args, &strings.Builder{}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want it to say %q", c.name, err, c.want)
		}
	}
}
