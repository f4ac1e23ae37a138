package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"jtune/tegra/sweep/sweeptest"
)

func TestMakerefWritesTheProfileOfABoard(t *testing.T) {
	t.Parallel()
	sweeps := filepath.Dir(filepath.Dir(sweeptest.Shared(t, sweeptest.OrinNano)))
	dir := t.TempDir()
	var out strings.Builder
	args := []string{"-board", "orin-nano", "-sweep", sweeps, "-out", dir}
	if err := run(t.Context(), args, &out); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(filepath.Join(dir, "orin-nano.board"))
	if err != nil || !strings.HasPrefix(string(data), "jtune-board 1 ") ||
		!strings.Contains(out.String(), "180 modes") {
		t.Errorf("%.40q, %v; printed %q", data, err, out.String())
	}
}

func TestMakerefRejectsABoardThatItDoesNotKnow(t *testing.T) {
	t.Parallel()
	for board, want := range map[string]string{"tx9": "no board", "agx-orin": "no such file"} {
		args := []string{"-board", board, "-sweep", t.TempDir(), "-out", t.TempDir()}
		err := run(t.Context(), args, &strings.Builder{})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want it to say %q", board, err, want)
		}
	}
}
