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
	"jtune/profiles/record/attempts"
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
		if r.Status.Usable() && (r.Batch == 0 || r.Batch == batch) {
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
	of, rows := map[int]map[tegra.Mode]*attempts.Attempts{}, slices.Clone(rows)
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
func readMeasured(dir string, batch int) (of map[tegra.Mode]*attempts.Attempts, notes []string, err error) {
	if of, notes, err = readAttempts(dir, batch); err != nil {
		return nil, nil, err
	}
	var rails []string
	note, err := rawLines(dir, samplesName, sampleColumns, func(p *csvlines.Fields) {
		if rails == nil {
			rails = railsIn(p.Columns)
		}
		t, mode, watts, valid := p.Number(), p.Mode(), p.Optional(), p.Text() == "true"
		if a := of[mode]; isOf(p, batch) && a != nil && p.Err == nil {
			a.Sample(t, tegra.Val[float64]{V: watts.V, OK: watts.OK && valid}, railValues(p, rails)...)
		}
	})
	return of, append(notes, note...), err
}

// readAttempts reads minibatches.csv.
func readAttempts(dir string, batch int) (of map[tegra.Mode]*attempts.Attempts, notes []string, err error) {
	of = map[tegra.Mode]*attempts.Attempts{}
	var before *attempts.Attempts // of the line before
	notes, err = rawLines(dir, minibatchesName, minibatchColumns, func(p *csvlines.Fields) {
		end, mode := p.Number(), p.Mode()
		p.At += 2 // epoch, batch
		ms := p.Number()
		p.At = slices.Index(minibatchColumns, "clean")
		clean, why := p.Text() == "true", p.Text()
		a := of[mode]
		switch {
		case !isOf(p, batch) || p.Err != nil:
			return
		case a == nil && len(of) >= mostRows:
			p.Fail("the mode")
			return
		case a == nil:
			a = new(attempts.Attempts)
			of[mode] = a
		}
		a.Line(end, a != before || why == WhyFirst)
		if before = a; clean && !ofInference(p) {
			a.Minibatch(end, ms)
		}
	})
	return of, notes, err
}

// ofInference reports whether a line of minibatches.csv belongs to the inference of a pair; the time in a pair's row is
// the training's.
func ofInference(p *csvlines.Fields) bool {
	at := slices.Index(p.Columns, jobColumn)
	return at >= 0 && at < len(p.List) && p.List[at] == harness.JobInfer
}

// isOf reports whether a line has that batch size, if the line has one.
func isOf(p *csvlines.Fields, batch int) bool {
	at := slices.Index(p.Columns, SizeColumn)
	if at < 0 {
		return true
	}
	p.At = at
	return p.Whole() == int64(batch)
}

// rawLines calls each with the fields of every whole line of a raw file below its header, which may have the batch size
// as an additional column. The note counts torn lines and lines that each cannot read.
func rawLines(dir, name string, columns []string, each func(*csvlines.Fields)) (note []string, err error) {
	f, err := safefile.OpenRead(filepath.Join(dir, name))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("campaign folder: %w", err)
	}
	defer f.Close()
	bad, err := parseRaw(safefile.Most(f, mostRaw), columns, each)
	if err != nil {
		return nil, fmt.Errorf("campaign folder: read %s: %w", f.Name(), err)
	}
	if bad > 0 {
		note = []string{fmt.Sprintf("%s: %d unreadable lines are left out", f.Name(), bad)}
	}
	return note, nil
}

// parseRaw is rawLines for a file's text.
func parseRaw(text io.Reader, columns []string, each func(*csvlines.Fields)) (bad int, err error) {
	torn, err := csvlines.Each(text, func(n int, fields []string, err error) error {
		if n == 1 {
			columns = headed(fields, columns)
			return nil
		}
		p := csvlines.Fields{List: fields, Columns: columns}
		if err == nil && len(fields) == len(columns) {
			each(&p)
		} else {
			p.Fail("the line")
		}
		if p.Err != nil {
			bad++
		}
		return p.Err
	})
	if torn {
		bad++
	}
	return bad, err
}
