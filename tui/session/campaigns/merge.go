package campaigns

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"jtune/internal/usage"
	"jtune/profiles/imports"
	"jtune/profiles/record"
	"jtune/tegra"
	"jtune/tegra/sweep"
	"jtune/tui/session"
	"jtune/tui/session/config"
)

// Import makes a campaign folder from a sweep file, from a folder or .tar.gz of published raw runs, or from a power log
// with the run details in log. Without out the folder is one of the data directory. space has the exact clocks of modes
// in compact notation, if the file has such; nil: as they are written. It returns the folder, and notes on omitted rows
// or runs.
func Import(o session.Options, path, out string, space *tegra.Space, log imports.Log, strict bool) (dir string,
	notes []string, err error) {
	if out != "" {
		notes, err = importInto(o, path, out, space, log, strict)
		return out, notes, err
	}
	h := record.Header{Created: time.Now(), Plan: record.PlanHeader{Kind: imports.Kind}}
	h.Workload.Name, _, _ = strings.Cut(filepath.Base(path), ".")
	if dir, err = newCampaignDir(o.Paths, h); err != nil {
		return "", nil, config.Denied(err, Elsewhere)
	}
	if notes, err = importInto(o, path, dir, space, log, strict); err != nil {
		_ = os.Remove(dir) // if nothing is in it
	}
	return dir, notes, err
}

// importInto is Import into a folder.
func importInto(o session.Options, path, out string, space *tegra.Space, log imports.Log, strict bool) (notes []string,
	err error) {
	if log.Times != "" || imports.IsPowerLog(path) {
		log.Power = path
		notes, err := log.Import(out)
		return notes, config.Denied(err, anotherFolder)
	}
	if st, err := os.Stat(path); err == nil && (st.IsDir() ||
		strings.HasSuffix(path, ".tar.gz") || strings.HasSuffix(path, ".tgz")) {
		notes, err := imports.Runs(path, out, log.PerEpoch, strict)
		return notes, config.Denied(err, anotherFolder)
	}
	t, err := sweep.ReadFile(path, sweep.Options{Strict: strict, Space: space})
	if err != nil {
		return nil, err
	}
	notes = session.Skipped(path, t)
	if t.Rounded {
		notes = append(notes, fmt.Sprintf("%s: the clocks of its modes are rounded, as they are written; %s reads "+
			"them as those of its board", path, usage.Device))
	}
	if t, err = session.ChosenBatches(t, o); err != nil {
		return notes, err
	}
	return notes, config.Denied(imports.Table(t, out), anotherFolder)
}

// Merge joins the campaign folders that several devices made from one plan into a new one. It returns notes on omitted
// lines, missing or unfinished parts, and devices whose numbers differ from those of the others. Folders with another
// kind of device, workload or plan, and duplicate parts, are an error that says what differs or where.
func Merge(dirs []string, out string) (notes []string, err error) {
	var head record.Header
	var all []record.Row
	var devices []part
	var runs []record.Run
	copies := 0
	parts := map[string]string{} // shard → folder
	for i, dir := range dirs {
		h, rows, bad, err := record.ReadNoted(dir)
		if err != nil {
			return nil, err
		}
		if h.Plan.Kind == record.ExperimentKind {
			return nil, usage.Errorf("%s holds experiment %s: parts of a plan of modes can be joined; put the "+
				"report.csv files of experiments side by side", dir, h.Plan.Source)
		}
		if i == 0 {
			head = h
		} else if what := differs(head, h); what != "" {
			return nil, fmt.Errorf("%s and %s differ in the %s: only parts of one plan can be joined", dirs[0], dir,
				what)
		}
		if k := slices.IndexFunc(dirs[:i], func(other string) bool { return SameFolder(other, dir) }); k >= 0 {
			return nil, usage.Errorf("%s and %s are one folder: name each part once", dirs[k], dir)
		}
		if other, twice := parts[h.Plan.Shard]; twice && h.Plan.Shard != "" {
			return nil, fmt.Errorf("%s and %s both hold shard %s: name each part once", other, dir, h.Plan.Shard)
		}
		parts[h.Plan.Shard] = dir
		before := len(all)
		all, copies = record.Distinct(append(all, rows...))
		if notes = append(notes, bad...); copies > 0 {
			what := session.Copied(copies)
			notes = append(notes, fmt.Sprintf("%s: %s to the last digit: one reading each", dir, what))
		}
		devices = append(devices, part{dir, tegra.OncePerSetting(record.Usable(rows))})
		if left := h.Plan.Modes - len(record.Modes(rows)); h.Plan.Shard != "" && left > 0 {
			notes = append(notes, fmt.Sprintf("%s is not finished: %d of its %d modes are missing; resume it with "+
				"%s, then join again", dir, left, h.Plan.Modes, usage.Resume))
		}
		first, this := record.Software(dirs[0], head), record.Software(dir, h)
		if differences := tegra.SoftwareDifferences(first, this); differences != nil {
			notes = append(notes, fmt.Sprintf("%s and %s were measured with different software (%s), which affects "+
				"results", dirs[0], dir, strings.Join(differences, ", ")))
		}
		like, bad, err := record.ReadRuns(dir)
		if err != nil {
			return nil, err
		}
		if notes = append(notes, bad...); len(all) > before { // otherwise the folder is a copy
			runs = append(runs, like...)
		}
	}
	notes = append(notes, missingShards(parts)...)
	space, err := head.Device.Space()
	if err != nil {
		return notes, fmt.Errorf("%s: %w", dirs[0], err)
	}
	notes = append(notes, disagreements(devices, space)...)
	if slices.ContainsFunc(all, func(r record.Row) bool { return len(r.Extra) > 0 }) {
		notes = append(notes, "columns of imported files that jtune does not know are left out")
	}
	head.Plan.Modes, head.Plan.Digest, head.Plan.Shard = len(all), "", ""
	head.Plan.Repeats, head.Plan.Listed, head.Plan.PartOf = 0, nil, ""
	head.Plan.Source = fmt.Sprintf("joined from %d folders", len(dirs))
	r, err := record.Create(out, head)
	if err != nil {
		return notes, config.Denied(err, anotherFolder)
	}
	for _, row := range all {
		if err := r.Append(row); err != nil {
			return notes, errors.Join(err, r.Close())
		}
	}
	for _, run := range runs {
		if err := r.AppendRun(run); err != nil {
			return notes, errors.Join(err, r.Close())
		}
	}
	return notes, r.Close()
}

func SameFolder(a, b string) bool {
	x, errX := os.Stat(a)
	y, errY := os.Stat(b)
	return errX == nil && errY == nil && os.SameFile(x, y)
}

// missingShards lists the parts of a split plan that are missing.
func missingShards(parts map[string]string) (notes []string) {
	of := 0
	for part := range parts {
		if _, n, ok := strings.Cut(part, "/"); ok {
			of, _ = strconv.Atoi(n)
		}
	}
	for i := 1; i <= of; i++ {
		if part := fmt.Sprintf("%d/%d", i, of); parts[part] == "" {
			notes = append(notes, fmt.Sprintf("shard %s is not among the folders: its modes are missing", part))
		}
	}
	return notes
}

// differs names the first difference that shows that two campaigns are not parts of one plan, on boards of one kind.
func differs(a, b record.Header) string {
	for _, h := range []*record.Header{&a, &b} {
		d, p := &h.Device, &h.Plan
		d.Model, d.Module, d.L4T, d.Replay, d.Members = "", "", "", "", nil
		_, p.Shard, _ = strings.Cut(p.Shard, "/")
		p.Modes, p.Source = 0, ""
	}
	switch what, first, other := a.Difference(b); {
	case what != "":
		return fmt.Sprintf("%s (%s; %s)", what, first, other)
	case a.Settings != b.Settings:
		return "settings of measuring"
	}
	return ""
}
