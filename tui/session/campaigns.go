package session

import (
	"path/filepath"
	"slices"
	"time"

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
	Find  func(name string) (workload.Workload, error) // the user's own or built-in workload
	// Running lists the campaigns that other processes run; nil: not looked for.
	Running func() []record.Running
}

// Campaigns are those of this session's board and data directory.
func (s *Session) Campaigns() Campaigns {
	return Campaigns{s.campaignsDir(), s.Device.Board(), s.findWorkload, s.finder.Running}
}

// Interrupted is a campaign over the whole front that ended early: its rows are
// on disk and it can go on.
type Interrupted struct {
	Dir      string
	Workload workload.Workload // the user's own: a folder never decides what is run
	Rows     []record.Row
	Of       int
}

// Interrupted finds the newest such campaign of this board that nobody runs now
// and whose workload is known; nil when there is none.
func (c Campaigns) Interrupted() *Interrupted {
	list, _ := campaignsIn(c.Dir)
	held := c.running()
	for _, at := range slices.Backward(list) {
		dir, h, rows := at.Dir, at.Header, at.Rows
		if slices.ContainsFunc(held, func(r record.Running) bool { return r.Dir == dir }) {
			continue
		}
		if at.Err != nil || h.Plan.Kind != "modes" || len(rows) == 0 || len(rows) >= h.Plan.Modes || !c.here(h.Device) {
			continue
		}
		if w, err := c.Find(h.Workload.Name); err == nil {
			w.Batch = h.Workload.Batch
			return &Interrupted{dir, w, rows, h.Plan.Modes}
		}
	}
	return nil
}

// Task goes on with the campaign and then answers for a limit.
func (u *Interrupted) Task(l optimize.Limit) *Task {
	t := TuneTask(TuneRequest{Measuring: Measuring{Workload: u.Workload, Dir: u.Dir, Resume: true}, Limit: l,
		Coverage: CoverFront, Probes: u.Of})
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
