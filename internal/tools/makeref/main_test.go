package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"jtune/internal/must"
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
	must.NoError(t, os.WriteFile(path, []byte(text), 0o644))
	return path
}

func TestMakerefRejectsBadArguments(t *testing.T) {
	t.Parallel()
	few := madeUp(t, 20)
	bad := filepath.Join(t.TempDir(), "bad.csv")
	must.NoError(t, os.WriteFile(bad, []byte(rows+"2,268800,torn\n"), 0o644))
	for _, c := range []struct {
		name string
		args []string
		want string
	}{
		{"no arguments", nil, "required"},
		{"no folder", []string{"-sweep", few}, "required"},
		{"no such file", []string{"-sweep", few + "x", "-out", "."}, "no such file"},
		{"an absent folder", []string{"-minsteps", "1", "-sweep", few, "-out", filepath.Join(t.TempDir(), "absent")},
			"no such file"},
		{"a torn row", []string{"-sweep", bad, "-out", "."}, "line 14"},
	} {
		if err := run(t.Context(), c.args, &strings.Builder{}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want it to say %q", c.name, err, c.want)
		}
	}
}
