package tui

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"jtune/profiles"
	"jtune/tegra"
	"jtune/tegra/figures"
)

// followEvery is how often other processes' campaigns are looked for, and a
// followed one is read again, while the Profile page shows; a quarter as often
// on other pages.
const followEvery = 3 * time.Second

// showEnd is how long the end of a followed campaign stays on the screen when
// another one runs.
const showEnd = 30 * time.Second

// followed is a campaign that another jtune runs, as its record tells.
type followed struct {
	profiles.Running
	header  profiles.Header
	rows    []profiles.Row
	space   *tegra.Space
	newest  time.Time // when its record last grew
	ended   bool      // its process has let go of the folder
	endedAt time.Time // seen to have done so
}

// followedMsg brings a running campaign, the newest of this data directory
// before those elsewhere, or the end of the one that was followed; nil: there
// is none.
type followedMsg struct{ found *followed }

// followNext looks for campaigns of other processes, off the screen's
// goroutine. One that is followed is followed to its end, which stays on the
// screen for a while, unless one of this data directory begins beside a
// stranger's.
func (sh *shared) followNext() tea.Cmd {
	now, before, every := sh.now(), sh.follow, followEvery
	if sh.page != pageProfile {
		every *= 4
	}
	switch {
	case sh.running == nil, now.Sub(sh.lookedAt) < every:
		return nil
	case before != nil && before.done && now.Sub(before.follows.endedAt) < showEnd:
		return nil
	}
	sh.lookedAt = now
	find, here, own := sh.running, sh.board, sh.DataDir()+string(filepath.Separator)
	return func() tea.Msg {
		rank := func(r profiles.Running) int { // the least is shown
			switch {
			case !strings.HasPrefix(r.Dir, own):
				return 2
			case before == nil || before.done || before.follows.Dir != r.Dir:
				return 1
			}
			return 0
		}
		list := find()
		slices.SortStableFunc(list, func(a, b profiles.Running) int { return newer(a.Dir, b.Dir) })
		slices.SortStableFunc(list, func(a, b profiles.Running) int { return rank(a) - rank(b) })
		if before != nil && !before.done {
			at := slices.Index(list, before.follows.Running)
			if at < 0 {
				last := *before.follows
				if f, err := readFollowed(last.Running); err == nil {
					last = *f
				} // else its folder is gone: what was read before stays
				last.ended, last.endedAt = true, now
				return followedMsg{&last}
			}
			if rank(list[0]) == rank(list[at]) {
				list[0] = list[at]
			}
		}
		for _, r := range list {
			if f, err := readFollowed(r); err == nil && sameBoard(f.header.Device, here) {
				return followedMsg{f}
			}
		}
		return followedMsg{}
	}
}

// sameBoard tells whether a campaign measures a board such as this one.
func sameBoard(d profiles.DeviceHeader, b tegra.Board) bool {
	return d.Name == b.Name && d.Virtual == b.Virtual && d.Replay == b.Replay
}

// newer orders campaign folders by when they were begun, the newest first.
func newer(a, b string) int {
	at := func(dir string) time.Time {
		if st, err := os.Stat(dir); err == nil {
			return st.ModTime()
		}
		return time.Time{}
	}
	return at(b).Compare(at(a))
}

func readFollowed(r profiles.Running) (*followed, error) {
	f := &followed{Running: r}
	var err error
	if f.header, f.rows, err = profiles.Read(r.Dir); err != nil {
		return nil, err
	}
	if f.space, err = f.header.Device.Space(); err != nil {
		return nil, err
	}
	if st, err := os.Stat(filepath.Join(r.Dir, "modes.csv")); err == nil {
		f.newest = st.ModTime()
	}
	return f, nil
}

// takeFollowed folds what was read into the job that the page shows.
func (sh *shared) takeFollowed(f *followed) tea.Cmd {
	if f == nil {
		return nil
	}
	j := sh.follow
	if j == nil || j.follows.Dir != f.Dir || j.done && !f.ended {
		j = &job{kind: jobFollowed, gate: &gate{}}
		sh.follow = j
	}
	j.follows, j.workload, j.planned, j.rows, j.done = f, f.header.Workload, f.header.Plan.Modes, f.rows, f.ended
	if f.ended {
		return tea.Batch(sh.sketchNext(j), sh.findUnfinished())
	}
	return sh.sketchNext(j)
}

// followedHead tells in two lines where another process' campaign stands.
func (p *profilePage) followedHead(j *job, w int) string {
	f := j.follows
	on := f.header.Device.Name
	if f.header.Device.Replay != "" {
		on += " REPLAY"
	} else if f.header.Device.Virtual {
		on += " VIRTUAL"
	}
	count := figures.Count(len(j.rows), "mode")
	if j.planned > 0 {
		count = fmt.Sprintf("%d of %d modes", len(j.rows), j.planned)
	}
	what := fmt.Sprintf(" following jtune %d: %s %s on %s", f.PID, f.header.Plan.Kind, j.workload.Name, on)
	first := cut(what, w-width(count)-1) + " " + count
	state, left := styleBold.Render("running")+", read only", ""
	switch {
	case j.done && j.planned > 0 && len(j.rows) >= j.planned:
		state = styleBold.Render("finished") + ": " + filepath.Base(f.Dir)
	case j.done:
		state = styleBold.Render("ended") + " or cut off: that jtune has let go of " + filepath.Base(f.Dir)
	default:
		if !f.newest.IsZero() && len(j.rows) > 0 {
			state += ", newest mode " + ago(p.sh.now().Sub(f.newest))
		}
		if lo, hi := profiles.Remaining(j.rows, j.planned-len(j.rows)); hi > 0 {
			left = fmt.Sprintf("%.0f–%.0f min left", lo.Minutes(), hi.Minutes())
		}
	}
	return under(styleBold.Render(first), ends(" "+state, left, w))
}
