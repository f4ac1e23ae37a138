package control

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"jtune/internal/safefile"
	"jtune/internal/sorted"
	"jtune/internal/text"
	"jtune/profiles/record"
	"jtune/tegra"
	"jtune/tui/session/task"
)

// Followed is a campaign of another process, read from its record.
type Followed struct {
	record.Running
	Header record.Header
	Rows   []record.Row
	Space  *tegra.Space
	Newest time.Time // last growth of its record
	Ended  bool      // its process has released the folder
	Reach  *Reach    // report of its program; nil: it accepts no orders from here
}

// By names the user and process that run it.
func (f *Followed) By() string {
	if f.Reach == nil || f.Reach.User == "" {
		return fmt.Sprintf("jtune %d", f.PID)
	}
	return fmt.Sprintf("%s (jtune %d)", f.Reach.User, f.PID)
}

// IfOrdered says whose task an order would affect.
func (f *Followed) IfOrdered() string {
	done := text.Count(len(record.Modes(f.Rows)), "mode")
	if f.Reach != nil && f.Reach.Ran > 0 {
		done = text.Count(f.Reach.Ran, "minibatch")
	}
	return fmt.Sprintf("%s of %s, %s so far", f.Header.Workload.Name, f.By(), done)
}

// Follow reads the campaign of another process to follow after `before` (nil at first). It stays with that one to its
// end, unless a campaign of this data directory starts while one of another directory is followed. Otherwise it takes
// the newest, first from this data directory. From other directories only campaigns on real boards count, because a
// virtual board belongs to its process alone. nil: there is none.
func Follow(c task.Campaigns, before *Followed) *Followed {
	own := filepath.Dir(c.Dir) + string(filepath.Separator)
	rank := func(r record.Running) int { // the lowest rank is followed
		switch {
		case !strings.HasPrefix(r.Dir, own):
			return 2
		case before == nil || before.Ended || before.Dir != r.Dir:
			return 1
		}
		return 0
	}
	list := slices.DeleteFunc(c.Running(), func(r record.Running) bool {
		return c.Board.Virtual && !strings.HasPrefix(r.Dir, own)
	})
	sorted.Stable(list,
		func(a, b record.Running) int { return safefile.Modified(b.Dir).Compare(safefile.Modified(a.Dir)) })
	sorted.Stable(list, func(a, b record.Running) int { return rank(a) - rank(b) })
	if before != nil && !before.Ended {
		at := slices.Index(list, before.Running)
		if at < 0 {
			last := *before
			if f, err := readFollowed(last.Running); err == nil {
				last = *f
			} // else its folder is gone: keep the last state
			last.Ended, last.Reach = true, nil
			return &last
		}
		if rank(list[0]) == rank(list[at]) {
			list[0] = list[at]
		}
	}
	for _, r := range list {
		if f, err := readFollowed(r); err == nil && c.Here(f.Header.Device) {
			return f
		}
	}
	return nil
}

func readFollowed(r record.Running) (*Followed, error) {
	f := &Followed{Running: r, Newest: safefile.Modified(filepath.Join(r.Dir, "modes.csv"))}
	var err error
	if f.Header, f.Rows, err = record.Read(r.Dir); err != nil {
		return nil, err
	}
	f.Reach = reach(r)
	f.Space, err = f.Header.Device.Space()
	return f, err
}
