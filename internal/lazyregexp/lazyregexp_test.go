package lazyregexp

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"jtune/internal/must"
)

func TestRegexpIsCompiledAtItsFirstUse(t *testing.T) {
	t.Parallel()
	r := New(`^(\d+)W$`)
	if r.re != nil {
		t.Error("compiled before its first use")
	}
	if m := r.FindStringSubmatch("30W"); len(m) != 2 || m[1] != "30" {
		t.Errorf("matched %q, want 30", m)
	}
	if r.re == nil {
		t.Error("compiled at each use")
	}
}

// Nothing else would notice an expression that does not compile before its first use.
func TestRegexpOfEveryPackageCompiles(t *testing.T) {
	t.Parallel()
	found := 0
	for _, top := range []string{"internal", "learn", "optimize", "profiles", "tegra", "telemetry", "tui"} {
		err := filepath.WalkDir(filepath.Join("..", "..", top), func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			source, err := os.ReadFile(path)
			if err != nil || !strings.Contains(string(source), "lazyregexp.") {
				return err
			}
			found += compile(t, path, source)
			return nil
		})
		must.NoError(t, err)
	}
	if found < 50 {
		t.Errorf("%d expressions found, want those of the whole program", found)
	}
}

// compile compiles the expressions of a file and counts them.
func compile(t *testing.T, path string, source []byte) (found int) {
	t.Helper()
	set := token.NewFileSet()
	file := must.Get(parser.ParseFile(set, path, source, parser.SkipObjectResolution))(t)
	ast.Inspect(file, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok || !slices.Contains([]string{"lazyregexp.New", "lazyregexp.All"}, types.ExprString(call.Fun)) {
			return true
		}
		for _, arg := range call.Args {
			found++
			if _, err := regexp.Compile(literal(arg)); err != nil {
				t.Errorf("%v: %v", set.Position(arg.Pos()), err)
			}
		}
		return true
	})
	return found
}

// literal is the value of a string that is written out; for any other expression one that does not compile.
func literal(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.BasicLit:
		if s, err := strconv.Unquote(e.Value); err == nil {
			return s
		}
	case *ast.BinaryExpr:
		return literal(e.X) + literal(e.Y)
	}
	return "("
}
