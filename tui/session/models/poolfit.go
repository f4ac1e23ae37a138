package models

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"jtune/internal/safefile"
	"jtune/internal/text"
	"jtune/learn"
	"jtune/optimize/earlier"
	"jtune/profiles/record"
	"jtune/profiles/workload"
	"jtune/tegra"
	"jtune/tui/session"
	"jtune/tui/session/campaigns"
	"jtune/tui/session/config"
)

// The model of a pool is derived from it: it is refitted from the campaign folders whenever they have grown, and
// replaced atomically. The process that fits holds the models' lock, so that the later of two processes has the rows of
// both.

// String identifies a pool in its model's file.
func (p Pool) String() string {
	if p.versions == "" {
		return p.unversioned()
	}
	return p.unversioned() + versionsFollow + p.versions
}

func (p *Pool) unversioned() string { return unversioned(p.plain, p.Board, p.Batch) }

func unversioned(workload, board string, batch int) string {
	size := cmp.Or(text.IfAny("batch size %d", batch), "all batch sizes")
	return fmt.Sprintf("workload %s on %s, %s", workload, board, size)
}

// withoutVersions returns what identifies a pool but for the versions of its framework.
func withoutVersions(pool string) string {
	pool, _, _ = strings.Cut(pool, versionsFollow)
	return pool
}

// versionsFollow separates the versions from the rest of a pool's identity.
const versionsFollow = ", with "

// Learned is the result of learning from readings.
type Learned struct {
	*learn.Model
	Path string           // file of the model; "" if it was not saved
	Rows []tegra.Measured // the rows that it was fitted to
}

// Learn fits the model of everything known of a workload on this board and, if keep is set, saves it under the
// workload's name. For a campaign outside the data directory it uses only that campaign's readings and saves nothing.
func Learn(s *session.Session, w workload.Workload, batches []int, dir string, readings []tegra.Measured,
	ref *learn.Reference, keep bool) (out Learned, err error) {
	if !Holds(s.Options.Paths, dir) {
		return fit(s, w, Pool{}, readings, ref)
	}
	var unlocked error // then the model is fitted but not saved
	if keep {
		unlock, err := lockModels(s.Options.Paths)
		if unlocked = err; err == nil {
			defer unlock()
		}
	}
	pool, err := PoolOf(s, w, batches)
	if err != nil {
		return out, err
	}
	if out, err = fit(s, w, pool, nil, ref); err != nil || !keep || unlocked != nil {
		return out, cmp.Or(err, unlocked)
	}
	path, err := poolModel(s.Options.Paths, pool, w, s.DeviceHeader())
	if err == nil {
		err = config.Denied(out.Save(path), campaigns.Elsewhere)
	}
	if err == nil {
		out.Path = path
	}
	return out, err
}

// fit learns from the measurements of a workload on this device.
func fit(s *session.Session, w workload.Workload, pool Pool, readings []tegra.Measured, ref *learn.Reference) (Learned,
	error) {
	return fitPool(pool, readings, w.Name, s.Device.Board(), s.Device.Space(), ref, s.Seed, time.Now())
}

// fitPool learns from the measurements of a workload: the pool, or readings if the pool is empty. The model's warnings
// describe the effect of drift on the pool.
func fitPool(pool Pool, readings []tegra.Measured, workload string, b tegra.Board, space *tegra.Space,
	ref *learn.Reference, seed uint64, when time.Time) (Learned, error) {
	from := learn.Provenance{Device: b.Name, Workload: workload, Virtual: b.Virtual, Replay: b.Replay,
		Jtune: session.Version,
		When:  when, Campaigns: len(pool.Parts), Batch: pool.Batch}
	var aligned earlier.Alignment
	if pool.Parts != nil {
		from.Pool, from.Readings, from.Sources = pool.String(), len(pool.Rows()), pool.sources()
		from.Software = strings.Join(pool.Parts[len(pool.Parts)-1].Software, "; ")
		from.Presets, from.Found = pool.found().Read()
		readings, aligned = pool.Aligned()
	}
	m, err := learn.Fit(context.Background(), readings, learn.Options{Space: space, Reference: ref, Seed: seed,
		Provenance: from})
	if text := aligned.String(); err == nil && text != "" {
		m.Warnings = append(m.Warnings, text)
	}
	if text := pool.softwareNote(); err == nil && text != "" {
		m.Warnings = append(m.Warnings, text)
	}
	return Learned{Model: m, Rows: readings}, err
}

// Holds reports whether a campaign folder is among those of the data directory.
func Holds(o config.Paths, dir string) bool {
	if dir == "" {
		return false
	}
	parent, err := os.Stat(filepath.Dir(dir))
	own, ownErr := os.Stat(o.CampaignsDir())
	return err == nil && ownErr == nil && os.SameFile(parent, own)
}

// lockPatience is how long to wait for another process that fits a model: a fit takes seconds, a minute on a Nano. A
// suspended process never releases the lock.
var lockPatience = 3 * time.Minute

// lockModels waits until no other process fits a model of the data directory.
func lockModels(o config.Paths) (unlock func(), err error) {
	if err := os.MkdirAll(o.ModelsDir(), 0o755); err != nil {
		return nil, config.Denied(err, campaigns.Elsewhere)
	}
	path := filepath.Join(o.ModelsDir(), ".lock")
	unlock, err = safefile.Lock(path, lockPatience)
	switch {
	case errors.Is(err, safefile.ErrLocked):
		return nil, fmt.Errorf("models: another jtune has held %s for %v: end it; the next search or "+
			"jtune models fit makes the model", path, lockPatience)
	case err != nil:
		return nil, config.Denied(fmt.Errorf("models: %w", err), campaigns.Elsewhere)
	}
	return unlock, nil
}

// ModelOf returns the file of a pool's model, under any name; "" for none.
func ModelOf(o config.Paths, pool Pool) string {
	for _, path := range modelsIn(o.ModelsDir()) {
		if from, _, err := learn.LoadSource(path); err == nil && from.Pool == pool.String() {
			return path
		}
	}
	return ""
}

func modelsIn(dir string) []string {
	paths, _ := filepath.Glob(filepath.Join(dir, "*"+modelSuffix))
	return paths
}

// poolModel returns the file for a pool's model: the existing one; or one of that name from an older version, if all
// its samples are in the pool; or else a new one under the first free name.
func poolModel(o config.Paths, pool Pool, w workload.Workload, d record.DeviceHeader) (string, error) {
	if path := ModelOf(o, pool); path != "" {
		return path, nil
	}
	continues := func(path string) bool {
		from, samples, err := learn.LoadSource(path)
		return err == nil && pool.follows(from.Pool) && pool.knows(samples)
	}
	if older := filepath.Join(o.ModelsDir(), olderName(w, d)+modelSuffix); continues(older) {
		return older, nil
	}
	name := NameFor(w, d)
	path, err := keepAs(o, name)
	if err != nil {
		return "", err
	}
	from, _, err := learn.LoadSource(path)
	if errors.Is(err, fs.ErrNotExist) || continues(path) {
		return path, nil
	}
	if err == nil && !strings.Contains(from.Pool, pool.Board) { // another board of the same kind in a shared folder
		name += "-" + boardName(d.Which)
		if path, err = keepAs(o, name); err != nil || !slices.Contains(modelsIn(o.ModelsDir()), path) {
			return path, err
		}
	}
	name += cmp.Or(text.IfAny("-bs%d", pool.Batch), "-batches")
	taken := modelsIn(o.ModelsDir())
	for n := 1; ; n++ {
		candidate := name
		if n > 1 {
			candidate = fmt.Sprintf("%s-%d", name, n)
		}
		if path, err = keepAs(o, candidate); err != nil || !slices.Contains(taken, path) {
			return path, err
		}
	}
}

// follows reports whether the pool may continue another one: that of a file of an older version, or of campaigns
// without framework versions.
func (p *Pool) follows(other string) bool { return other == "" || other == p.unversioned() }

// knows reports whether a model's samples are all readings of the pool, as measured or as aligned, or medians of them.
func (p *Pool) knows(samples []tegra.Measured) bool {
	rows := map[tegra.Setting][]tegra.Measured{}
	aligned, _ := p.Aligned()
	for _, r := range append(aligned, p.Rows()...) {
		rows[r.Setting] = append(rows[r.Setting], r)
	}
	near := func(a, b float64) bool { return math.Abs(math.Log(a/b)) < 0.1 }
	return !slices.ContainsFunc(samples, func(m tegra.Measured) bool {
		return !slices.ContainsFunc(rows[m.Setting], func(r tegra.Measured) bool {
			return near(r.TimeMS, m.TimeMS) && near(r.PowerW, m.PowerW)
		})
	})
}
