package reliability

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strconv"

	"jtune/internal/safefile"
)

// FuzzFile has the totals of each fuzz target over all runs, relative to the repository's root.
const FuzzFile = "docs/fuzz.csv"

var fuzzHead = []string{"target", "executions", "seconds"}

// Fuzzed holds the executions of a fuzz target and their time.
type Fuzzed struct{ Executions, Seconds int }

// FuzzCounts reads the totals of each target; none if the file does not exist yet.
func FuzzCounts(file string) (map[string]Fuzzed, error) {
	f, err := os.Open(file)
	if errors.Is(err, fs.ErrNotExist) {
		return map[string]Fuzzed{}, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	lines, err := csv.NewReader(f).ReadAll()
	if err != nil {
		return nil, err
	}
	out := map[string]Fuzzed{}
	for i, line := range lines {
		if i == 0 && slices.Equal(line, fuzzHead) {
			continue
		}
		n, err1 := strconv.Atoi(line[1])
		s, err2 := strconv.Atoi(line[2])
		if err := errors.Join(err1, err2); err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		out[line[0]] = Fuzzed{n, s}
	}
	return out, nil
}

// AddFuzz adds a run of a target to the file.
func AddFuzz(file, target string, ran Fuzzed) error {
	counts, err := FuzzCounts(file)
	if err != nil {
		return err
	}
	sum := counts[target]
	counts[target] = Fuzzed{sum.Executions + ran.Executions, sum.Seconds + ran.Seconds}
	lines := [][]string{}
	for name, c := range counts {
		lines = append(lines, []string{name, strconv.Itoa(c.Executions), strconv.Itoa(c.Seconds)})
	}
	slices.SortFunc(lines, slices.Compare)
	var text bytes.Buffer
	w := csv.NewWriter(&text)
	if err := errors.Join(w.Write(fuzzHead), w.WriteAll(lines)); err != nil {
		return err
	}
	return safefile.Replace(file, text.Bytes())
}
