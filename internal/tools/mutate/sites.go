package main

import (
	"bytes"
	"cmp"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Kinds of changes.
const (
	negated  = "negated"
	bound    = "bound"
	number   = "number"
	left     = "left out"
	lost     = "error lost"
	joined   = "and, or"
	computed = "plus, minus"
)

// mutant is a site and the text that makes a switch of it.
type mutant struct {
	id         int
	file, kind string
	line       int
	text       string // of the line
	edits      []edit
}

// edit replaces bytes of a file by a text.
type edit struct {
	from, to int
	text     string
	span     int // of the whole mutant; negative for an end
}

// finder collects the sites of a file.
type finder struct {
	name   string
	source []byte
	files  *token.FileSet
	found  []*mutant
}

// sites returns all sites in the files of a package.
func sites(dir string, names []string) (all []*mutant, sources map[string][]byte, err error) {
	sources = map[string][]byte{}
	for _, name := range names {
		path := filepath.Join(dir, name)
		text, err := os.ReadFile(path)
		if err != nil {
			return nil, nil, err
		}
		f := finder{name: path, source: text, files: token.NewFileSet()}
		tree, err := parser.ParseFile(f.files, path, text, parser.SkipObjectResolution)
		if err != nil {
			return nil, nil, err
		}
		sources[path] = text
		for _, d := range tree.Decls {
			if d, ok := d.(*ast.FuncDecl); ok && d.Body != nil {
				ast.Inspect(d.Body, f.visit)
			}
		}
		all = append(all, f.found...)
	}
	return all, sources, nil
}

func (f *finder) at(p token.Pos) int { return f.files.Position(p).Offset }

// add records a site: a call around the node, with further texts in between.
func (f *finder) add(kind string, node ast.Node, before, after string, more ...edit) {
	from, to := f.at(node.Pos()), f.at(node.End())
	m := &mutant{file: f.name, kind: kind, line: f.files.Position(node.Pos()).Line}
	line, _, _ := bytes.Cut(f.source[bytes.LastIndexByte(f.source[:from], '\n')+1:], []byte("\n"))
	m.text = string(bytes.TrimSpace(line))
	m.edits = append([]edit{{from, from, before, to - from}}, more...)
	m.edits = append(m.edits, edit{to, to, after, from - to})
	f.found = append(f.found, m)
}

func (f *finder) visit(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.GenDecl, *ast.FuncType, *ast.ArrayType, *ast.CompositeLit: // constants and lengths; a table is data
		return false
	case *ast.IfStmt:
		f.add(negated, n.Cond, "mutant.Not(%d, ", ")")
	case *ast.BinaryExpr:
		f.binary(n)
	case *ast.BlockStmt:
		f.statements(n.List)
	case *ast.CaseClause:
		f.statements(n.Body)
		for _, s := range n.Body { // not the values to compare with
			ast.Inspect(s, f.visit)
		}
		return false
	case *ast.ReturnStmt:
		if len(n.Results) == 0 {
			break
		}
		if id, ok := n.Results[len(n.Results)-1].(*ast.Ident); ok && id.Name == "err" {
			f.add(lost, id, "mutant.Err(%d, ", ")")
		}
	case *ast.BasicLit:
		switch n.Kind {
		case token.INT:
			f.add(number, n, "mutant.Int(%d, ", ")")
		case token.FLOAT:
			f.add(number, n, "mutant.Float(%d, ", ")")
		}
	}
	return true
}

// calls are the functions that replace operators.
var calls = map[token.Token]struct{ kind, name string }{
	token.LSS: {bound, "Less"}, token.LEQ: {bound, "AtMost"}, token.GTR: {bound, "More"}, token.GEQ: {bound, "AtLeast"},
	token.ADD: {computed, "Plus"}, token.SUB: {computed, "Minus"}, token.MUL: {computed, "Times"},
	token.QUO: {computed, "By"}, token.LAND: {joined, "And"}, token.LOR: {joined, "Or"},
}

func (f *finder) binary(n *ast.BinaryExpr) {
	call, ok := calls[n.Op]
	if !ok {
		return
	}
	at := f.at(n.OpPos)
	between, after := ",", ")"
	if call.kind == joined {
		between, after = ", func() bool { return ", "})"
	}
	f.add(call.kind, n, "mutant."+call.name+"(%d, ", after, edit{at, at + len(n.Op.String()), between, 0})
}

func (f *finder) statements(list []ast.Stmt) {
	for _, s := range list {
		switch s := s.(type) {
		case *ast.ExprStmt, *ast.IncDecStmt:
		case *ast.AssignStmt:
			if s.Tok == token.DEFINE {
				continue
			}
		default:
			continue
		}
		f.add(left, s, "if !mutant.On(%d) { ", " }")
	}
}

// changed returns a file's text with its mutants as switches.
func changed(source []byte, list []*mutant) []byte {
	var edits []edit
	for _, m := range list {
		for _, e := range m.edits {
			if strings.Contains(e.text, "%d") {
				e.text = fmt.Sprintf(e.text, m.id)
			}
			edits = append(edits, e)
		}
	}
	// At one position inner ends come before outer ones, all ends before starts, outer starts before inner ones.
	slices.SortStableFunc(edits, func(a, b edit) int {
		end := func(e edit) int {
			if e.span < 0 {
				return 0
			}
			return 1
		}
		return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(end(a), end(b)), cmp.Compare(b.span, a.span))
	})
	var out bytes.Buffer
	last := 0
	for _, e := range edits {
		out.Write(source[last:e.from])
		out.WriteString(e.text)
		last = e.to
	}
	out.Write(source[last:])
	return out.Bytes()
}

// imported adds the import of the switches to a file. The package clause keeps its line.
func imported(text []byte) []byte {
	files := token.NewFileSet()
	tree, err := parser.ParseFile(files, "", text, parser.PackageClauseOnly)
	if err != nil {
		return text
	}
	at := files.Position(tree.Name.End()).Offset
	return slices.Concat(text[:at], []byte(`; import "jtune/internal/mutant"`), text[at:])
}
