// Command size counts the lines of a tree of this module by the purpose of its packages, and lists what exceeds a
// limit: exit code 1 if anything does. It reads only source files, so a tree of another commit is counted the same way.
//
//	size [FOLDER]
package main

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// Tree is a counted module: its packages by their folder, "." the program's.
type Tree struct {
	packages  map[string]*Package
	testLines int // of files _test.go, which are not counted elsewhere
}

// Package is a folder with Go files other than tests.
type Package struct {
	kind      string
	files     map[string]int // lines
	functions []int          // lines of each function and method
	exported  int            // exported functions, and exported methods of exported types
	methods   map[string]int // by type
}

// Kinds of packages. The product is everything the program is built from, except the laboratory.
const (
	product     = "product"
	laboratory  = "laboratory" // compares the program with the papers
	developer   = "developer programs"
	testSupport = "test support"
)

// comparisons are the papers' methods for comparison; package nn beside them serves transfers and the shipped
// reference.
var comparisons = []string{"learn/baseline", "learn/baseline/forest", "learn/baseline/linear"}

func main() {
	folder := "."
	if len(os.Args) > 1 {
		folder = os.Args[1]
	}
	t, err := count(folder)
	if err != nil {
		fmt.Fprintln(os.Stderr, "size:", err)
		os.Exit(2)
	}
	t.print(os.Stdout)
	if faults := t.faults(); len(faults) > 0 {
		fmt.Println(strings.Join(faults, "\n"))
		os.Exit(1)
	}
}

// count reads all packages below a folder with a go.mod.
func count(folder string) (*Tree, error) {
	list := exec.Command("go", "list", "-deps", "-f", "{{with .Module}}{{if .Main}}{{$.Dir}}{{end}}{{end}}", ".")
	list.Dir, list.Stderr = folder, os.Stderr
	linked, err := list.Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w", err)
	}
	t := &Tree{packages: map[string]*Package{}}
	err = filepath.WalkDir(folder, func(file string, d fs.DirEntry, err error) error {
		name := d.Name()
		switch {
		case err != nil:
			return err
		case d.IsDir() && file != folder && (strings.HasPrefix(name, ".") || name == "testdata"):
			return filepath.SkipDir
		case d.IsDir() || filepath.Ext(name) != ".go":
			return nil
		}
		text, err := os.ReadFile(file)
		if err != nil || strings.HasSuffix(name, "_test.go") {
			t.testLines += bytes.Count(text, []byte("\n"))
			return err
		}
		dir, err := filepath.Rel(folder, filepath.Dir(file))
		if err != nil {
			return err
		}
		if t.packages[dir] == nil {
			full, _ := filepath.Abs(filepath.Dir(file))
			t.packages[dir] = &Package{kind: kindOf(dir, slices.Contains(strings.Fields(string(linked)), full)),
				files: map[string]int{}, methods: map[string]int{}}
		}
		return t.packages[dir].add(name, text)
	})
	return t, err
}

func kindOf(pkg string, linked bool) string {
	switch {
	case linked && (slices.Contains(strings.Split(pkg, "/"), "lab") || slices.Contains(comparisons, pkg)):
		return laboratory
	case linked:
		return product
	case strings.HasPrefix(pkg, "internal/tools/") && pkg != "internal/tools/reliability": // the record of tests
		return developer
	}
	return testSupport
}

// add counts a file.
func (p *Package) add(name string, text []byte) error {
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, name, text, parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	p.files[name] = bytes.Count(text, []byte("\n"))
	for _, d := range file.Decls {
		f, ok := d.(*ast.FuncDecl)
		if !ok {
			continue
		}
		p.functions = append(p.functions, set.Position(f.End()).Line-set.Position(f.Pos()).Line+1)
		exported := f.Name.IsExported()
		if f.Recv != nil {
			of := receiver(f.Recv.List[0].Type)
			p.methods[of]++
			exported = exported && ast.IsExported(of)
		}
		if exported {
			p.exported++
		}
	}
	return nil
}

// receiver returns the name of a method's type.
func receiver(of ast.Expr) string {
	switch x := of.(type) {
	case *ast.StarExpr:
		return receiver(x.X)
	case *ast.IndexExpr:
		return receiver(x.X)
	case *ast.IndexListExpr:
		return receiver(x.X)
	}
	return of.(*ast.Ident).Name
}

func (p *Package) lines() (n int) {
	for _, lines := range p.files {
		n += lines
	}
	return n
}

// print writes a line for each package and the sums.
func (t *Tree) print(out io.Writer) {
	sums, packages := map[string]int{}, map[string]int{}
	for _, path := range slices.Sorted(maps.Keys(t.packages)) {
		p := t.packages[path]
		sums[p.kind] += p.lines()
		packages[p.kind]++
		fmt.Fprintf(out, "%6d lines %4d functions %4d exported  %s\n", p.lines(), len(p.functions), p.exported, path)
	}
	for _, kind := range []string{product, laboratory, developer, testSupport} {
		fmt.Fprintf(out, "%7d lines of %s in %d packages\n", sums[kind], kind, packages[kind])
	}
	fmt.Fprintf(out, "%7d lines of tests\n", t.testLines)
}
