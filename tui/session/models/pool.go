package models

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"jtune/optimize"
	"jtune/profiles/imports"
	"jtune/profiles/record"
	"jtune/profiles/workload"
	"jtune/tegra"
	"jtune/tui/session"
	"jtune/tui/session/campaigns"
)

// Pool holds all usable measurements of one workload on one board, from all campaigns of the data directory:
//
//	campaign folders ──► Pool ──► Aligned ──► learn.Fit: the model; optimize.Tune: what is known
//
// The folders are the only source: a pool is read from them each time and only grows, whichever process measured and
// however its campaign ended. Measurements with framework versions other than the newest campaign's form another pool;
// campaigns without versions belong to all.
type Pool struct {
	Fingerprint string     // of the workload
	Board       string     // identity of the board
	Batch       int        // of all rows; 0 if the batch size is an input
	Parts       []PoolPart // oldest first

	workload workload.Workload
	versions string // of its framework; "" if no campaign gives them
}

// PoolPart is the contribution of one campaign to its pool.
type PoolPart struct {
	Campaign string // its name
	Began    time.Time
	Rows     []record.Row // usable, as measured; Batch is 0 if the pool has one size
	Software []string     // releases that the rows depend on, as far as known
	Found    *record.FoundHeader
}

// Rows returns all rows of the pool as measured, in order.
func (p *Pool) Rows() []tegra.Measured { return slices.Concat(p.lists()...) }

// Aligned returns the rows that the pool's model is fitted to and that its searches start from. If the board has
// drifted, rows of older campaigns are aligned with later ones or omitted.
func (p Pool) Aligned() ([]tegra.Measured, optimize.Alignment) { return optimize.Align(p.lists()) }

// lists returns the rows of each campaign.
func (p *Pool) lists() [][]tegra.Measured {
	out := make([][]tegra.Measured, len(p.Parts))
	for i, part := range p.Parts {
		out[i] = record.Usable(part.Rows)
	}
	return out
}

// found returns the board as the newest campaign found it; nil if only older versions measured.
func (p *Pool) found() *record.FoundHeader {
	for _, part := range slices.Backward(p.Parts) {
		if part.Found != nil {
			return part.Found
		}
	}
	return nil
}

// softwareNote describes the software versions in which the newest campaign of the pool differs from an earlier one; ""
// if they are the same.
func (p *Pool) softwareNote() string {
	if len(p.Parts) == 0 {
		return ""
	}
	newest := p.Parts[len(p.Parts)-1]
	for _, part := range slices.Backward(p.Parts[:len(p.Parts)-1]) {
		if list := tegra.SoftwareDifferences(part.Software, newest.Software); list != nil {
			return fmt.Sprintf("campaigns %s and %s were measured with different software (%s), which affects results",
				part.Campaign, newest.Campaign, strings.Join(list, ", "))
		}
	}
	return ""
}

// Before returns the pool at an earlier time; zero: now.
func (p Pool) Before(t time.Time) Pool {
	p.Parts = slices.DeleteFunc(slices.Clone(p.Parts), func(part PoolPart) bool {
		return !t.IsZero() && !part.Began.Before(t)
	})
	return p
}

// Campaigns lists the names of the campaigns with rows in the pool.
func (p *Pool) Campaigns() []string {
	var out []string
	for _, part := range p.Parts {
		out = append(out, part.Campaign)
	}
	return out
}

// PoolOf returns the pool of a workload on this board: of its own batch size, or of all measured sizes if there are
// several to choose among.
func PoolOf(s *session.Session, w workload.Workload, batches []int) (Pool, error) {
	list, err := campaigns.List(s.Options.Paths)
	if err != nil {
		return Pool{}, err
	}
	pool := CollectPool(list, w, s.Board(), batches)
	pool.keep(s.Device.Space())
	return pool, nil
}

// CollectPool collects the pool of a workload on a board from campaigns (oldest first), with the framework versions of
// the newest.
func CollectPool(list []campaigns.Campaign, w workload.Workload, board string, batches []int) Pool {
	versions := ""
	for _, c := range slices.Backward(list) {
		if Pools(c) && Board(c) == board && c.Header.Workload.Fingerprint("") == w.Fingerprint("") {
			if versions = record.FrameworkVersions(c.Dir); versions != "" {
				break
			}
		}
	}
	pool := newPool(w, versions, board)
	if batches == nil {
		pool.Batch = w.Batch
	}
	pool.collect(list)
	return pool
}

func newPool(w workload.Workload, versions, board string) Pool {
	return Pool{Fingerprint: w.Fingerprint(versions), Board: board, workload: w, versions: versions}
}

// collect adds the rows of the campaigns that belong to the pool.
func (p *Pool) collect(list []campaigns.Campaign) {
	type reading struct {
		tegra.Measured
		when time.Time
	}
	seen := map[reading]bool{} // a folder may exist twice, or be part of a merged one
	for _, c := range list {
		if !Pools(c) || Board(c) != p.Board || c.Header.Workload.Fingerprint(p.versions) != p.Fingerprint {
			continue
		}
		if v := record.FrameworkVersions(c.Dir); v != "" && v != p.versions {
			continue
		}
		part := PoolPart{Campaign: c.Name, Began: c.Header.Created, Software: record.Software(c.Dir, c.Header),
			Found: c.Header.Found}
		for _, row := range Pooled(c) {
			row.Batch = cmp.Or(row.Batch, c.Header.Workload.Batch)
			at := reading{row.Measured, row.When}
			if !row.Status.Usable() || seen[at] || p.Batch > 0 && row.Batch != p.Batch {
				continue
			}
			if seen[at] = true; p.Batch > 0 {
				row.Batch = 0
			}
			part.Rows = append(part.Rows, row)
		}
		if part.Rows != nil {
			p.Parts = append(p.Parts, part)
		}
	}
	p.bound()
}

// mostOfSetting is how many readings of a setting count, the newest: a model or a search that knows these learns
// nothing from a thousand earlier ones, which would cost it more with each night.
const mostOfSetting = 32

// bound removes the older readings of settings that were read more often.
func (p *Pool) bound() {
	count := map[tegra.Setting]int{}
	for i := range slices.Backward(p.Parts) {
		rows := p.Parts[i].Rows
		for k := len(rows) - 1; k >= 0; k-- {
			if count[rows[k].Setting]++; count[rows[k].Setting] > mostOfSetting {
				rows = slices.Delete(rows, k, k+1)
			}
		}
		p.Parts[i].Rows = rows
	}
	p.dropEmpty()
}

// keep removes rows whose modes are not in a space.
func (p *Pool) keep(space *tegra.Space) {
	for i := range p.Parts {
		p.Parts[i].Rows = slices.DeleteFunc(p.Parts[i].Rows, func(r record.Row) bool { return !space.Contains(r.Mode) })
	}
	p.dropEmpty()
}

func (p *Pool) dropEmpty() {
	p.Parts = slices.DeleteFunc(p.Parts, func(part PoolPart) bool { return len(part.Rows) == 0 })
}

// Pools reports whether rows of a campaign may be pooled with those of others.
func Pools(c campaigns.Campaign) bool { return len(record.Usable(Pooled(c))) > 0 }

// Pooled returns the rows that may be pooled: without runs that differ in more than the setting, and without free
// clocks. From an energy study these are its clock pairs, not its baselines and other jobs.
func Pooled(c campaigns.Campaign) []record.Row {
	switch kind := c.Header.Plan.Kind; {
	case c.Err != nil, record.Ended(c.Dir) == record.Withdrawn, kind == imports.Kind, c.Header.Settings.DVFS,
		c.Header.Settings.Requests > 0 && !c.Header.Workload.Serves(): // batches of any size, idle time included
		return nil
	case campaigns.OfEnergy(c.Header.Plan):
		return campaigns.ClockPairs(c.Header, c.Rows)
	case kind == record.ExperimentKind:
		return nil
	}
	return c.Rows
}

// Fingerprint identifies the campaign's workload, including versions of its framework.
func Fingerprint(c campaigns.Campaign) string {
	return c.Header.Workload.Fingerprint(record.FrameworkVersions(c.Dir))
}

// Board identifies the board of a campaign: module, L4T and host name; for a replay the content of its file; for a
// virtual board its name. Folders of older versions do not identify the unit: a board is assumed to be this host's; a
// replayed file is matched unless it has changed.
func Board(c campaigns.Campaign) string {
	d := c.Header.Device
	if d.Which == "" {
		switch {
		case d.Replay != "":
		case d.Virtual:
			d.Which = session.VirtualName(d.Name)
		default:
			d.Which = session.HostName("/")
		}
	}
	return session.BoardIdentity(d)
}
