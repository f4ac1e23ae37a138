// Package reliability keeps the record of repeated tests: docs/reliability.csv, whose counts add up over runs.
package reliability

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"
)

// File is the record, relative to the repository's root.
const File = "docs/reliability.csv"

// Run is a line of the record.
type Run struct {
	Part     string // what was tested
	Count    int    // how many times
	Findings int

	begun  time.Time
	commit string
}

// Begin starts a run for the present commit, marked "+" if files differ from it.
func Begin(ctx context.Context, part string) (Run, error) {
	out, err := exec.CommandContext(ctx, "sh", "-ec", `git rev-parse --short HEAD
if git status --porcelain -- . ":!`+File+`" ":!`+FuzzFile+`" | grep -q .; then echo +; fi`).Output() // the record itself changes with each run
	if err != nil {
		return Run{}, fmt.Errorf("which commit: %w", err)
	}
	return Run{Part: part, begun: time.Now(), commit: strings.Join(strings.Fields(string(out)), "")}, nil
}

// Append adds the run to the record and returns its line.
func (r Run) Append() (line string, err error) {
	line = fmt.Sprintf("%s,%s,%s,%.0f,%d,%d\n", r.begun.UTC().Format(time.DateOnly), r.commit, r.Part,
		time.Since(r.begun).Seconds(), r.Count, r.Findings)
	f, err := os.OpenFile(File, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		return line, err
	}
	_, err = f.WriteString(line)
	return line, errors.Join(err, f.Close())
}

// Rounds returns how often a randomized test runs, and its seed: JTUNE_ROUNDS and JTUNE_SEED, which .ci/endure sets,
// otherwise n and 0.
func Rounds(n int) (rounds int, seed uint64) {
	asked, err := strconv.Atoi(os.Getenv("JTUNE_ROUNDS"))
	if err != nil || asked < 1 {
		return n, 0
	}
	seed, _ = strconv.ParseUint(os.Getenv("JTUNE_SEED"), 10, 64)
	return asked, seed
}
