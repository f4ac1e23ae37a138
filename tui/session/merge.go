package session

import (
	"errors"
	"fmt"
	"slices"

	"jtune/profiles"
	"jtune/tegra/sweep"
)

// Import makes a campaign folder of a sweep file, and gives the notes on rows
// left out.
func Import(o Options, path, out string, strict bool) (notes []string, err error) {
	t, err := sweep.ReadFile(path, sweep.Options{Strict: strict})
	if err != nil {
		return nil, err
	}
	notes = skipped(path, t)
	if t, err = oneBatch(t, o.Batch); err != nil {
		return notes, err
	}
	return notes, denied(profiles.ImportTable(t, out), "choose another folder with --out DIR")
}

// Merge joins the campaign folders that several devices made of one plan into
// a new one, and gives the number of rows. Folders of another kind of device,
// workload or plan are an error that names what differs.
func Merge(dirs []string, out string) (int, error) {
	var head profiles.Header
	var all []profiles.Row
	for i, dir := range dirs {
		h, rows, err := profiles.Read(dir)
		if err != nil {
			return 0, err
		}
		if i == 0 {
			head = h
		} else if what := differs(head, h); what != "" {
			return 0, fmt.Errorf("%s and %s differ in %s: only parts of one plan can be joined", dirs[0], dir, what)
		}
		all = append(all, rows...)
	}
	head.Plan.Modes, head.Plan.Digest = len(all), ""
	head.Plan.Source = fmt.Sprintf("joined from %d folders", len(dirs))
	r, err := profiles.Create(out, head)
	if err != nil {
		return 0, denied(err, "choose another folder with --out DIR")
	}
	for _, row := range all {
		if err := r.Append(row); err != nil {
			return 0, errors.Join(err, r.Close())
		}
	}
	return len(all), r.Close()
}

// differs names the first thing in which two campaigns are not of one plan.
func differs(a, b profiles.Header) string {
	switch x, y := a.Device, b.Device; {
	case x.Name != y.Name || x.Virtual != y.Virtual:
		return "the device"
	case !slices.Equal(x.Cores, y.Cores) || !slices.Equal(x.CPUKHz, y.CPUKHz) || !slices.Equal(x.GPUHz, y.GPUHz) || !slices.Equal(x.MemHz, y.MemHz):
		return "the modes that the device offers"
	case a.Workload.Name != b.Workload.Name || a.Workload.Batch != b.Workload.Batch:
		return "the workload"
	case a.Plan.Kind != b.Plan.Kind:
		return "the kind of plan"
	case a.Seed != b.Seed:
		return "the seed"
	case a.Settings != b.Settings:
		return "the settings of measuring"
	}
	return ""
}
