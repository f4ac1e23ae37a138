package tui

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"strings"
	"unicode"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
)

const (
	maxLogLines = 5000
	maxLogLine  = 500     // columns kept of a line
	maxLogRead  = 1 << 18 // bytes taken at a time
)

// logPane shows the lines that a job says as they come: it follows the newest,
// scrolls back, and keeps to the lines that hold a text.
type logPane struct {
	lines  []string
	kept   []int // of lines, by index: those that hold the filter's text
	top    int   // of kept, when not following
	free   bool  // scrolled away from the newest
	filter string
	typed  string
	typing bool
	room   int // rows, as drawn
}

func (l *logPane) add(lines ...string) {
	for _, line := range lines {
		l.lines = append(l.lines, line)
		if l.holds(line) {
			l.kept = append(l.kept, len(l.lines)-1)
		}
	}
	if extra := len(l.lines) - maxLogLines; extra > 0 {
		l.lines = l.lines[extra:]
		l.sift()
		l.top = max(0, l.top-extra)
	}
}

func (l *logPane) holds(line string) bool {
	return l.filter == "" || strings.Contains(strings.ToLower(line), strings.ToLower(l.filter))
}

// sift finds the kept lines again.
func (l *logPane) sift() {
	l.kept = l.kept[:0]
	for i, line := range l.lines {
		if l.holds(line) {
			l.kept = append(l.kept, i)
		}
	}
}

func (l *logPane) last() int { return max(0, len(l.kept)-max(1, l.room)) }

// key takes a key that means something here.
func (l *logPane) key(k tea.KeyPressMsg) bool {
	if l.typing {
		l.typeFilter(k)
		return true
	}
	if !l.free {
		l.top = l.last()
	}
	switch {
	case key.Matches(k, keys.Up):
		l.top--
	case key.Matches(k, keys.Down):
		l.top++
	case key.Matches(k, keys.PageUp):
		l.top -= max(1, l.room-1)
	case key.Matches(k, keys.PageDown):
		l.top += max(1, l.room-1)
	case key.Matches(k, keys.Home):
		l.top = 0
	case key.Matches(k, keys.End):
		l.top = l.last()
	case key.Matches(k, keys.Filter):
		l.typing, l.typed = true, l.filter
	case key.Matches(k, keys.Back) && l.filter != "":
		l.setFilter("")
		return true
	default:
		return false
	}
	l.top = min(max(0, l.top), l.last())
	l.free = l.top < l.last()
	return true
}

func (l *logPane) typeFilter(k tea.KeyPressMsg) {
	switch {
	case key.Matches(k, keys.Enter):
		l.typing = false
		l.setFilter(l.typed)
	case key.Matches(k, keys.Back):
		l.typing = false
	default:
		l.typed = edited(l.typed, k)
	}
}

func (l *logPane) setFilter(text string) {
	l.filter, l.free, l.top = text, false, 0
	l.sift()
}

func (l *logPane) hints() []hint {
	if l.typing {
		return valid(named(keys.Enter, "keep lines with it"), named(keys.Back, "leave it"))
	}
	return valid(both(keys.Up, keys.Down, "scroll"), named(keys.End, "newest"), named(keys.Home, "oldest"), named(keys.Filter, "search"))
}

// note says what is shown of how much.
func (l *logPane) note() string {
	switch {
	case l.typing:
		return "search " + l.typed + "_"
	case l.filter != "":
		return fmt.Sprintf("%d of %d lines with %q", len(l.kept), len(l.lines), l.filter)
	case l.free:
		return fmt.Sprintf("line %d of %d", l.top+1, len(l.lines))
	}
	return "follows"
}

// Render draws the pane.
func (l *logPane) Render(w, h int) string {
	h = max(h, 0)
	l.room = h
	if l.free = l.free && l.top < l.last(); !l.free {
		l.top = l.last()
	}
	top := l.top
	var out []string
	for _, i := range l.kept[top:min(len(l.kept), top+h)] {
		out = append(out, cut(l.lines[i], w))
	}
	switch {
	case len(out) > 0:
	case l.filter != "":
		out = []string{styleDim.Render("no line holds that")}
	default:
		out = []string{styleDim.Render("the job has said nothing yet")}
	}
	return fit(strings.Join(out, "\n"), w, h)
}

// tail reads what a file has grown by.
type tail struct {
	path string
	at   int64
	rest []byte // a line whose end has not come
	more bool   // it has grown by more than was read
}

// next gives the new lines, fit to be shown. A file that is not there has none.
func (t *tail) next() []string {
	t.more = false
	f, err := os.Open(t.path)
	if err != nil {
		return nil
	}
	defer f.Close()
	text, err := io.ReadAll(io.NewSectionReader(f, t.at, maxLogRead))
	t.more = len(text) == maxLogRead
	if err != nil || len(text) == 0 {
		return nil
	}
	t.at += int64(len(text))
	text = append(t.rest, text...)
	end := bytes.LastIndexByte(text, '\n') + 1
	if t.rest = bytes.Clone(text[end:]); len(t.rest) > maxLogRead {
		t.rest = nil
	}
	var out []string
	for line := range strings.Lines(string(text[:end])) {
		out = append(out, printable(line))
	}
	return out
}

// printable is a line as a terminal would leave it: what a progress bar wrote
// over is gone, colours and other controls too.
func printable(line string) string {
	line = strings.TrimRight(ansi.Strip(strings.ToValidUTF8(line, "?")), "\r\n")
	if i := strings.LastIndexByte(line, '\r'); i >= 0 {
		line = line[i+1:]
	}
	line = strings.Map(func(r rune) rune {
		switch {
		case r == '\t':
			return ' '
		case !unicode.IsPrint(r):
			return -1
		}
		return r
	}, line)
	return ansi.Truncate(line, maxLogLine, "…")
}
