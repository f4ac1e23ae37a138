package session

import (
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"jtune/internal/text"
	"jtune/optimize"
	"jtune/profiles/record"
	"jtune/profiles/workload"
	"jtune/tegra"
)

// Campaigns are the campaign folders that concern one board: those of a data
// directory, and those that other processes run anywhere.
type Campaigns struct {
	Dir   string // of the folders
	Board tegra.Board
	// Own is the user's own or built-in workload that a folder's file means; where they differ,
	// the file's, and how.
	Own func(there workload.Workload) (w workload.Workload, differs string)
	// Running lists the campaigns that other processes run; nil: not looked for.
	Running func() []record.Running
}

// Campaigns are those of this session's board and data directory.
func (s *Session) Campaigns() Campaigns {
	return Campaigns{s.campaignsDir(), s.Device.Board(), s.ownWorkload, s.finder.Running}
}

// Interrupted is a search that ended early: what it measured is on disk, and it can go on.
type Interrupted struct {
	Dir      string
	Workload workload.Workload
	// Differs says what the folder's file runs otherwise than the user's own workload; "" where
	// it is the same. A file alone never decides what is run: the user must see this and agree.
	Differs string
	Rows    []record.Row
	Of      int // modes of a search over the whole front; 0: for one limit
	search  TuneRequest
}

func (u *Interrupted) String() string {
	if u.Of > 0 {
		return fmt.Sprintf("front search of %s, %d of %d modes measured", u.Workload.Name, len(u.Rows), u.Of)
	}
	return fmt.Sprintf("search of %s (%s), %s measured", u.Workload.Name, u.search.Limit,
		text.Count(len(u.Rows), "mode"))
}

// Interrupted finds the newest such search of this board that nobody runs now; nil when there is
// none. One for a limit goes on in a new campaign:
// a later search of its workload has taken its place.
func (c Campaigns) Interrupted() *Interrupted {
	list, _ := campaignsIn(c.Dir)
	held := c.running()
	later := map[string]bool{} // searches for a limit, by workload
	for _, at := range slices.Backward(list) {
		kind, name := at.Header.Plan.Kind, at.Header.Workload.Name
		toLimit := kind == tuneKind && at.Header.Search != nil
		if at.Err != nil || len(at.Rows) == 0 || kind != "modes" && !toLimit || !c.here(at.Header.Device) ||
			toLimit && later[name] {
			continue
		}
		if later[name] = later[name] || toLimit; at.State(held) == CampaignInterrupted {
			if u := c.interrupted(at); u != nil {
				return u
			}
		}
	}
	return nil
}

// interrupted is a campaign as a search that can go on; nil where its search is not known here.
func (c Campaigns) interrupted(at Campaign) *Interrupted {
	h := at.Header
	w, differs := c.Own(h.Workload)
	u := &Interrupted{Dir: at.Dir, Workload: w, Differs: differs, Rows: at.Rows,
		search: TuneRequest{Coverage: CoverFront}}
	if h.Search != nil {
		r, err := tuneRequest(h, w)
		if err != nil {
			return nil
		}
		u.search = *r
	}
	u.search.Measuring = Measuring{Workload: w, Batches: h.Plan.Batches, Settings: h.Settings}
	if u.search.Before = (time.Time{}); h.Plan.Kind == "modes" {
		u.Of = h.Plan.Modes
	}
	return u
}

// Task goes on with the search; l is the limit to answer for where it had none. A search
// for one limit begins again from what is known of the workload, its own rows included; one
// that was to start from nothing does that again. trust is the user's answer to Differs.
func (u *Interrupted) Task(l optimize.Limit, trust bool) *Task {
	if u.Differs != "" && !trust {
		panic("session: a folder's workload without the user's word")
	}
	r := u.search
	if r.Limit == (optimize.Limit{}) {
		r.Limit = l
	}
	if u.Of == 0 {
		return TuneTask(r)
	}
	r.Dir, r.Resume, r.Probes, r.Settings = u.Dir, true, u.Of, record.Settings{}
	t := TuneTask(r)
	t.Planned, t.now.Rows = u.Of+1, slices.Clone(u.Rows)
	return t
}

// Failed lists the settings of rows that gave no value, each once.
func Failed(rows []record.Row) []tegra.Setting {
	good := map[tegra.Setting]bool{}
	for _, m := range usable(rows) {
		good[m.Setting] = true
	}
	var out []tegra.Setting
	for _, r := range rows {
		if at := r.Setting; !good[at] && !slices.Contains(out, at) {
			out = append(out, at)
		}
	}
	return out
}

// ModelsChanged is when a model of the data directory was last kept, renamed or deleted;
// zero while there is none.
func (c Campaigns) ModelsChanged() time.Time {
	return modified(filepath.Join(filepath.Dir(c.Dir), modelsKind))
}

func (c Campaigns) running() []record.Running {
	if c.Running == nil {
		return nil
	}
	return c.Running()
}

// here reports whether a campaign measures a board such as this one.
func (c Campaigns) here(d record.DeviceHeader) bool {
	return d.Name == c.Board.Name && d.Virtual == c.Board.Virtual && d.Replay == c.Board.Replay
}
