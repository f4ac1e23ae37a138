package record

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"

	"jtune/internal/safefile"
	"jtune/profiles/harness"
	"jtune/profiles/record/csvlines"
	"jtune/tegra"
)

// Entries are the single measurements behind the medians of a mode's row; PowerTrain's networks
// are fitted to them (PowerTrain, section 3.1).
type Entries struct {
	TimesMS []float64 // of the clean minibatches
	PowersW []float64 // the valid readings during these; few or none in a fast mode
}

// ReadEntries reads the raw files of a campaign folder, for one batch size if it has several: of each mode the last
// attempt, or the last ones, as many as it has usable rows. The notes report unreadable lines, which are left out. A
// folder without raw files, such as an import's, has no entries.
func ReadEntries(dir string, batch int) (entries map[tegra.Mode]Entries, notes []string, err error) {
	rows, _, err := readRows(dir)
	if err != nil {
		return nil, nil, err
	}
	of, notes, err := readMeasured(dir, batch)
	if err != nil {
		return nil, nil, err
	}
	measured := map[tegra.Mode]int{}
	for _, r := range rows {
		if r.Status.Usable() && cmp.Or(r.Batch, batch) == batch {
			measured[r.Mode]++
		}
	}
	for mode, a := range of {
		a.Keep(max(1, measured[mode]))
	}
	entries = map[tegra.Mode]Entries{}
	for mode, a := range of {
		if times, powers := a.Values(); len(times) > 0 {
			entries[mode] = Entries{times, powers}
		}
	}
	return entries, notes, nil
}

// WithFurther returns rows of a campaign folder with what the rails read during them; a folder without such readings
// changes nothing. batch is the size of a row that has none.
func WithFurther(dir string, rows []Row, batch int) []Row {
	of, rows := map[int]map[tegra.Mode]*attempts{}, slices.Clone(rows)
	for i, r := range rows {
		size := cmp.Or(r.Batch, batch)
		if _, read := of[size]; !read {
			of[size], _, _ = readMeasured(dir, size)
		}
		if a := of[size][r.Mode]; a != nil && r.Status.Usable() {
			rows[i].Measured = r.With(a.Further()...)
		}
	}
	return rows
}

// readMeasured reads minibatches.csv and samples.csv.
func readMeasured(dir string, batch int) (of map[tegra.Mode]*attempts, notes []string, err error) {
	if of, notes, err = readAttempts(dir, batch); err != nil {
		return nil, nil, err
	}
	note, err := rawLines(dir, samplesName, func(l *sampleLine) error {
		if a := of[l.Mode]; l.Size.Or(batch) == batch && a != nil {
			a.Sample(l.T, tegra.Val[float64]{V: l.PowerW.V, OK: l.PowerW.OK && l.Valid}, l.further()...)
		}
		return nil
	})
	return of, append(notes, note...), err
}

// readAttempts reads minibatches.csv.
func readAttempts(dir string, batch int) (of map[tegra.Mode]*attempts, notes []string, err error) {
	of = map[tegra.Mode]*attempts{}
	var before *attempts // of the line before
	notes, err = rawLines(dir, minibatchesName, func(l *minibatchLine) error {
		a := of[l.Mode]
		switch {
		case l.Size.Or(batch) != batch:
			return nil
		case a == nil && len(of) >= mostRows:
			return csvlines.Unreadable("the mode")
		case a == nil:
			a = new(attempts)
			of[l.Mode] = a
		}
		a.Line(l.T, a != before || l.Why == WhyFirst)
		if before = a; l.Clean && l.Job != harness.JobInfer { // the time in a pair's row is the training's
			a.Minibatch(l.T, l.TimeMS)
		}
		return nil
	})
	return of, notes, err
}

// rawLines calls each with every whole line of a raw file below its header. The note counts torn lines and lines that
// cannot be read.
func rawLines[T any](dir, name string, each func(line *T) error) (note []string, err error) {
	f, err := safefile.OpenRead(filepath.Join(dir, name))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("campaign folder: %w", err)
	}
	defer f.Close()
	bad, err := parseRaw(safefile.Most(f, mostRaw), each)
	if err != nil {
		return nil, fmt.Errorf("campaign folder: read %s: %w", f.Name(), err)
	}
	if bad > 0 {
		note = []string{fmt.Sprintf("%s: %d unreadable lines are left out", f.Name(), bad)}
	}
	return note, nil
}

// parseRaw is rawLines for a file's text.
func parseRaw[T any](text io.Reader, each func(line *T) error) (bad int, err error) {
	var codec csvlines.Codec[T]
	torn, err := csvlines.Each(text, func(n int, fields []string, err error) error {
		if n == 1 {
			codec = csvlines.NewCodec[T](fields)
			return nil
		}
		if err == nil {
			var l T
			var empty []string
			if l, empty, err = codec.Read(fields); err == nil && empty != nil {
				err = csvlines.Unreadable(empty[0])
			}
			if err == nil {
				err = each(&l)
			}
		}
		if err != nil {
			bad++
		}
		return err
	})
	if torn {
		bad++
	}
	return bad, err
}
