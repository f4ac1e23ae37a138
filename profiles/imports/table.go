// Package imports makes campaign folders from what others measured: sweep files,
// published raw runs, and power logs of tegrastats or jtop.
//
//	sweep.Table ──────► Table ──────┐
//	folders of logs ──► Runs ───────┼──► campaign folder (profiles/record)
//	Log ──────────────► Log.Import ─┘
package imports

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"jtune/internal/text"
	"jtune/profiles/record"
	"jtune/profiles/workload"
	"jtune/tegra"
	"jtune/tegra/sweep"
)

// Kind is the kind of plan of imported campaigns. Their device is unknown.
const Kind = record.ImportKind

// Table creates a campaign folder from a sweep in memory; outDir must not exist. Such a file does not name its device,
// so the device's space is the grid spanned by its modes. Columns with the same meaning as a campaign's are renamed to
// these; others are kept.
func Table(t *sweep.Table, outDir string) error {
	sizes, batch := t.Batches(), 0
	if len(sizes) == 1 {
		batch = sizes[0]
	}
	h, err := importHeader(t.Name, t.Modes(), batch)
	if err != nil {
		return fmt.Errorf("%s: %w", t.Name, err)
	}
	if len(sizes) > 1 {
		h.Plan.Batches, h.Plan.Modes = sizes, len(t.Settings())
	}
	h.Device.Virtual = t.Virtual()
	c := newImportColumns(t)
	r, err := record.CreateWith(outDir, h, c.extra)
	if err != nil {
		return err
	}
	lines := func(yield func(record.Line) bool) {
		for _, row := range t.Rows {
			if !yield(c.line(row)) {
				return
			}
		}
	}
	return errors.Join(r.Import(lines), r.Close())
}

// importColumns maps the unknown columns of a sweep to columns of modes.csv.
type importColumns struct {
	to    []int    // by column of Table.Extra: its index in Columns, or one of the next two
	extra []string // names of the columns kept after Columns
}

// Columns of a sweep that have no place in Columns.
const (
	beside = -1 // kept after Columns
	none   = -2 // not copied: the folder has the same information
)

// newImportColumns maps all of a campaign's columns when all are present, else only the parts of a minibatch. Other
// columns with a campaign's name are renamed.
func newImportColumns(t *sweep.Table) importColumns {
	takes := []string{"stall_ms", "compute_ms", "overhead_ms"}
	if own := record.Columns[len(sweep.Columns):]; !slices.ContainsFunc(
		own[:len(own)-record.LaterColumns],
		func(name string) bool { return !slices.Contains(t.Extra, name) },
	) {
		takes = own
	}
	var c importColumns
	for i, name := range t.Extra {
		at := slices.Index(record.Columns, name)
		if at >= 0 && slices.Contains(takes, name) && !slices.Contains(t.Extra[:i], name) {
			c.to = append(c.to, at)
			continue
		}
		if name == sweep.VirtualColumn {
			c.to = append(c.to, none)
			continue
		}
		if at >= 0 || name == record.SizeColumn {
			name = "imported_" + name
		}
		c.to, c.extra = append(c.to, beside), append(c.extra, name)
	}
	return c
}

// line converts a row to a line of modes.csv. Values that are missing or do not fit their column stay empty.
func (c importColumns) line(row sweep.Row) record.Line {
	bare := record.Row{Measured: row.Measured, Status: record.OK, EnergyJ: row.EnergyJ(), Bare: true}.Fields()
	l := record.Line{Known: slices.Clone(bare), Batch: row.Batch}
	for i, to := range c.to {
		switch to {
		case none:
		case beside:
			l.Extra = append(l.Extra, text.OneLine(row.Extra[i]))
		default:
			l.Known[to] = strings.TrimSpace(row.Extra[i])
		}
	}
	if _, err := record.ParseRow(l.Known); err != nil {
		l.Known = bare
	}
	return l
}

func importHeader(path string, modes []tegra.Mode, batch int) (record.Header, error) {
	grid, err := tegra.Spanned(modes)
	if err != nil {
		return record.Header{}, err
	}
	name := strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))
	h := record.Header{
		Created: fileTime(path),
		Plan: record.PlanHeader{
			Kind:   Kind,
			Modes:  len(modes),
			Source: filepath.Base(path),
			Digest: record.Digest(modes),
		},
	}
	h.Workload = workload.Workload{Name: name, Title: name, Batch: batch}
	h.Device.SetSpace(grid)
	return h, nil
}

// fileTime returns when the file was last written.
func fileTime(path string) time.Time {
	st, err := os.Stat(path)
	if err != nil {
		return time.Time{}
	}
	return st.ModTime().UTC().Truncate(time.Second)
}
