package main

import (
	"path"
	"slices"
	"strings"
)

// Kind is what a package is for.
type Kind string

// Kinds of packages. The product is what the program is built of, without the laboratory.
const (
	Product     Kind = "product"
	Laboratory  Kind = "laboratory" // what holds the program against the papers
	Developer   Kind = "developer programs"
	TestSupport Kind = "test support" // packages that only tests and developer programs import
)

var kinds = []Kind{Product, Laboratory, Developer, TestSupport}

// comparisons are the methods of the papers that the program's own is compared with. Package nn beside them is not
// one: transfers and the shipped reference are its networks.
var comparisons = []string{"learn/baseline", "learn/baseline/forest", "learn/baseline/linear", "learn/baseline/mlp"}

// before are the folders of the laboratory before they lay below folders named lab.
var before = []string{"optimize/bench", "tui/session/fidelity", "tui/session/reproduce"}

// programs is where developer programs lie. The package of tests among them keeps a record that two of them write to.
const (
	programs = "internal/tools/"
	ofTests  = programs + "reliability"
)

// sort gives every package its kind, by what the program and the developer programs are built of.
func (t *Tree) sort(found map[string]*Package) {
	product, tools := map[string]bool{}, map[string]bool{}
	var visit func(seen map[string]bool, at string)
	visit = func(seen map[string]bool, at string) {
		if p := found[at]; p != nil && !seen[at] {
			seen[at] = true
			for _, i := range p.imports {
				visit(seen, i)
			}
		}
	}
	for _, p := range t.Packages {
		switch {
		case p.Path == ".":
			visit(product, p.Path)
		case p.program:
			visit(tools, p.Path)
		}
	}
	for _, p := range t.Packages {
		switch {
		case product[p.Path] && laboratory(p.Path):
			p.Kind = Laboratory
		case product[p.Path]:
			p.Kind = Product
		case tools[p.Path] && strings.HasPrefix(p.Path, programs) && p.Path != ofTests:
			p.Kind = Developer
		default:
			p.Kind = TestSupport
		}
	}
}

func laboratory(pkg string) bool {
	return slices.Contains(strings.Split(pkg, "/"), "lab") || slices.Contains(comparisons, pkg) ||
		slices.Contains(before, pkg)
}

// room reports whether a package lies below another.
func room(pkg, of string) bool { return pkg != of && strings.HasPrefix(pkg, path.Clean(of)+"/") }
