package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"jtune/internal/must"
)

func TestFaultsNameWhatPassesALimit(t *testing.T) {
	t.Parallel()
	methods := func(of string, n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, "func (%s) M%d() {}\n", of, i)
		}
		return b.String()
	}
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod": "module m\n\ngo 1.26\n",
		"main.go": "package main\n\nimport _ \"m/tui/session\"\nimport _ \"m/tui/session/run\"\n" +
			"import _ \"m/tegra/virtual\"\nimport _ \"m/a/lab\"\n\nfunc main() {}\n",
		"main_test.go":             "package main\n",
		"tui/session/session.go":   "package session\n\ntype Session[K any] struct{}\n\n" + methods("*Session[K]", 26),
		"tui/session/run/run.go":   "package run\n" + strings.Repeat("\n", roomLines),
		"tegra/virtual/virtual.go": "package virtual\n\ntype Board struct{}\n\n" + methods("Board", 61),
		"a/lab/lab.go":             "package lab\n\ntype t struct{}\n\n" + methods("t", 66),
		"a/atest/long.go":          "package atest\n\nfunc F() {\n" + strings.Repeat("\n", roomLines) + "}\n",
		"internal/tools/x/main.go": "package main\n",
		"a/testdata/ignored.go":    "no Go",
	} {
		path := filepath.Join(dir, name)
		must.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		must.NoError(t, os.WriteFile(path, []byte(text), 0o644))
	}
	tree := must.Get(count(dir))(t)
	got := strings.Join(tree.faults(), "\n")
	want := "a/atest/long.go: 1704 lines, at most 500\n" +
		"a/lab.t: 66 methods, at most 65\n" +
		"tui/session.Session: 26 methods, at most 25\n" +
		"tui/session/run: 1701 lines, at most 1700\n" +
		"tui/session/run/run.go: 1701 lines, at most 500"
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	var out strings.Builder
	tree.print(&out)
	for _, sum := range []string{"1804 lines of product in 4", "70 lines of laboratory in 1",
		"1 lines of developer programs in 1", "1704 lines of test support in 1", "1 lines of tests"} {
		if !strings.Contains(out.String(), " "+sum) {
			t.Errorf("no %q in\n%s", sum, out.String())
		}
	}
}

// The limits of this tree: a package that exceeds one is split, not exempted.
func TestTreeKeepsItsLimits(t *testing.T) {
	tree := must.Get(count("../../.."))(t)
	for _, f := range tree.faults() {
		t.Error(f)
	}
}
