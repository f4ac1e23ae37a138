package tui

import (
	"strings"
	"time"

	"jtune/tui/page"
	"jtune/tui/widget"
)

const (
	noticeFor   = 6 * time.Second // how long a notice is shown
	mostNotices = 500             // in the log
	noticeRows  = 3               // lines of a notice if there is room: errors end with what to do
)

// notice is one line about an event.
type notice struct {
	at   time.Time
	text string
}

// notices is the log, and the notice that is shown until it is old or no longer true.
type notices struct {
	list  []notice // oldest first
	shown notice
}

func (n *notices) say(at time.Time, text string) {
	n.log(at, text)
	n.shown = n.list[len(n.list)-1]
}

// log records a text without showing it, such as the end of a task while the next one runs.
func (n *notices) log(at time.Time, text string) {
	n.list = append(n.list, notice{at, page.Words(text)})
	n.list = n.list[max(0, len(n.list)-mostNotices):]
}

// hush hides the shown notice: it is no longer true.
func (n *notices) hush() { n.shown = notice{} }

// showing returns the notice to show now; its text is "" if there is none.
func (n *notices) showing(now time.Time) notice {
	if now.Sub(n.shown.at) < noticeFor {
		return n.shown
	}
	return notice{}
}

const clockFormat = "15:04:05"

// lines renders a notice in a window of w×h cells, without its time if narrow.
func (n notice) lines(w, h int, narrow bool) string {
	text := n.text
	if !narrow {
		text = n.at.Format(clockFormat) + " " + text
	}
	rows := 1
	if h >= 20 {
		rows = noticeRows
	}
	return " " + strings.ReplaceAll(wrapped(text, w-1, rows), "\n", "\n ")
}

// wrapped breaks a text into at most rows lines of w cells; the last is cut.
func wrapped(text string, w, rows int) string {
	lines := strings.Split(widget.Wrap(text, w), "\n")
	if len(lines) > rows {
		lines = append(lines[:rows-1], strings.Join(lines[rows-1:], " "))
	}
	for i, line := range lines {
		lines[i] = widget.Cut(line, w)
	}
	return strings.Join(lines, "\n")
}

// logText lists the notices, newest first, and the program's own cost in w columns.
func (r *root) logText(w int) (out []string) {
	n, indent := &r.sh.notices, strings.Repeat(" ", len(clockFormat)+1)
	if len(n.list) == 0 {
		out = []string{"no messages yet"}
	}
	for i := len(n.list) - 1; i >= 0; i-- {
		head := widget.StyleDim.Render(n.list[i].at.Format(clockFormat)) + " "
		for line := range strings.SplitSeq(widget.Wrap(n.list[i].text, w-len(indent)), "\n") {
			out, head = append(out, head+line), indent
		}
	}
	return append(out, page.OwnCost(r.sh.Readings.Cost, w))
}
