package plan

import (
	"go/ast"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"jtune/internal/must"
)

// readers are the functions that read external input: files, streams, sockets, programs, environment.
var readers = map[string][]string{
	"os":       {"ReadFile", "Open", "OpenFile", "OpenRoot", "ReadDir", "Getenv", "LookupEnv", "Environ"},
	"safefile": {"Read", "Open"},
	"net":      {"Listen", "Dial", "DialTimeout", "ListenUnix", "DialUnix"},
	"http":     {"NewRequest", "NewRequestWithContext", "Get", "Post", "Server"},
	"exec":     {"Command", "CommandContext"},
	"xdg":      {"Reload"},
}

// notInputs are files that only open what jtune itself makes, or that belong to tests and the laboratory.
var notInputs = regexp.MustCompile(`^internal/(tools|testhome|must|safefile)/|/lab/|(test|tests)/[^/]*$|tegratest/`)

// mostOfSecurity is the maximum number of lines of SECURITY.md.
const mostOfSecurity = 200

// TestInputsAreAllInSecurity compares the table of SECURITY.md with the tree, in both directions.
func TestInputsAreAllInSecurity(t *testing.T) {
	text := must.Read(t, filepath.Join(root, "SECURITY.md"))
	if n := strings.Count(string(text), "\n"); n > mostOfSecurity {
		t.Errorf("SECURITY.md has %d lines, at most %d", n, mostOfSecurity)
	}
	_, table, _ := strings.Cut(string(text), "| input | owner |")
	table, _, _ = strings.Cut(table, "\n\n")
	named := map[string]bool{}
	for _, m := range regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(table, -1) {
		named[m[1]] = true
	}
	for row := range strings.Lines(table) {
		if cells := strings.Split(row, "|"); len(cells) == 7 && slices.ContainsFunc(cells[1:6], func(c string) bool {
			return strings.TrimSpace(c) == ""
		}) {
			t.Errorf("a cell is empty: %s", row)
		}
	}
	tests := testsOf(t)
	for _, f := range sources(t, true, ".") {
		for _, target := range f.functions() {
			test := path.Base(f.pkg) + "." + target.Name.Name
			switch {
			case !strings.HasPrefix(target.Name.Name, "Fuzz"):
			case !named[test]:
				t.Errorf("SECURITY.md has no line for what %s reads", test)
			case !boundsInputs(target):
				t.Errorf("%s bounds no input: begin its function with defer reliability.Input(t)()", test)
			}
		}
	}
	for _, f := range sources(t, false, ".") {
		name := path.Join(f.pkg, f.name)
		if call := reads(f.tree); call != "" && !notInputs.MatchString(name) && !named[name] {
			t.Errorf("SECURITY.md has no line for %s, which calls %s", name, call)
		}
	}
	for what := range named {
		switch {
		case strings.HasSuffix(what, ".go"):
			if _, err := os.Stat(filepath.Join(root, what)); err != nil {
				t.Errorf("SECURITY.md names %s: %v", what, err)
			}
		case strings.Contains(what, ".Fuzz") || strings.Contains(what, ".Test"):
			begins := func(test string) bool { return strings.HasPrefix(test, what) }
			if !tests[what] && !slices.ContainsFunc(keys(tests), begins) {
				t.Errorf("SECURITY.md names %s, which is no test", what)
			}
		}
	}
}

// reads returns a call in a file that reads external input; "" if there is none.
func reads(f *ast.File) (call string) {
	ast.Inspect(f, func(n ast.Node) bool {
		s, ok := n.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		if pkg, ok := s.X.(*ast.Ident); ok && slices.Contains(readers[pkg.Name], s.Sel.Name) {
			call = pkg.Name + "." + s.Sel.Name
		}
		return call == ""
	})
	return call
}

func keys(of map[string]bool) (list []string) {
	for k := range of {
		list = append(list, k)
	}
	return list
}

// boundsInputs reports whether a fuzz target limits the time and memory of each input.
func boundsInputs(target *ast.FuncDecl) (found bool) {
	ast.Inspect(target, func(n ast.Node) bool {
		if call, ok := n.(*ast.SelectorExpr); ok && call.Sel.Name == "Input" {
			of, ok := call.X.(*ast.Ident)
			found = found || ok && of.Name == "reliability"
		}
		return !found
	})
	return found
}
