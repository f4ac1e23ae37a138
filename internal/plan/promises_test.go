package plan

import (
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"jtune/internal/must"
)

// Every promise of docs/promises.md is made in README.md or SECURITY.md in the quoted words, and existing tests hold
// it.
func TestPromisesAreMadeAndHaveTests(t *testing.T) {
	t.Parallel()
	read := func(name string) string {
		text := must.Read(t, filepath.Join(root, name))
		return strings.Join(strings.Fields(string(text)), " ")
	}
	said := read("README.md") + " " + read("SECURITY.md")
	rows := rowsOf(t, "docs/promises.md", 4)
	tests := testsOf(t)
	for _, cells := range rows {
		quote := strings.Trim(cells[1], "“”")
		if plain := strings.NewReplacer("`", "", "*", ""); !strings.Contains(plain.Replace(said), plain.Replace(quote)) {
			t.Errorf("neither README.md nor SECURITY.md says %q", quote)
		}
		if named := named(t, tests, cells[0], cells[2]); named == 0 {
			t.Errorf("no test holds %q", cells[0])
		}
	}
	if len(rows) < 8 {
		t.Errorf("%d promises were read", len(rows))
	}
}

// rowsOf returns the cells of the body rows of a page's tables with the given number of columns.
func rowsOf(t *testing.T, page string, columns int) (rows [][]string) {
	t.Helper()
	text := must.Read(t, filepath.Join(root, page))
	head := true
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		switch {
		case !strings.HasPrefix(line, "|"):
			head = true
		case strings.HasPrefix(line, "|---"):
			head = false
		case !head:
			cells := strings.Split(strings.Trim(line, "|"), " | ")
			for i := range cells {
				cells[i] = strings.TrimSpace(cells[i])
			}
			if len(cells) == columns {
				rows = append(rows, cells)
			}
		}
	}
	return rows
}

var testName = regexp.MustCompile("`([a-z]+\\.(?:Test|Fuzz)\\w+)`")

// named counts the tests that a cell names; each must exist.
func named(t *testing.T, tests map[string]bool, what, cell string) int {
	t.Helper()
	list := testName.FindAllStringSubmatch(cell, -1)
	for _, m := range list {
		if !tests[m[1]] {
			t.Errorf("%q names %s, which is no test", what, m[1])
		}
	}
	return len(list)
}

// testsOf returns the tests of the tree as “package.Test”.
func testsOf(t *testing.T) map[string]bool {
	t.Helper()
	tests := map[string]bool{}
	for _, file := range sources(t, true, ".") {
		for _, f := range file.functions() {
			tests[path.Base(file.pkg)+"."+f.Name.Name] = true
		}
	}
	return tests
}
