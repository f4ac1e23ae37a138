package bench

// The modes that a paper's authors drew, so that their published errors and
// ours can be compared for the same samples. The files are those that
// came with PowerTrain's measurements (paper_baselines/*_MAPE*.csv): one row
// per run, with the sampled modes and the errors as fractions.
//
// The two are on nearly, not exactly, the same footing: theirs learn from 40
// minibatch times per mode and are scored on every minibatch of all modes,
// ours on the medians of the modes, which is all that was published.

import (
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"jtune/internal/safefile"
	"jtune/internal/stats"
	"jtune/tegra"
	"jtune/tegra/sweep"
)

// AuthorsRun is one published run: the modes learned from and the errors over
// all modes that came of it.
type AuthorsRun struct {
	Modes        []tegra.Mode
	TimeMAPEPct  float64
	PowerMAPEPct float64
}

// Authors is a file of published runs.
type Authors struct {
	Name string // of the file
	Runs []AuthorsRun
}

// columns of a file of published runs.
const (
	runsTime  = "Val_MAPE_time"
	runsPower = "Val_MAPE_power"
	runsModes = "Sampled_powermodes"
)

// mostPublished bounds a file of published runs: those that there are have less than a megabyte.
const mostPublished = 8 << 20

// ReadAuthors reads a file of published runs. Frequencies are in kHz for the
// CPU and in Hz for GPU and memory, modes written cores_cpu_gpu_mem.
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

func parseRun(timeText, powerText, modes string) (AuthorsRun, error) {
	var run AuthorsRun
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

// sizes are the numbers of modes that runs learned from, ascending.
func (a *Authors) sizes() []int {
	var n []int
	for _, r := range a.Runs {
		n = append(n, len(r.Modes))
	}
	slices.Sort(n)
	return slices.Compact(n)
}

// of returns the runs that learned from n modes.
func (a *Authors) of(n int) []AuthorsRun {
	var out []AuthorsRun
	for _, r := range a.Runs {
		if len(r.Modes) == n {
			out = append(out, r)
		}
	}
	return out
}

// checkAuthors returns an error unless all files name the same samples, run by run.
func checkAuthors(list []Authors) error {
	for _, a := range list[1:] {
		for _, n := range list[0].sizes() {
			first, other := list[0].of(n), a.of(n)
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

// Duel is a method of ours against one file of published runs, sample by
// sample, errors over all modes the paper's way.
type Duel struct {
	Method    string  `json:"method"`
	Size      int     `json:"size"`
	Against   string  `json:"against"` // name of their file
	Runs      int     `json:"runs"`
	TimePct   float64 `json:"time_mape_pct"` // medians
	PowerPct  float64 `json:"power_mape_pct"`
	TheirTime float64 `json:"their_time_mape_pct"`
	TheirPow  float64 `json:"their_power_mape_pct"`
	TimeWon   int     `json:"time_won"` // runs with the smaller error; the others are lost
	PowerWon  int     `json:"power_won"`
}

// duels compares the runs of one method at one size with every file.
func duels(list []Authors, trials []*trial) []Duel {
	var out []Duel
	for _, a := range list {
		theirs := a.of(trials[0].size)
		n := min(len(theirs), len(trials))
		if n == 0 || !trials[0].out.predicts {
			continue
		}
		d := Duel{Method: trials[0].name, Size: trials[0].size, Against: a.Name, Runs: n}
		var ourTime, ourPower, time, power []float64
		for i, r := range theirs[:n] {
			o := &trials[i].out
			ourTime, ourPower = append(ourTime, o.timeAll), append(ourPower, o.powerAll)
			time, power = append(time, r.TimeMAPEPct), append(power, r.PowerMAPEPct)
			if o.timeAll < r.TimeMAPEPct {
				d.TimeWon++
			}
			if o.powerAll < r.PowerMAPEPct {
				d.PowerWon++
			}
		}
		d.TimePct, d.PowerPct = stats.Median(ourTime), stats.Median(ourPower)
		d.TheirTime, d.TheirPow = stats.Median(time), stats.Median(power)
		out = append(out, d)
	}
	return out
}
