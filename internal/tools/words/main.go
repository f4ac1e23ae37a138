// Command words finds sentences that read like translations in documents, messages, help texts and comments,
// and pages that exceed their limits.
//
//	words [FOLDER]     a line for each finding; exit code 1 if there is any
//
//	pages, comments, texts of the program ──► Passage ──► Pattern ──► Finding
package main

import (
	"fmt"
	"io"
	"os"
)

func main() {
	folder := "."
	if len(os.Args) > 1 {
		folder = os.Args[1]
	}
	n, err := run(os.Stdout, folder)
	if err != nil {
		fmt.Fprintln(os.Stderr, "words:", err)
		os.Exit(2)
	}
	if n > 0 {
		os.Exit(1)
	}
}

// run prints the findings of a checkout and returns their number.
func run(out io.Writer, folder string) (int, error) {
	passages, err := passagesOf(folder)
	if err != nil {
		return 0, err
	}
	faults, err := pageFaults(folder)
	if err != nil {
		return 0, err
	}
	for _, p := range passages {
		faults = append(faults, findings(p)...)
	}
	for _, f := range faults {
		fmt.Fprintln(out, f)
	}
	return len(faults), nil
}
