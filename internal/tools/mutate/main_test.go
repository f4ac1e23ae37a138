package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/BurntSushi/toml"
)

// The plan names files and lines of the tree: a line that was rewritten is no known equivalent any more.
func TestPlanNamesWhatIsInTheTree(t *testing.T) {
	t.Parallel()
	const root = "../../.."
	var p Plan
	if _, err := toml.DecodeFile(filepath.Join(root, ".ci/mutate.toml"), &p); err != nil {
		t.Fatal(err)
	}
	for _, pkg := range p.Packages {
		if _, err := os.Stat(filepath.Join(root, pkg.Path)); err != nil {
			t.Error(err)
		}
	}
	for _, e := range p.Equivalent {
		text, err := os.ReadFile(filepath.Join(root, e.File))
		if err != nil {
			t.Error(err)
			continue
		}
		if !slices.ContainsFunc(strings.Split(string(text), "\n"), func(line string) bool {
			return strings.TrimSpace(line) == e.Line
		}) {
			t.Errorf("%s has no line %q", e.File, e.Line)
		}
	}
	if len(p.Packages) == 0 || len(p.Equivalent) == 0 {
		t.Error("the plan is empty: this test checks nothing")
	}
}
