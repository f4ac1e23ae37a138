package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"jtune/tegra"
	"jtune/tegra/tegratest"
)

func TestMkrootWritesEveryListedBoard(t *testing.T) {
	t.Parallel()
	var list bytes.Buffer
	if code := run(nil, &list, &list); code != 0 {
		t.Fatalf("exit %d: %s", code, list.String())
	}
	for i, line := range strings.Split(strings.TrimSpace(list.String()), "\n") {
		if i%4 > 0 && os.Getenv("JTUNE_LONG") == "" { // the trees have tests of their own
			continue
		}
		name := strings.Fields(line)[0]
		dir := filepath.Join(t.TempDir(), "new")
		var out bytes.Buffer
		if code := run([]string{"-board", name, "-out", dir}, &out, &out); code != 0 {
			t.Errorf("%s: exit %d: %s", name, code, out.String())
			continue
		}
		s, err := tegra.Open(tegra.DiskFS(dir), tegra.RealClock())
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if s.Space().Len() == 0 {
			t.Errorf("%s lists no modes", name)
		}
		s.Close()
	}
	if got := strings.Count(list.String(), "\n"); got != len(tegratest.Boards()) {
		t.Errorf("%d boards listed", got)
	}
}

func TestMkrootWritesNothingOverAFolderInUse(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var out bytes.Buffer
	for _, c := range []struct {
		args []string
		want int
	}{
		{[]string{"-board", "nano-32"}, 2},
		{[]string{"-board", "pi-5", "-out", dir}, 2},
		{[]string{"-nonsense"}, 2},
		{[]string{"-board", "nano-32", "-out", dir}, 0},
		{[]string{"-board", "nano-32", "-out", dir}, 1},
	} {
		if got := run(c.args, &out, &out); got != c.want {
			t.Errorf("%v: exit %d, want %d", c.args, got, c.want)
		}
	}
}
