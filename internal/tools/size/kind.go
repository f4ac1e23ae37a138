package main

import (
	"path"
	"slices"
	"strings"
)

// Kind is the purpose of a package.
type Kind string

// Kinds of packages. The product is everything the program is built from, except the laboratory.
const (
	Product     Kind = "product"
	Laboratory  Kind = "laboratory" // compares the program with the papers
	Developer   Kind = "developer programs"
	TestSupport Kind = "test support" // packages that only tests and developer programs import
)

var kinds = []Kind{Product, Laboratory, Developer, TestSupport}

// comparisons are the papers' methods for comparison. Package nn beside them is not one: transfers and the shipped
// reference use its networks.
var comparisons = []string{"learn/baseline", "learn/baseline/forest", "learn/baseline/linear"}

// before lists former folders of the laboratory, from before folders named lab.
var before = []string{"learn/baseline/mlp", "optimize/bench", "profiles/experiment",
	"tui/session/fidelity", "tui/session/reproduce"}

// programs is the folder of developer programs. The package of tests among them keeps the record that two of them
// write.
const (
	programs = "internal/tools/"
	ofTests  = programs + "reliability"
)

// sort sets the kind of every package, by what the program and the developer programs are built from.
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

// room reports whether a package is below another.
func room(pkg, of string) bool { return pkg != of && strings.HasPrefix(pkg, path.Clean(of)+"/") }
