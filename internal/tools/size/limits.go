package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"
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

// methodLimits are the maximum methods of types that exceeded the limit before it existed, and of one that represents a
// whole machine; 0 is any number.
var methodLimits = map[string]int{"tui/session.Session": 25, "tui/cli.app": 25, "tegra/virtual.Board": 0}

// mostLines returns how many lines a package may have; 0: any number.
func mostLines(pkg string) int {
	switch {
	case pkg == "tui/session":
		return sessionLines
	case strings.HasPrefix(pkg, "tui/session/"):
		return roomLines
	case pkg == "tui":
		return shellLines
	case slices.Contains(longPackages, pkg):
		return 0
	}
	return packageLines
}

// faults lists what exceeds a limit. Only the limits of files and types apply to test support and developer programs.
func (t *Tree) faults() (out []string) {
	fault := func(of, what string, n, most int) {
		if most > 0 && n > most {
			out = append(out, fmt.Sprintf("%s: %d %s, at most %d", of, n, what, most))
		}
	}
	functions := []int{0}
	for _, path := range slices.Sorted(maps.Keys(t.packages)) {
		p := t.packages[path]
		functions = append(functions, p.functions...)
		if p.kind == product || p.kind == laboratory {
			fault(path, "lines", p.lines(), mostLines(path))
			if !slices.Contains(widePackages, path) {
				fault(path, "exported functions and methods", p.exported, exportedNames)
			}
		}
		for _, name := range slices.Sorted(maps.Keys(p.files)) {
			fault(path+"/"+name, "lines", p.files[name], fileLines)
		}
		for _, of := range slices.Sorted(maps.Keys(p.methods)) {
			most, own := methodLimits[path+"."+of]
			if !own {
				most = typeMethods
			}
			fault(path+"."+of, "methods", p.methods[of], most)
		}
	}
	slices.Sort(functions)
	fault("99 of 100 functions", "lines", functions[99*(len(functions)-1)/100], functionLines)
	return out
}
