// Command size counts lines and functions in a tree of this module, by the purpose of its packages.
//
//	size FOLDER             a line for each package, then the sums
//	size -sums FOLDER...    only the sums, as a Markdown table with a column for each folder
//	size -check FOLDER      what exceeds a limit; exit code 1 if anything does
//
// It reads only source files, so a tree of another commit is counted the same way:
//
//	git worktree add /tmp/then c4f8c05
//	go run ./internal/tools/size -sums /tmp/then .
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"text/tabwriter"
)

func main() {
	if err := run(os.Stdout, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "size:", err)
		os.Exit(1)
	}
}

func run(out io.Writer, args []string) error {
	flags := flag.NewFlagSet("size", flag.ContinueOnError)
	sums := flags.Bool("sums", false, "print the sums as a Markdown table")
	check := flags.Bool("check", false, "print what passes a limit")
	if err := flags.Parse(args); err != nil {
		return err
	}
	folders := flags.Args()
	if len(folders) == 0 {
		folders = []string{"."}
	}
	var trees []*Tree
	for _, folder := range folders {
		t, err := Count(folder)
		if err != nil {
			return err
		}
		trees = append(trees, t)
	}
	switch {
	case *sums:
		return printSums(out, folders, trees)
	case len(trees) > 1:
		return errors.New("several folders: only -sums takes them")
	case *check:
		faults := trees[0].Faults()
		for _, f := range faults {
			fmt.Fprintln(out, f)
		}
		if len(faults) > 0 {
			return fmt.Errorf("%d limits are passed", len(faults))
		}
		return nil
	}
	if err := printPackages(out, trees[0]); err != nil {
		return err
	}
	return printSums(out, folders, trees)
}

func printPackages(out io.Writer, t *Tree) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "files\tlines\tfunctions\texported\tmost methods\tp99\tlargest file\tkind\tpackage\t")
	for _, p := range t.Packages {
		fmt.Fprintf(w, "%d\t%d\t%d\t%d\t%s\t%d\t%d\t%s\t%s\t\n", len(p.Files), p.Lines(), len(p.Functions), p.Exported,
			p.mostMethods(), p99(p.Functions), p.LargestFile().Lines, p.Kind, p.Path)
	}
	fmt.Fprintln(w)
	return w.Flush()
}

// printSums prints a table with a column for each tree.
func printSums(out io.Writer, names []string, trees []*Tree) error {
	row := func(title string, of func(*Tree) string) {
		fmt.Fprintf(out, "| %s |", title)
		for _, t := range trees {
			fmt.Fprintf(out, " %s |", of(t))
		}
		fmt.Fprintln(out)
	}
	fmt.Fprint(out, "| |")
	for _, name := range names {
		fmt.Fprintf(out, " %s |", filepath.Base(name))
	}
	fmt.Fprint(out, "\n|---|")
	for range trees {
		fmt.Fprint(out, "---|")
	}
	fmt.Fprintln(out)
	for _, k := range kinds {
		row("lines, "+string(k), func(t *Tree) string { return thousands(t.Lines(k)) })
	}
	row("lines of tests", func(t *Tree) string { return thousands(t.TestLines) })
	row("packages of the product", func(t *Tree) string { return fmt.Sprint(len(t.of(Product))) })
	row("most lines in a package of it", func(t *Tree) string {
		return t.most(func(p *Package) int { return p.Lines() })
	})
	row("most exported functions and methods", func(t *Tree) string {
		return t.most(func(p *Package) int { return p.Exported })
	})
	row("most methods of a type", func(t *Tree) string {
		p := slices.MaxFunc(t.of(Product), func(a, b *Package) int { return a.methodsMost() - b.methodsMost() })
		return fmt.Sprintf("%d (`%s`)", p.methodsMost(), p.Path+"."+p.largestType())
	})
	for _, l := range typeLimits {
		row("methods of `"+l.of+"`", func(t *Tree) string { return fmt.Sprint(t.methodsOf(l.of)) })
	}
	row("99 of 100 functions have at most, lines", func(t *Tree) string { return fmt.Sprint(p99(t.functions())) })
	row("lines of the largest file", func(t *Tree) string { return fmt.Sprint(t.largestFile().Lines) })
	return nil
}
