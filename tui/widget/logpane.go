package widget

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"
)

// MaxLogLines is how many lines a log pane keeps.
const MaxLogLines = 5000

// LogKeys are the keys of a log pane.
type LogKeys struct {
	ListKeys
	Filter, Enter, Back Action
}

// LogPane shows the lines that a job says as they come: it follows the newest,
// scrolls back, and keeps to the lines that hold a text.
type LogPane struct {
	Keys   LogKeys
	Lines  []string
	kept   []int // of lines, by index: those that hold the filter's text
	top    int   // of kept, when not following
	free   bool  // scrolled away from the newest
	filter string
	input  *Input // the filter while it is typed; nil: it is not
	room   int    // rows, as drawn
}

// Add takes new lines.
func (l *LogPane) Add(lines ...string) {
	for _, line := range lines {
		l.Lines = append(l.Lines, line)
		if l.holds(line) {
			l.kept = append(l.kept, len(l.Lines)-1)
		}
	}
	if extra := len(l.Lines) - MaxLogLines; extra > 0 {
		l.Lines = l.Lines[extra:]
		l.sift()
		l.top = max(0, l.top-extra)
	}
}

func (l *LogPane) holds(line string) bool {
	return l.filter == "" || strings.Contains(strings.ToLower(line), strings.ToLower(l.filter))
}

// sift finds the kept lines again.
func (l *LogPane) sift() {
	l.kept = l.kept[:0]
	for i, line := range l.Lines {
		if l.holds(line) {
			l.kept = append(l.kept, i)
		}
	}
}

func (l *LogPane) last() int { return max(0, len(l.kept)-max(1, l.room)) }

// Key takes a key that means something here.
func (l *LogPane) Key(k tea.KeyPressMsg) bool {
	if l.Typing() {
		l.typeFilter(k)
		return true
	}
	if !l.free {
		l.top = l.last()
	}
	top, walked := l.Keys.Step(k, l.top, max(1, l.room-1), l.last())
	switch {
	case walked:
		l.top, l.free = top, top < l.last()
	case l.Keys.Filter.Matches(k):
		l.input = NewInput(l.filter, "", MostFilter)
	case l.Keys.Back.Matches(k) && l.filter != "":
		l.setFilter("")
	default:
		return false
	}
	return true
}

// Typing reports whether the filter is being typed: all keys are the pane's.
func (l *LogPane) Typing() bool { return l.input != nil }

// Paste takes what the terminal pastes, while the filter is typed.
func (l *LogPane) Paste(m tea.PasteMsg) {
	if l.Typing() {
		l.input.Update(m)
	}
}

func (l *LogPane) typeFilter(k tea.KeyPressMsg) {
	switch {
	case l.Keys.Enter.Matches(k):
		l.setFilter(l.input.Value())
		l.input = nil
	case l.Keys.Back.Matches(k):
		l.input = nil
	default:
		l.input.Update(k)
	}
}

func (l *LogPane) setFilter(text string) {
	l.filter, l.free, l.top = text, false, 0
	l.sift()
}

// Hints lists the keys that work now, for the last line.
func (l *LogPane) Hints() []Action {
	if l.Typing() {
		return []Action{l.Keys.Enter.As("keep lines with it"), l.Keys.Back.As("leave it")}
	}
	return []Action{
		l.Keys.Up.With(l.Keys.Down, "scroll"),
		l.Keys.End.As("newest"),
		l.Keys.Home.As("oldest"),
		l.Keys.Filter.As("search"),
	}
}

// Note says what is shown of how much.
func (l *LogPane) Note() string {
	switch {
	case l.Typing():
		return "search " + l.input.Render("_")
	case l.filter != "":
		return fmt.Sprintf("%d of %d lines with %q", len(l.kept), len(l.Lines), l.filter)
	case l.free:
		return fmt.Sprintf("line %d of %d", l.top+1, len(l.Lines))
	}
	return "follows"
}

// Render draws the pane.
func (l *LogPane) Render(w, h int) string {
	h = max(h, 0)
	l.room = h
	if l.free = l.free && l.top < l.last(); !l.free {
		l.top = l.last()
	}
	top := l.top
	var out []string
	for _, i := range l.kept[top:min(len(l.kept), top+h)] {
		out = append(out, Cut(l.Lines[i], w))
	}
	switch {
	case len(out) > 0:
	case l.filter != "":
		out = []string{StyleDim.Render("no line holds that")}
	default:
		out = []string{StyleDim.Render("the job has said nothing yet")}
	}
	return Fit(strings.Join(out, "\n"), w, h)
}
