package profiles

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"jtune/tegra"
	"jtune/tegra/sweep"
)

// Import turns a sweep file, under either header, into a campaign folder:
// outDir must be new. Rows that cannot be read are left out; ImportTable lets
// the caller tell of them.
func Import(path, outDir string) error {
	t, err := sweep.ReadFile(path, sweep.Options{})
	if err != nil {
		return err
	}
	return ImportTable(t, outDir)
}

// ImportTable makes a campaign folder of a sweep in memory. The device is not
// known from such a file; its space is the grid that the modes span.
func ImportTable(t *sweep.Table, outDir string) error {
	batch := 0
	if b := t.Batches(); len(b) > 1 {
		return fmt.Errorf("%s holds minibatch sizes %v; a campaign has one: split the file", t.Name, b)
	} else if len(b) == 1 {
		batch = b[0]
	}
	h, err := importHeader(t.Name, t.Modes(), batch)
	if err != nil {
		return fmt.Errorf("%s: %w", t.Name, err)
	}
	r, err := Create(outDir, h)
	if err != nil {
		return err
	}
	for _, row := range t.Rows {
		r.modes.add(Row{Measured: row.Measured, Status: OK, Applied: row.Mode, EnergyJ: row.EnergyJ(), When: h.Created}.fields())
	}
	return errors.Join(r.modes.flush(true), r.Close())
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
	h := Header{Created: fileTime(path), Device: DeviceHeader{Name: "imported"}, Plan: PlanHeader{Kind: "import", Modes: len(modes), Source: filepath.Base(path), Digest: Digest(modes)}}
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
