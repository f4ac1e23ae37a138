package plan

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"jtune/internal/must"
)

// source is a Go file of the tree.
type source struct {
	pkg, name string // its folder below the root and its name there
	text      string
	tree      *ast.File
}

// all are the Go files outside testdata and hidden folders, parsed once for all tests.
var all = sync.OnceValues(func() (list []source, err error) {
	err = filepath.WalkDir(root, func(file string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && file != root && (d.Name()[0] == '.' || d.Name() == "testdata"):
			return filepath.SkipDir
		case d.IsDir() || filepath.Ext(file) != ".go":
			return nil
		}
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		tree, err := parser.ParseFile(token.NewFileSet(), file, text, parser.SkipObjectResolution)
		pkg := path.Dir(strings.TrimPrefix(filepath.ToSlash(file), root+"/"))
		list = append(list, source{pkg, d.Name(), string(text), tree})
		return err
	})
	return list, err
})

// sources returns the files of the given folders and of those below: those of tests, or the others.
func sources(t *testing.T, ofTests bool, folders ...string) (list []source) {
	t.Helper()
	files := must.Get(all())(t)
	for _, f := range files {
		for _, folder := range folders {
			below := folder == "." || f.pkg == folder || strings.HasPrefix(f.pkg, folder+"/")
			if below && strings.HasSuffix(f.name, "_test.go") == ofTests {
				list = append(list, f)
			}
		}
	}
	return list
}

// functions returns the functions and methods that a file declares.
func (s source) functions() (list []*ast.FuncDecl) {
	for _, d := range s.tree.Decls {
		if f, ok := d.(*ast.FuncDecl); ok {
			list = append(list, f)
		}
	}
	return list
}

// imports returns what a file imports.
func (s source) imports() (list []string) {
	for _, i := range s.tree.Imports {
		list = append(list, strings.Trim(i.Path.Value, `"`))
	}
	return list
}
