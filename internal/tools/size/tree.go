package main

import (
	"bytes"
	"cmp"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// Tree is a counted module. Its packages are sorted by path.
type Tree struct {
	Module    string
	Packages  []*Package
	TestLines int // of files _test.go, which are not counted elsewhere
}

// Package is a folder with Go files other than tests.
type Package struct {
	Path      string // below the module's folder; ".": that folder
	Kind      Kind
	Files     []File
	Functions []int          // lines of each function and method
	Exported  int            // exported functions, and exported methods of exported types
	Methods   map[string]int // by type

	program bool // it is a program, not an importable package
	imports []string
}

// File is one file and its lines.
type File struct {
	Name  string
	Lines int
}

// Count reads all packages below a folder with a go.mod.
func Count(folder string) (*Tree, error) {
	mod, err := os.ReadFile(filepath.Join(folder, "go.mod"))
	if err != nil {
		return nil, err
	}
	module, ok := strings.CutPrefix(strings.SplitN(string(mod), "\n", 2)[0], "module ")
	if !ok {
		return nil, fmt.Errorf("%s/go.mod does not begin with the module's name", folder)
	}
	t := &Tree{Module: strings.TrimSpace(module)}
	found := map[string]*Package{}
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
		if err != nil {
			return err
		}
		if strings.HasSuffix(name, "_test.go") {
			t.TestLines += bytes.Count(text, []byte("\n"))
			return nil
		}
		dir, err := filepath.Rel(folder, filepath.Dir(file))
		if err != nil {
			return err
		}
		dir = filepath.ToSlash(dir)
		if found[dir] == nil {
			found[dir] = &Package{Path: dir, Methods: map[string]int{}}
			t.Packages = append(t.Packages, found[dir])
		}
		return found[dir].add(t.Module, name, text)
	})
	if err != nil {
		return nil, err
	}
	slices.SortFunc(t.Packages, func(a, b *Package) int { return cmp.Compare(a.Path, b.Path) })
	t.sort(found)
	return t, nil
}

// add counts a file.
func (p *Package) add(module, name string, text []byte) error {
	set := token.NewFileSet()
	parsed, err := parser.ParseFile(set, path.Join(p.Path, name), text, parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	p.Files = append(p.Files, File{name, bytes.Count(text, []byte("\n"))})
	p.program = p.program || parsed.Name.Name == "main"
	for _, i := range parsed.Imports {
		if to, err := strconv.Unquote(i.Path.Value); err == nil {
			if ours, ok := strings.CutPrefix(to, module+"/"); ok {
				p.imports = append(p.imports, ours)
			}
		}
	}
	for _, d := range parsed.Decls {
		f, ok := d.(*ast.FuncDecl)
		if !ok {
			continue
		}
		p.Functions = append(p.Functions, set.Position(f.End()).Line-set.Position(f.Pos()).Line+1)
		exported := f.Name.IsExported()
		if f.Recv != nil {
			of := receiver(f)
			p.Methods[of]++
			exported = exported && ast.IsExported(of)
		}
		if exported {
			p.Exported++
		}
	}
	return nil
}

// receiver returns the name of a method's type.
func receiver(f *ast.FuncDecl) string {
	of := f.Recv.List[0].Type
	for {
		switch x := of.(type) {
		case *ast.StarExpr:
			of = x.X
		case *ast.IndexExpr:
			of = x.X
		case *ast.IndexListExpr:
			of = x.X
		case *ast.Ident:
			return x.Name
		default:
			return ""
		}
	}
}

// Lines returns the lines of all its files.
func (p *Package) Lines() (n int) {
	for _, f := range p.Files {
		n += f.Lines
	}
	return n
}

// LargestFile returns the file with the most lines.
func (p *Package) LargestFile() File {
	return slices.MaxFunc(p.Files, func(a, b File) int { return a.Lines - b.Lines })
}

// largestType returns the type with the most methods; "" if there is none.
func (p *Package) largestType() (name string) {
	for of, n := range p.Methods {
		if n > p.Methods[name] || n == p.Methods[name] && of < name {
			name = of
		}
	}
	return name
}

func (p *Package) methodsMost() int { return p.Methods[p.largestType()] }

func (p *Package) mostMethods() string {
	if p.methodsMost() == 0 {
		return "-"
	}
	return fmt.Sprintf("%s %d", p.largestType(), p.methodsMost())
}

// of lists the packages of a kind.
func (t *Tree) of(k Kind) (out []*Package) {
	for _, p := range t.Packages {
		if p.Kind == k {
			out = append(out, p)
		}
	}
	return out
}

// Lines returns the lines of all packages of a kind.
func (t *Tree) Lines(k Kind) (n int) {
	for _, p := range t.of(k) {
		n += p.Lines()
	}
	return n
}

// most names the product's package with the maximum of a count.
func (t *Tree) most(of func(*Package) int) string {
	p := slices.MaxFunc(t.of(Product), func(a, b *Package) int { return of(a) - of(b) })
	return fmt.Sprintf("%s (`%s`)", thousands(of(p)), p.Path)
}

// methodsOf counts the methods of a type, such as tui/session.Session.
func (t *Tree) methodsOf(name string) int {
	for _, p := range t.Packages {
		if of, ok := strings.CutPrefix(name, p.Path+"."); ok {
			return p.Methods[of]
		}
	}
	return 0
}

func (t *Tree) functions() (all []int) {
	for _, p := range t.Packages {
		all = append(all, p.Functions...)
	}
	return all
}

func (t *Tree) largestFile() (out File) {
	for _, p := range t.Packages {
		if f := p.LargestFile(); f.Lines > out.Lines {
			out = f
		}
	}
	return out
}

// p99 returns the number of lines that 99 of 100 functions do not exceed.
func p99(lines []int) int {
	if len(lines) == 0 {
		return 0
	}
	return slices.Sorted(slices.Values(lines))[99*(len(lines)-1)/100]
}

// thousands formats a number with a comma.
func thousands(n int) string {
	if n < 1000 {
		return strconv.Itoa(n)
	}
	return fmt.Sprintf("%d,%03d", n/1000, n%1000)
}
