package record

import (
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

// ReadEntries reads the raw files of a campaign folder, for one batch size if it has several. The notes report
// unreadable lines, which are left out. A folder without raw files, such as an import's, has no entries.
func ReadEntries(dir string, batch int) (entries map[tegra.Mode]Entries, notes []string, err error) {
	entries = map[tegra.Mode]Entries{}
	type span struct{ from, to float64 } // seconds
	clean := map[tegra.Mode]span{}
	note, err := rawLines(dir, minibatchesName, minibatchColumns, func(p *fieldParser) {
		end, mode := p.number(), p.mode()
		p.at += 2 // epoch, batch
		ms := p.number()
		p.at = slices.Index(minibatchColumns, "clean")
		if p.text() != "true" || p.ofInference() || !p.isOf(batch) || p.err != nil {
			return
		}
		at, again := clean[mode]
		if !again {
			at.from = end - ms/1000
		}
		at.to = end
		clean[mode] = at
		e := entries[mode]
		e.TimesMS = append(e.TimesMS, ms)
		entries[mode] = e
	})
	if err != nil {
		return nil, nil, err
	}
	notes = append(notes, note...)
	note, err = rawLines(dir, samplesName, sampleColumns, func(p *fieldParser) {
		t, mode, watts, valid := p.number(), p.mode(), p.optional(), p.text() == "true"
		if at, ok := clean[mode]; !p.isOf(batch) || !ok || p.err != nil || !valid || !watts.OK || t < at.from ||
			t > at.to {
			return
		}
		e := entries[mode]
		e.PowersW = append(e.PowersW, watts.V)
		entries[mode] = e
	})
	return entries, append(notes, note...), err
}

// ofInference reports whether a line of minibatches.csv belongs to the inference of a pair; the time in a pair's row is
// the training's.
func (p *fieldParser) ofInference() bool {
	at := slices.Index(p.columns, jobColumn)
	return at >= 0 && at < len(p.fields) && p.fields[at] == harness.JobInfer
}

// isOf reports whether a line has that batch size, if the line has one.
func (p *fieldParser) isOf(batch int) bool {
	at := slices.Index(p.columns, SizeColumn)
	if at < 0 {
		return true
	}
	p.at = at
	return p.whole() == int64(batch)
}

// rawLines calls each with the fields of every whole line of a raw file below its header, which may have the batch size
// as an additional column. The note counts torn lines and lines that each cannot read.
func rawLines(dir, name string, columns []string, each func(*fieldParser)) (note []string, err error) {
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
func parseRaw(text io.Reader, columns []string, each func(*fieldParser)) (bad int, err error) {
	torn, err := csvlines.Each(text, func(n int, fields []string, err error) error {
		if n == 1 {
			columns = headed(fields, columns)
			return nil
		}
		p := fieldParser{fields: fields, columns: columns}
		if err == nil && len(fields) == len(columns) {
			each(&p)
		} else {
			p.fail("the line")
		}
		if p.err != nil {
			bad++
		}
		return p.err
	})
	if torn {
		bad++
	}
	return bad, err
}
