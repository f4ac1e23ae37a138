package main

import (
	"fmt"
	"slices"
)

// Limits of a package, beyond which nobody keeps it in their head.
const (
	roomLines     = 1700 // of a package of the application layer
	sessionLines  = 1600 // of tui/session itself
	shellLines    = 3500 // of tui, the shell of the screens
	packageLines  = 3700
	exportedNames = 60 // functions and methods
	typeMethods   = 65
	functionLines = 60 // of 99 of 100 functions
	fileLines     = 500
)

// Packages that are a single subject and would only be harder to find in parts.
var (
	longPackages = []string{"learn", "optimize", "tegra", "tui/cli"}
	widePackages = []string{"learn", "optimize", "profiles/record", "tegra", "tegra/virtual", "tui/page", "tui/widget"}
)

// typeLimits are the maximum methods of types that exceeded the limit before it existed.
var typeLimits = []struct {
	of   string
	most int
}{{"tui/session.Session", 25}, {"tui/cli.app", 25}}

// unlimited is a type that represents a whole machine.
const unlimited = "tegra/virtual.Board"

// mostLines returns how many lines a package may have; 0: any number.
func mostLines(pkg string) int {
	switch {
	case pkg == "tui/session":
		return sessionLines
	case room(pkg, "tui/session"):
		return roomLines
	case pkg == "tui":
		return shellLines
	case slices.Contains(longPackages, pkg):
		return 0
	}
	return packageLines
}

// Faults lists what exceeds a limit. Only the limits of files and types apply to test support and developer programs.
func (t *Tree) Faults() (out []string) {
	fault := func(of, what string, n, most int) {
		if most > 0 && n > most {
			out = append(out, fmt.Sprintf("%s: %d %s, at most %d", of, n, what, most))
		}
	}
	for _, p := range t.Packages {
		if p.Kind == Product || p.Kind == Laboratory {
			fault(p.Path, "lines", p.Lines(), mostLines(p.Path))
			if !slices.Contains(widePackages, p.Path) {
				fault(p.Path, "exported functions and methods", p.Exported, exportedNames)
			}
		}
		for _, f := range p.Files {
			fault(p.Path+"/"+f.Name, "lines", f.Lines, fileLines)
		}
		if of := p.Path + "." + p.largestType(); of != unlimited {
			fault(of, "methods", p.methodsMost(), typeMethods)
		}
	}
	for _, l := range typeLimits {
		fault(l.of, "methods", t.methodsOf(l.of), l.most)
	}
	fault("99 of 100 functions", "lines", p99(t.functions()), functionLines)
	return out
}
