package imports

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"jtune/internal/stats"
	"jtune/internal/usage"
	"jtune/profiles/harness"
	"jtune/profiles/record"
	"jtune/tegra"
	"jtune/telemetry"
)

// The rule by which published runs become rows (that of their table of
// results): the last 40 minibatches without the run's first one, the median of
// their times, the median of the power samples from the start of the first of
// them to the end of the last. Both logs count seconds from their own start;
// where the power log ends later it also began earlier, and the minibatches
// are moved by the difference. A run with one row per epoch counts from its
// second epoch on.
const (
	runMinibatches = 40
	runDiscard     = 1
	maxRawNumber   = 1e9 // seconds, milliseconds, epochs: beyond it a log is wrong
)

// Runs converts published raw logs into a campaign folder that must not exist. The logs are a folder or .tar.gz with
// one folder pm_<cores>_<CPU kHz>_<GPU Hz>_<memory Hz> per mode. perEpoch is the number of minibatches per epoch, for
// logs with a row per epoch; 0 when unknown. The notes say which runs were left out and why; with strict the first such
// run is an error.
func Runs(from, outDir string, perEpoch int, strict bool) (notes []string, err error) {
	runs, err := readRuns(from)
	if err != nil {
		return nil, err
	}
	var rows []record.Row
	var kept []*rawRun
	seen := map[tegra.Mode]string{}
	for _, run := range runs {
		if run.set != runs[0].set {
			return nil, fmt.Errorf(
				"%s holds runs of %s and of %s, which are two workloads: name the folder of one",
				from,
				runs[0].set,
				run.set,
			)
		}
		run.batches = perEpoch
		row, err := run.row()
		if err == nil {
			err = row.Plausible()
		}
		if other := seen[run.mode]; err == nil && other != "" {
			err = fmt.Errorf("the mode of %s again", other)
		}
		if err != nil && strict {
			return nil, fmt.Errorf("%s: %w", run.dir, err)
		}
		if err != nil {
			notes = append(notes, fmt.Sprintf("%s: %v: run left out", run.dir, err))
			continue
		}
		seen[run.mode] = run.dir
		row.When = fileTime(from)
		rows, kept = append(rows, row), append(kept, run)
	}
	if len(rows) == 0 {
		return notes, fmt.Errorf("%s: none of %d runs can be read", from, len(runs))
	}
	return notes, recordRuns(from, outDir, kept, rows)
}

// recordRuns makes the campaign folder of the runs and their rows.
func recordRuns(from, outDir string, runs []*rawRun, rows []record.Row) error {
	modes := make([]tegra.Mode, len(rows))
	for i, row := range rows {
		modes[i] = row.Mode
	}
	h, err := importHeader(from, modes, 0)
	if err != nil {
		return fmt.Errorf("%s: %w", from, err)
	}
	h.Workload.Name, h.Workload.Title = strings.ToLower(runs[0].set), runs[0].set
	r, err := record.Create(outDir, h)
	if err != nil {
		return err
	}
	lines := make([]record.Line, len(rows))
	for i, row := range rows {
		if err := runs[i].record(r); err != nil {
			return errors.Join(err, r.Close())
		}
		lines[i] = record.Line{Known: row.Fields()}
	}
	return errors.Join(r.Import(slices.Values(lines)), r.Close())
}

// minibatches returns all minibatches of the run on the clock of its power log. Fetch and compute are absent where
// their logs do not match the epoch log.
func (run *rawRun) minibatches(powerEnd float64) ([]harness.Event, error) {
	whole, err := epochRows(run.logs["epoch"])
	if err != nil {
		return nil, fmt.Errorf("epoch log: %w", err)
	}
	fetch, fetchErr := numbers(run.logs["fetch"], "epoch", "fetchtime_ms", "log_time")
	compute, computeErr := numbers(run.logs["compute"], "epoch", "computetime_ms", "log_time")
	parts := fetchErr == nil && computeErr == nil && len(fetch) >= len(whole) && len(compute) >= len(whole)
	last := whole[len(whole)-1]
	run.perEpoch = parts && len(compute) > len(whole)+1 && last[0] == float64(len(whole)-1)
	if run.perEpoch {
		if whole, err = shareOut(whole, fetch, compute); err != nil {
			return nil, err
		}
	} else if onePerEpoch(whole) || run.batches > 0 {
		if run.batches <= 0 {
			return nil, fmt.Errorf("epoch log: it has a row per epoch and the number of minibatches of an epoch "+
				"is unknown: give %s", usage.PerEpoch.Value())
		}
		run.perEpoch, parts = true, false
		whole = split(whole, run.batches)
	}
	moved := max(0, powerEnd-whole[len(whole)-1][2])
	events := make([]harness.Event, len(whole))
	for i, w := range whole {
		if !(w[0] >= 0) || !(w[1] > 0) || max(w[0], w[1], math.Abs(w[2])) > maxRawNumber {
			return nil, fmt.Errorf(
				"epoch log: minibatch %d of epoch %g lasts %g ms and ends at %g s",
				i,
				w[0],
				w[1],
				w[2],
			)
		}
		e := &events[i]
		*e = harness.Event{
			Kind:   harness.Minibatch,
			Epoch:  int(w[0]),
			Batch:  i,
			TimeMS: w[1],
			T:      ofSeconds(w[2] + moved),
		}
		if parts {
			e.FetchMS, e.ComputeMS = tegra.Some(fetch[i][1]), tegra.Some(compute[i][1])
		}
		e.Complete()
	}
	return events, nil
}

// epochRows reads an epoch log: epoch, ms, and the end in seconds, computed as the sum of the times if the log does not
// have it.
func epochRows(text []byte) (rows [][]float64, err error) {
	head := header(text)
	column := "epochtime_ms"
	if !slices.Contains(head, column) && slices.Contains(head, "time_ms") {
		column = "time_ms"
	}
	if slices.Contains(head, "log_time") {
		rows, err = numbers(text, "epoch", column, "log_time")
	} else if rows, err = numbers(text, "epoch", column); err == nil {
		end := 0.0
		for i, r := range rows {
			end += r[1] / 1000
			rows[i] = append(r, end)
		}
	}
	if err == nil && len(rows) == 0 {
		err = errors.New("no minibatch in it")
	}
	return rows, err
}

// onePerEpoch reports whether a log has one row per epoch: each row has the next number.
func onePerEpoch(rows [][]float64) bool {
	for i, r := range rows {
		if r[0] != rows[0][0]+float64(i) {
			return false
		}
	}
	return len(rows) > 1
}

// split divides each epoch into n equal minibatches.
func split(epochs [][]float64, n int) (rows [][]float64) {
	for _, e := range epochs {
		ms := e[1] / float64(n)
		for k := range n {
			rows = append(rows, []float64{e[0], ms, e[2] - ms*float64(n-1-k)/1000})
		}
	}
	return rows
}

// shareOut converts rows per epoch, an older form of the logs, to rows per minibatch: the time of an epoch beyond fetch
// and compute is divided equally among its minibatches.
func shareOut(epochs, fetch, compute [][]float64) ([][]float64, error) {
	n, parts := make([]float64, len(epochs)), make([]float64, len(epochs))
	rows := make([][]float64, min(len(fetch), len(compute)))
	for i := range rows {
		e := compute[i][0]
		if e != fetch[i][0] || e < 0 || e >= float64(len(epochs)) || e != math.Trunc(e) {
			return nil, fmt.Errorf(
				"compute log: minibatch %d belongs to epoch %g; the fetch log says %g and there are %d epochs",
				i,
				e,
				fetch[i][0],
				len(epochs),
			)
		}
		n[int(e)]++
		parts[int(e)] += fetch[i][1] + compute[i][1]
	}
	for i := range rows {
		e := int(compute[i][0])
		rest := max(0, epochs[e][1]-parts[e]) / n[e]
		rows[i] = []float64{compute[i][0], fetch[i][1] + compute[i][1] + rest, compute[i][2]}
	}
	return rows, nil
}

func ofSeconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }

// read returns the run's samples and minibatches on one clock, and the index of the first
// minibatch that counts.
func (run *rawRun) read() (power []powerSample, all []harness.Event, from int, err error) {
	if power = run.power; power == nil {
		log, err := parsePower(run.logs["power"], 0)
		if err != nil {
			return nil, nil, 0, err
		}
		power = log.samples
	}
	if all, err = run.minibatches(power[len(power)-1].t.Seconds()); err != nil {
		return nil, nil, 0, err
	}
	if len(all) <= runDiscard {
		return nil, nil, 0, fmt.Errorf("%d minibatches are too few", len(all))
	}
	if first := slices.IndexFunc(all, func(e harness.Event) bool { return e.Epoch > 0 }); run.perEpoch && first > 0 {
		return power, all, first, nil // whole epochs, except the first one with its cold page cache
	}
	return power, all, max(runDiscard, len(all)-runMinibatches), nil
}

// within reports whether a sample was taken while the clean minibatches ran.
func (s powerSample) within(clean []harness.Event) bool {
	return s.t >= clean[0].Began() && s.t <= clean[len(clean)-1].T
}

// row returns the result of the run.
func (run *rawRun) row() (record.Row, error) {
	samples, all, from, err := run.read()
	if err != nil {
		return record.Row{}, err
	}
	clean := all[from:]
	var watts, times []float64
	for _, s := range samples {
		if s.within(clean) && s.w > 0 {
			watts = append(watts, s.w)
		}
	}
	if len(watts) == 0 {
		return record.Row{}, errors.New("no power sample while the minibatches ran")
	}
	for _, e := range clean {
		times = append(times, e.TimeMS)
	}
	r := record.Row{
		Measured: tegra.Measured{
			Setting: tegra.Setting{Mode: run.mode},
			TimeMS:  stats.Median(times),
			PowerW:  record.RoundW(stats.Median(watts)),
		},
		Status:  record.OK,
		Applied: run.mode,
		Minibatches: len(
			clean,
		),
		PowerSamples: len(watts),
		TimeIQRMS:    stats.IQR(times),
		PowerIQRW:    record.RoundW(stats.IQR(watts)),
		TookS:        all[len(all)-1].T.Seconds(),
	}
	r.EnergyJ = r.Measured.EnergyJ()
	r.SetParts(clean)
	return r, nil
}

// record adds the run's minibatches and samples to the campaign's raw files.
func (run *rawRun) record(to *record.Record) error {
	samples, all, from, err := run.read()
	if err != nil {
		return err
	}
	for i, e := range all {
		why := ""
		if i < from {
			why = "before the minibatches that count"
		}
		if err := to.Minibatch(tegra.Setting{Mode: run.mode}, e, why); err != nil {
			return err
		}
	}
	for _, s := range samples {
		of := telemetry.Sample{T: s.t, Valid: s.within(all[from:])}
		if of.Reading.TotalW = tegra.Some(s.w); !of.Valid {
			of.Why = "outside the minibatches that count"
		}
		if err := to.Sample(tegra.Setting{Mode: run.mode}, of); err != nil {
			return err
		}
	}
	return nil
}
