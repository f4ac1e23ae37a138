package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// module writes a module with these files and counts it.
func module(t *testing.T, files map[string]string) *Tree {
	t.Helper()
	dir := t.TempDir()
	files["go.mod"] = "module m\n\ngo 1.26\n"
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	tree, err := Count(dir)
	if err != nil {
		t.Fatal(err)
	}
	return tree
}

// program returns the source of a program that imports packages.
func program(imports ...string) string {
	text := "package main\n\n"
	for _, i := range imports {
		text += fmt.Sprintf("import _ %q\n", i)
	}
	return text + "\nfunc main() {}\n"
}

func TestCountSortsPackagesByWhatTheyAreFor(t *testing.T) {
	t.Parallel()
	tree := module(t, map[string]string{
		"main.go":                     program("m/a", "m/a/lab/score"),
		"a/a.go":                      "package a\n\nimport _ \"m/learn/baseline/nn\"\n",
		"a/a_test.go":                 "package a\n\nimport _ \"m/a/atest\"\n",
		"a/atest/atest.go":            "package atest\n",
		"a/lab/score/score.go":        "package score\n",
		"learn/baseline/nn/nn.go":     "package nn\n",
		"internal/tools/x/main.go":    program("m/internal/tools/part"),
		"internal/tools/part/p.go":    "package part\n",
		"internal/tools/forTest/p.go": "package forTest\n",
		"a/testdata/ignored.go":       "package ignored\n",
	})
	want := map[string]Kind{".": Product, "a": Product, "a/atest": TestSupport, "a/lab/score": Laboratory,
		"learn/baseline/nn": Product, "internal/tools/x": Developer, "internal/tools/part": Developer,
		"internal/tools/forTest": TestSupport}
	for _, p := range tree.Packages {
		if p.Kind != want[p.Path] {
			t.Errorf("%s is %s, want %s", p.Path, p.Kind, want[p.Path])
		}
	}
	if len(tree.Packages) != len(want) || tree.TestLines != 3 || tree.Lines(TestSupport) != 2 {
		t.Errorf("%d packages, %d lines of tests, %d of test support", len(tree.Packages), tree.TestLines,
			tree.Lines(TestSupport))
	}
}

func TestCountSeesWhatIsExported(t *testing.T) {
	t.Parallel()
	tree := module(t, map[string]string{"a/a.go": `package a

type T[K any] struct{}

func (t *T[K]) One() {}
func (t T[K]) two()  {}

type hidden struct{}

func (hidden) String() string { return "" }

// Three has a comment, which is not counted.
func Three() {
	_ = 3
}
`})
	p := tree.Packages[0]
	if p.Exported != 2 || p.Methods["T"] != 2 || p.largestType() != "T" || len(p.Functions) != 4 {
		t.Errorf("%d exported, methods %v, functions %v", p.Exported, p.Methods, p.Functions)
	}
	if slices.Max(p.Functions) != 3 || p.Lines() != 15 {
		t.Errorf("the longest function has %d lines, the file %d", slices.Max(p.Functions), p.Lines())
	}
}

func TestFaultsNameWhatPassesALimit(t *testing.T) {
	t.Parallel()
	methods := func(of string, n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, "func (%s) M%d() {}\n", of, i)
		}
		return b.String()
	}
	tree := module(t, map[string]string{
		"main.go":                  program("m/tui/session", "m/tui/session/run", "m/tegra/virtual"),
		"tui/session/session.go":   "package session\n\ntype Session struct{}\n\n" + methods("*Session", 26),
		"tui/session/run/run.go":   "package run\n" + strings.Repeat("\n", roomLines),
		"tegra/virtual/virtual.go": "package virtual\n\ntype Board struct{}\n\n" + methods("Board", 70),
	})
	got := strings.Join(tree.Faults(), "\n")
	want := "tui/session/run: 1701 lines, at most 1700\n" +
		"tui/session/run/run.go: 1701 lines, at most 500\n" +
		"tui/session.Session: 26 methods, at most 25"
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestSumsHaveAColumnForEachFolder(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	if err := run(&out, []string{"-sums", "../../..", "../../.."}); err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(out.String()) {
		if strings.Count(line, "|") != 4 {
			t.Errorf("%q has not a title and two columns", line)
		}
	}
}

// The limits of this tree: a package that exceeds one is split, not exempted.
func TestTreeKeepsItsLimits(t *testing.T) {
	tree, err := Count("../../..")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range tree.Faults() {
		t.Error(f)
	}
}
