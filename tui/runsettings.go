package tui

import (
	"fmt"
	"strings"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"jtune/profiles"
)

// Bounds of what may be set for a run.
const (
	mostBatch   = 1024
	mostWorkers = 16
)

// runSettings asks for the minibatch size and the loaders of a run. Another
// minibatch size is another workload: tuning keeps the listed one.
type runSettings struct {
	workload       profiles.Workload
	batch, workers int
	field          int // 0 batch, 1 workers
}

func newRunSettings(w profiles.Workload) *runSettings {
	return &runSettings{workload: w, batch: max(1, w.Batch), workers: w.Workers}
}

// fixed says why a workload's settings cannot be changed here, or "".
func (sh *shared) fixed(w profiles.Workload) string {
	switch {
	case sh.board.Replay != "":
		return "a replay holds one minibatch size"
	case len(w.Command) > 0:
		return "its own command sets them"
	}
	return ""
}

// key takes a key; closed says that the dialog goes, taken that it counts.
func (s *runSettings) key(k tea.KeyPressMsg) (closed, taken bool) {
	switch {
	case key.Matches(k, keys.Back, keys.Quit):
		return true, false
	case key.Matches(k, keys.Enter):
		return true, true
	case key.Matches(k, keys.FieldNext), key.Matches(k, keys.FieldPrev):
		s.field = 1 - s.field
	case key.Matches(k, keys.OptionNext):
		s.turn(true)
	case key.Matches(k, keys.OptionPrev):
		s.turn(false)
	}
	return false, false
}

func (s *runSettings) turn(up bool) {
	switch {
	case s.field == 0 && up:
		s.batch = min(mostBatch, s.batch*2)
	case s.field == 0:
		s.batch = max(1, s.batch/2)
	case up:
		s.workers = min(mostWorkers, s.workers+1)
	default:
		s.workers = max(0, s.workers-1)
	}
}

func (s *runSettings) hints() []hint {
	return valid(named(keys.Enter, "take"), keys.FieldNext, named(keys.OptionNext, "change"), keys.Back)
}

// changed is the workload as set.
func (s *runSettings) changed() profiles.Workload {
	w := s.workload
	w.Batch, w.Workers = s.batch, s.workers
	return w
}

// Render draws the dialog.
func (s *runSettings) Render(w, h int) string {
	var lines []string
	for i, text := range []string{fmt.Sprintf("minibatch  ‹ %d › samples", s.batch), fmt.Sprintf("workers    ‹ %d › loader processes", s.workers)} {
		mark := " "
		if i == s.field {
			mark, text = "▸", styleCursor.Render(text)
		}
		lines = append(lines, mark+text)
	}
	width := min(w, 60)
	note := "For runs on this page. Another minibatch size is another workload: tuning measures the listed one."
	if s.workers == 0 {
		note += " Without workers the training process loads its data itself and waits for it."
	}
	lines = append(lines, "", styleDim.Render(wrap(note, width-4)))
	text := strings.Join(lines, "\n")
	return box("Settings of "+s.workload.Name, "", text, width, min(h, strings.Count(text, "\n")+3))
}
