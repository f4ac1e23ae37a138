// Package reliability keeps the record of what was tried again and again: docs/reliability.csv, whose counts add up
// over runs.
package reliability

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"
)

// File is the record, below the repository's root.
const File = "docs/reliability.csv"

// Run is a line of the record.
type Run struct {
	Part     string // what was tried
	Begun    time.Time
	Count    int // how many times
	Findings int
}

// Append adds a run to the record with the commit of the tree it was of, "+" for one with changes, and returns
// the line.
func Append(ctx context.Context, r Run) (line string, err error) {
	commit := "unknown"
	// The record itself changes with each run.
	if out, err := exec.CommandContext(ctx, "sh", "-c", `git rev-parse --short HEAD
git status --porcelain -- . ":!`+File+`" | grep -q . && echo +`).Output(); len(out) > 0 {
		commit = strings.Join(strings.Fields(string(out)), "")
	} else if err != nil {
		return "", fmt.Errorf("which commit: %w", err)
	}
	line = fmt.Sprintf("%s,%s,%s,%.0f,%d,%d\n", r.Begun.UTC().Format(time.DateOnly), commit, r.Part,
		time.Since(r.Begun).Seconds(), r.Count, r.Findings)
	f, err := os.OpenFile(File, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		return line, err
	}
	defer f.Close()
	_, err = f.WriteString(line)
	return line, err
}

// Rounds is how often a test of chance tries, and the seed of what it draws: as .ci/endure asks for in JTUNE_ROUNDS
// and JTUNE_SEED, else n and 0.
func Rounds(n int) (rounds int, seed uint64) {
	asked, err := strconv.Atoi(os.Getenv("JTUNE_ROUNDS"))
	if err != nil || asked < 1 {
		return n, 0
	}
	seed, _ = strconv.ParseUint(os.Getenv("JTUNE_SEED"), 10, 64)
	return asked, seed
}
