package models

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"time"

	"jtune/optimize/earlier"
	"jtune/profiles/record"
	"jtune/profiles/workload"
	"jtune/tegra"
	"jtune/tegra/metric"
	"jtune/tui/session"
	"jtune/tui/session/campaigns"
)

// Pool holds all usable measurements of one workload on one board, from all campaigns of the data directory:
//
//	campaign folders ──► NamePool ──► Aligned ──► learn.Fit: the model; optimize.Tune: what is known
//
// The folders are the only source: a pool is read from them each time, whichever process measured and however its
// campaign ended. The newest readings of a setting count (campaigns.MostOfSetting). Measurements with framework
// versions other than the newest campaign's form another pool; campaigns without versions belong to all.
type Pool struct {
	Fingerprint string     // of the workload
	Board       string     // identity of the board
	Batch       int        // of all rows; 0 if the batch size is an input
	Parts       []PoolPart // oldest first

	plain    string               // fingerprint of the workload without the versions
	versions string               // of its framework; "" if no campaign gives them
	of       []campaigns.Campaign // whose rows it may have, oldest first
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
func (p Pool) Aligned() ([]tegra.Measured, earlier.Alignment) { return earlier.Align(p.lists()) }

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

// Further returns the pool with the further quantities that goals limit, as far as its campaigns have them.
func (p Pool) Further(goals ...metric.Goal) Pool {
	p.Parts = slices.Clone(p.Parts)
	for i, part := range p.Parts {
		for _, c := range p.of {
			if c.Name == part.Campaign {
				p.Parts[i].Rows = c.Further(part.Rows, goals...)
			}
		}
	}
	return p
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

// CollectPool reads the pool that NamePool names.
func CollectPool(list []campaigns.Campaign, w workload.Workload, board string, batches []int) Pool {
	pool := NamePool(list, w, board, batches)
	pool.read()
	return pool
}

// NamePool returns the pool of a workload on a board among campaigns (oldest first), with the framework versions of the
// newest: what it is called, and without rows.
func NamePool(list []campaigns.Campaign, w workload.Workload, board string, batches []int) Pool {
	plain, versions := w.Fingerprint(""), ""
	for _, c := range slices.Backward(list) {
		if c.Pools() && c.Board == board && c.Workload == plain {
			if versions = record.Framework(c.Versions); versions != "" {
				break
			}
		}
	}
	size := 0
	if batches == nil {
		size = w.Batch
	}
	return poolAmong(list, w, versions, board, size)
}

func poolAmong(list []campaigns.Campaign, w workload.Workload, versions, board string, size int) Pool {
	p := Pool{Fingerprint: w.Fingerprint(versions), Board: board, Batch: size, plain: w.Fingerprint(""),
		versions: versions, of: make([]campaigns.Campaign, 0, len(list))}
	for _, c := range list {
		v := record.Framework(c.Versions)
		if c.Pools() && c.Board == board && c.Workload == p.plain && (v == "" || v == versions) {
			p.of = append(p.of, c)
		}
	}
	return p
}

// sources identifies the readings that the pool has, without reading them.
func (p *Pool) sources() string {
	h := sha256.New()
	for _, c := range p.of {
		fmt.Fprintln(h, c.Header.Began(), c.Learned)
	}
	return hex.EncodeToString(h.Sum(nil)[:8])
}

// read reads the rows.
func (p *Pool) read() {
	type reading struct {
		tegra.Measured
		when time.Time
	}
	seen := map[reading]bool{} // a folder may exist twice, or be part of a merged one
	for _, c := range campaigns.Newest(p.of) {
		part := PoolPart{Campaign: c.Name, Began: c.Header.Created, Software: record.SoftwareOf(c.Versions, *c.Header),
			Found: c.Header.Found}
		for _, row := range c.Pooled() {
			row.Batch = cmp.Or(row.Batch, c.Header.Workload.Batch)
			at := reading{row.Measured, row.When}
			at.Also = nil // the same readings, wherever they are
			var has bool
			if row.Batch, has = p.size(row.Batch); has && row.Status.Usable() && !seen[at] {
				seen[at] = true
				part.Rows = append(part.Rows, row)
			}
		}
		if part.Rows != nil {
			p.Parts = append(p.Parts, part)
		}
	}
	p.bound()
}

// size returns the batch size of a row in the pool, and whether it has rows of that size.
func (p *Pool) size(batch int) (int, bool) {
	if p.Batch == 0 {
		return batch, true
	}
	return 0, batch == p.Batch
}

// bound removes the older readings of settings that were read more often than counts.
func (p *Pool) bound() {
	count := map[tegra.Setting]int{}
	for i := range slices.Backward(p.Parts) {
		rows := p.Parts[i].Rows
		for k := len(rows) - 1; k >= 0; k-- {
			if count[rows[k].Setting]++; count[rows[k].Setting] > campaigns.MostOfSetting {
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
