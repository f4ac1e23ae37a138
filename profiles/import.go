package profiles

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"jtune/tegra"
	"jtune/tegra/sweep"
)

// ImportKind is the kind of plan of campaigns that were not measured here: the
// device is not known.
const ImportKind = "import"

// ImportTable makes a campaign folder of a sweep in memory. The device is not
// known from such a file; its space is the grid that the modes span. outDir
// must be new. Columns that stand for the same in a campaign are taken for it; others are kept.
func ImportTable(t *sweep.Table, outDir string) error {
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
	c := newImportColumns(t)
	r, err := create(outDir, h, c.extra)
	if err != nil {
		return err
	}
	for _, row := range t.Rows {
		known, extra := c.fields(row)
		r.modes.add(append(r.withSize(known, row.Batch), extra...))
	}
	return errors.Join(r.modes.flush(true), r.Close())
}

// importColumns is where the unknown columns of a sweep go in modes.csv.
type importColumns struct {
	to    []int    // by column of Table.Extra: its place in Columns; -1 for one that is kept beside them
	extra []string // names of those
}

// newImportColumns takes all of a campaign's columns when they are there, else
// those that tell the parts of a minibatch. One of the same name that is not
// taken is renamed.
func newImportColumns(t *sweep.Table) importColumns {
	takes := []string{"stall_ms", "compute_ms", "overhead_ms"}
	if own := Columns[len(sweep.Columns):]; !slices.ContainsFunc(own, func(name string) bool { return !slices.Contains(t.Extra, name) }) {
		takes = own
	}
	var c importColumns
	for i, name := range t.Extra {
		at := slices.Index(Columns, name)
		if at >= 0 && slices.Contains(takes, name) && !slices.Contains(t.Extra[:i], name) {
			c.to = append(c.to, at)
			continue
		}
		if at >= 0 || name == sizeColumn {
			name = "imported_" + name
		}
		c.to, c.extra = append(c.to, -1), append(c.extra, name)
	}
	return c
}

// fields prints a row for modes.csv. What the file does not hold stays empty;
// so does what cannot be read as what its column's name says.
func (c importColumns) fields(row sweep.Row) (known, extra []string) {
	bare := Row{Measured: row.Measured, Status: OK, EnergyJ: row.EnergyJ(), Bare: true}.fields()
	known = slices.Clone(bare)
	for i, to := range c.to {
		if to < 0 {
			extra = append(extra, oneLine(row.Extra[i]))
		} else {
			known[to] = strings.TrimSpace(row.Extra[i])
		}
	}
	if _, err := parseRow(known); err != nil {
		known = bare
	}
	return known, extra
}

func importHeader(path string, modes []tegra.Mode, batch int) (Header, error) {
	members, err := tegra.NewSubspace(modes)
	if err != nil {
		return Header{}, err
	}
	grid, err := tegra.NewSpace(members.Cores, members.CPU, members.GPU, members.EMC)
	if err != nil {
		return Header{}, err
	}
	name := strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))
	h := Header{Created: fileTime(path), Plan: PlanHeader{Kind: ImportKind, Modes: len(modes), Source: filepath.Base(path), Digest: Digest(modes)}}
	h.Workload = Workload{Name: name, Title: name, Batch: batch}
	h.Device.setSpace(grid)
	return h, nil
}

// fileTime is when the file was last written.
func fileTime(path string) time.Time {
	st, err := os.Stat(path)
	if err != nil {
		return time.Time{}
	}
	return st.ModTime().UTC().Truncate(time.Second)
}
