package bench

// The modes that a paper's authors drew, to compare their published errors with ours on the same samples. The files
// come from PowerTrain's measurements (paper_baselines/*_MAPE*.csv): one row per run, with the sampled modes and the
// errors as fractions.
//
// The conditions are similar but not identical: theirs learn from 40 minibatch times per mode and are scored on every
// minibatch of all modes, ours on the medians of the modes, which is all that was published.

import (
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"jtune/internal/safefile"
	"jtune/tegra"
	"jtune/tegra/sweep"
)

// Run is one published run: its training modes and the errors over all modes.
type Run struct {
	Modes        []tegra.Mode
	TimeMAPEPct  float64
	PowerMAPEPct float64
}

// Authors is a file of published runs.
type Authors struct {
	Name string // file name
	Runs []Run
}

// Columns of a file of published runs.
const (
	runsTime  = "Val_MAPE_time"
	runsPower = "Val_MAPE_power"
	runsModes = "Sampled_powermodes"
)

// mostPublished limits a file of published runs; the existing ones are below a megabyte.
const mostPublished = 8 << 20

// ReadAuthors reads a file of published runs. Frequencies are in kHz for the CPU and in Hz for GPU and memory; modes
// are written cores_cpu_gpu_mem.
func ReadAuthors(name string, in io.Reader) (Authors, error) {
	records, err := csv.NewReader(safefile.Lines(safefile.Most(in, mostPublished))).ReadAll()
	if err != nil {
		return Authors{}, fmt.Errorf("%s: %w", name, err)
	}
	if len(records) < 2 {
		return Authors{}, fmt.Errorf("%s holds no runs: want a header and one row per run", name)
	}
	var at [3]int
	for i, column := range []string{runsTime, runsPower, runsModes} {
		if at[i] = slices.Index(records[0], column); at[i] < 0 {
			return Authors{}, fmt.Errorf("%s lacks the column %s: want a file of published runs such as "+
				"NN_mobnet_MAPE_all.csv",
				name, column)
		}
	}
	a := Authors{Name: name}
	for i, r := range records[1:] {
		run, err := parseRun(r[at[0]], r[at[1]], r[at[2]])
		if err != nil {
			return Authors{}, fmt.Errorf("%s, line %d: %w", name, i+2, err)
		}
		a.Runs = append(a.Runs, run)
	}
	return a, nil
}

func parseRun(timeText, powerText, modes string) (Run, error) {
	var run Run
	for _, v := range []struct {
		text string
		to   *float64
	}{{timeText, &run.TimeMAPEPct}, {powerText, &run.PowerMAPEPct}} {
		f, err := strconv.ParseFloat(v.text, 64)
		if err != nil || !(f >= 0) || math.IsInf(f, 0) {
			return run, fmt.Errorf("%q is not an error as a fraction", v.text)
		}
		*v.to = 100 * f
	}
	for _, text := range strings.Split(strings.Trim(modes, "[]"), ",") {
		m, err := sweep.ParseMode(strings.Split(strings.Trim(text, " '\""), "_"))
		if err != nil {
			return run, fmt.Errorf("mode %s: %w", text, err)
		}
		run.Modes = append(run.Modes, m)
	}
	return run, nil
}

// Sizes returns the numbers of training modes, ascending.
func (a *Authors) Sizes() []int {
	var n []int
	for _, r := range a.Runs {
		n = append(n, len(r.Modes))
	}
	slices.Sort(n)
	return slices.Compact(n)
}

// Of returns the runs with n training modes.
func (a *Authors) Of(n int) []Run {
	var out []Run
	for _, r := range a.Runs {
		if len(r.Modes) == n {
			out = append(out, r)
		}
	}
	return out
}

// checkAuthors returns an error unless all files have the same samples, run by run.
func checkAuthors(list []Authors) error {
	for _, a := range list[1:] {
		for _, n := range list[0].Sizes() {
			first, other := list[0].Of(n), a.Of(n)
			for i := range min(len(first), len(other)) {
				if !slices.Equal(first[i].Modes, other[i].Modes) {
					return fmt.Errorf("%s and %s differ in the modes of run %d of %d modes: compare them one by one",
						list[0].Name, a.Name, i+1, n)
				}
			}
		}
	}
	return nil
}
