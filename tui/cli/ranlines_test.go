package cli

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"jtune/internal/must"
)

// ranLines are command lines that several checks look at: documented ones and those of docs/features.toml. Each runs
// once in their data directory.
type ranLines struct {
	dir   string             // {dir} of the lines
	done  map[string]outcome // by the line without what changes nothing
	fresh int                // {new} is a new path for each run
}

// tutorial has run the lines of docs/tutorial.md, once for all tests.
var tutorial struct {
	sync.Once
	ranLines
}

// afterTutorial returns lines on a copy of the data directory after those of the tutorial.
func afterTutorial(t *testing.T) *ranLines {
	t.Helper()
	tutorial.Do(func() {
		tutorial.dir, tutorial.done = filepath.Join(os.Getenv("XDG_DATA_HOME"), "tutorial"), map[string]outcome{}
		for _, c := range shownCommands(docPages(t)[filepath.Join(checkout, "docs/tutorial.md")]) {
			tutorial.run(t, c.line).done(t)
		}
	})
	w := &ranLines{t.TempDir(), maps.Clone(tutorial.done), 0}
	must.NoError(t, os.CopyFS(w.data(), os.DirFS(tutorial.data())))
	return w
}

func (w *ranLines) data() string { return filepath.Join(w.dir, "data", "jtune") }

// known returns what a line printed when it ran.
func (w *ranLines) known(line string) (o outcome, ok bool) {
	o, ok = w.done[strings.Join(wordsOf(line), " ")]
	return o, ok
}

// run runs a line, on the tutorial's board unless it names another one, or returns what it printed before.
func (w *ranLines) run(t *testing.T, line string) outcome {
	t.Helper()
	if o, ok := w.known(line); ok {
		return o
	}
	w.fresh++
	fill := strings.NewReplacer("{dir}", w.dir, "{new}", filepath.Join(w.dir, fmt.Sprint("new", w.fresh)))
	args := append(wordsOf(fill.Replace(line)), "--speed", "max", "--data-dir", w.data(), "--log-file",
		filepath.Join(w.dir, "log"))
	if !slices.Contains(args, "--device") {
		args = append(args, "--device", "virtual:agx-orin")
	}
	o := jtuneWith(t, t.Context(), strings.NewReader("y\n"), args...)
	w.done[strings.Join(wordsOf(line), " ")] = o
	return o
}

// wordsOf returns the arguments of a line, without its comment and the speed.
func wordsOf(line string) []string {
	line, _, _ = strings.Cut(strings.TrimPrefix(line, "jtune "), " #")
	return quotedWords(strings.ReplaceAll(line, " --speed max", ""))
}
