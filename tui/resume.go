package tui

import (
	"path/filepath"
	"slices"

	tea "charm.land/bubbletea/v2"

	"jtune/optimize"
	"jtune/profiles"
)

// unfinished is a mapping of this board that was cut off: by the user, a lost
// terminal, or worse. Its rows are on disk and it can go on.
type unfinished struct {
	dir      string
	workload profiles.Workload
	rows     []profiles.Row
	of       int
}

// unfinishedMsg brings the newest one; nil when there is none.
type unfinishedMsg struct{ found *unfinished }

// findUnfinished looks through the campaign folders, the newest first: their
// names begin with the time.
func (sh *shared) findUnfinished() tea.Cmd {
	dataDir, b, running := sh.DataDir(), sh.board, sh.running
	return func() tea.Msg {
		dirs, _ := filepath.Glob(filepath.Join(dataDir, "campaigns", "*"))
		slices.Sort(dirs)
		var held []profiles.Running
		if running != nil {
			held = running()
		}
		for _, dir := range slices.Backward(dirs) {
			if slices.ContainsFunc(held, func(r profiles.Running) bool { return r.Dir == dir }) {
				continue // another jtune is at it
			}
			h, rows, err := profiles.Read(dir)
			if err != nil || h.Plan.Kind != "modes" || len(rows) == 0 || len(rows) >= h.Plan.Modes {
				continue
			}
			if sameBoard(h.Device, b) {
				return unfinishedMsg{&unfinished{dir, h.Workload, rows, h.Plan.Modes}}
			}
		}
		return unfinishedMsg{}
	}
}

// resume goes on with a mapping where it was cut off and then answers for the
// limit in force.
func (sh *shared) resume(u *unfinished, l optimize.Limit) tea.Cmd {
	j := &job{kind: jobFront, workload: u.workload, limit: l, planned: u.of + 1, rows: slices.Clone(u.rows)}
	f := frontJob{h: sh.host, j: j, space: sh.space, seed: sh.seed, board: sh.board, dir: u.dir, modes: u.of}
	return sh.withGuard(func() tea.Cmd { return sh.launch(j, true, f.run) })
}
