// Command mutate changes single lines of packages and reports which changes no test of the package notices.
//
//	tests.toml (packages, floors, equivalents) ──► sites of a package ──► a build with all of them as switches
//	    └─► which tests reach which ──► each switch alone, against those tests ──► killed, survived
//
// The changes are drawn at random from a seed: a negated condition, a bound that includes or excludes its end, a number
// that is one more, a statement that is left out, an error that is lost, “and” for “or”, plus for minus. The tree is
// not touched: the changed files are laid over it (go build -overlay).
package main

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"

	"github.com/BurntSushi/toml"
)

// Plan says what is mutated, and how much of it tests must notice.
type Plan struct {
	Each       int     // mutants per package
	FloorPct   float64 `toml:"floor_pct"` // of reached mutants without equivalents
	Packages   []Package
	Equivalent []Equivalent
}

// Package is a package to mutate.
type Package struct {
	Path     string
	Each     int     // 0: the plan's
	FloorPct float64 `toml:"floor_pct"` // 0: the plan's
	Skip     string  // expression for tests to skip, because they take minutes
}

// Equivalent is a mutant that does not change the behaviour, or only the text of a message.
type Equivalent struct {
	File, Kind, Line string // Line: the trimmed source line
	Why              string
}

func main() {
	plan := flag.String("plan", ".ci/mutate.toml", "`FILE` with the packages")
	seed := flag.Uint64("seed", 1, "draws the mutants")
	only := flag.String("only", "", "`PACKAGE` alone")
	each := flag.Int("each", 0, "`N` mutants of a package in place of the plan's")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	ok, err := false, adopt()
	if err == nil {
		ok, err = try(ctx, *plan, *only, *seed, *each)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "mutate:", err)
	}
	if err != nil || !ok {
		os.Exit(1)
	}
}

// try runs the packages of a plan, and reports whether each reaches its floor.
func try(ctx context.Context, file, only string, seed uint64, each int) (ok bool, err error) {
	var p Plan
	if _, err := toml.DecodeFile(file, &p); err != nil {
		return false, err
	}
	work, err := os.MkdirTemp("", "mutants")
	if err != nil {
		return false, err
	}
	defer os.RemoveAll(work)
	ok = true
	fmt.Printf("%-32s %7s %7s %7s %10s %6s\n", "package", "mutants", "reached", "killed", "equivalent", "of 100")
	for i, pkg := range p.Packages {
		if only != "" && pkg.Path != only {
			continue
		}
		pkg.Each = cmp.Or(each, pkg.Each, p.Each)
		t := trial{plan: &p, pkg: pkg, seed: seed, dir: filepath.Join(work, fmt.Sprint(i))}
		r, err := t.run(ctx)
		if err != nil {
			return false, fmt.Errorf("%s: %w", pkg.Path, err)
		}
		floor := p.FloorPct
		if pkg.FloorPct > 0 {
			floor = pkg.FloorPct
		}
		fmt.Printf("%-32s %7d %7d %7d %10d %6.0f\n", pkg.Path, r.mutants, r.reached, r.killed, r.equivalent, r.pct())
		if r.pct() < floor {
			fmt.Printf("  below its floor of %.0f of 100\n", floor)
			ok = false
		}
	}
	return ok, nil
}
