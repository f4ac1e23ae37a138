package widget

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"
)

// MaxLogLines is the maximum number of lines of a log pane.
const MaxLogLines = 5000

// LogPane shows a job's output as it arrives. It follows the newest line until the user scrolls back.
type LogPane struct {
	Pager
	free bool // scrolled back
}

// Add appends lines.
func (l *LogPane) Add(lines ...string) {
	l.Lines = append(l.Lines, lines...)
	if extra := len(l.Lines) - MaxLogLines; extra > 0 {
		l.Lines = l.Lines[extra:]
		l.top, l.found = max(0, l.top-extra), max(0, l.found-extra)
	}
}

// Key handles a key; it reports whether the pane uses it.
func (l *LogPane) Key(k tea.KeyPressMsg) bool {
	if !l.free {
		l.top = l.last()
	}
	taken := l.Pager.Key(k)
	if taken {
		l.free = l.top < l.last()
	}
	return taken
}

// Hints lists the keys that work now.
func (l *LogPane) Hints() []Action {
	if l.search.On() {
		return l.search.Hints(l.Keys)
	}
	return []Action{
		l.Keys.Up.With(l.Keys.Down, "scroll"),
		l.Keys.End.As("newest"),
		l.Keys.Home.As("oldest"),
		l.Keys.Search.As("search"),
	}
}

// Note says which part is shown.
func (l *LogPane) Note() string {
	switch note := l.search.Note(); {
	case note != "":
		return note
	case l.free:
		return fmt.Sprintf("line %d of %d", l.top+1, len(l.Lines))
	}
	return "follows"
}

// Render draws the pane.
func (l *LogPane) Render(w, h int) string {
	if l.room = max(h, 0); !l.free || l.top >= l.last() {
		l.free, l.top = false, l.last()
	}
	if len(l.Lines) == 0 {
		return Fit(StyleDim.Render("the job has printed nothing yet"), w, l.room)
	}
	if !l.free && l.search.Note() == "" {
		return Fit(l.newest(w), w, l.room)
	}
	return l.Pager.Render(w, h)
}

// newest returns the last lines, wrapped to the pane's width.
func (l *LogPane) newest(w int) string {
	var rows []string
	for i := len(l.Lines) - 1; i >= 0 && len(rows) < l.room; i-- {
		rows = append(strings.Split(Wrap(l.Lines[i], w), "\n"), rows...)
	}
	return strings.Join(rows[max(0, len(rows)-l.room):], "\n")
}
