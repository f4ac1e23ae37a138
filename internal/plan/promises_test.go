package plan

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// Every promise of docs/promises.md is made in README.md or SECURITY.md in the words that it quotes, and is held by
// tests that exist.
func TestPromisesAreMadeAndHaveTests(t *testing.T) {
	t.Parallel()
	read := func(name string) string {
		text, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			t.Fatal(err)
		}
		return strings.Join(strings.Fields(string(text)), " ")
	}
	said := read("README.md") + " " + read("SECURITY.md")
	page, err := os.ReadFile(filepath.Join(root, "docs/promises.md"))
	if err != nil {
		t.Fatal(err)
	}
	tests := testsOf(t)
	rows := 0
	for row := range strings.Lines(string(page)) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(row), "|"), " | ")
		if len(cells) != 4 || !strings.HasPrefix(row, "| ") || strings.Contains(row, "in their words") {
			continue
		}
		rows++
		quote := strings.Trim(strings.TrimSpace(cells[1]), "“”")
		if plain := strings.NewReplacer("`", "", "*", ""); !strings.Contains(plain.Replace(said), plain.Replace(quote)) {
			t.Errorf("neither README.md nor SECURITY.md says %q", quote)
		}
		named := regexp.MustCompile("`([a-z]+\\.Test\\w+)`").FindAllStringSubmatch(cells[2], -1)
		if len(named) == 0 {
			t.Errorf("no test holds %q", cells[0])
		}
		for _, m := range named {
			if !tests[m[1]] {
				t.Errorf("%q names %s, which is no test", cells[0], m[1])
			}
		}
	}
	if rows < 8 {
		t.Errorf("%d promises were read", rows)
	}
}

// testsOf are the tests of the tree, as “package.Test”.
func testsOf(t *testing.T) map[string]bool {
	t.Helper()
	tests := map[string]bool{}
	err := filepath.WalkDir(root, func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(file, "_test.go") {
			return err
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		for _, decl := range parsed.Decls {
			if f, ok := decl.(*ast.FuncDecl); ok {
				tests[path.Base(path.Dir(filepath.ToSlash(file)))+"."+f.Name.Name] = true
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return tests
}
