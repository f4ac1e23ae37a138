package tui

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"jtune/tui/page"
	"jtune/tui/page/dialog"
	"jtune/tui/widget"
)

// View implements tea.Model. A frame is drawn once per change.
func (r *root) View() tea.View {
	if r.frame == "" {
		r.frame = r.draw()
	}
	v := tea.NewView(r.frame)
	v.AltScreen = true
	v.WindowTitle = "jtune " + r.sh.Device.Board.Name
	if r.sh.mouse {
		v.MouseMode = tea.MouseModeCellMotion
	}
	return v
}

// draw renders the whole screen: tabs, page with its overlay, the line for messages if there is one, footer.
func (r *root) draw() string {
	w, h := min(r.w, 500), min(r.h, 200)
	if w <= 0 || h <= 0 {
		return ""
	}
	text := ""
	if w < minW || h < minH {
		text = r.tiny(w, h)
	} else {
		notice := r.noticeLines(w, h)
		body := h - 2
		if notice != "" {
			body -= 1 + strings.Count(notice, "\n")
		}
		strip := ""
		if r.boards != nil && !r.pressed && body > minH {
			strip = dialog.Boards(r.sh.Keys, r.boards, w)
		} else if r.sh.introduced != nil && r.sh.Look.Shown == page.Live && body > minH {
			strip = dialog.Welcome(r.sh.Keys, w)
		}
		if r.tour != nil {
			strip = r.tour.caption(w)
		}
		if strip != "" {
			body--
		}
		middle := widget.Fit(r.overlay(r.shown().Render(w, body), w, body), w, body)
		hints, keep := r.footerHints()
		text = widget.Under(r.tabs(w), strip, middle, notice, widget.Footer(hints, keep, w))
	}
	return r.sh.Look.Glyphs.Redraw(r.sh.paint.Replace(text))
}

// tiny renders the essentials when there is hardly any room.
func (r *root) tiny(w, h int) string {
	read := r.sh.Readings.Sample.Reading
	board := strings.TrimSpace(r.sh.pane + " " + r.sh.Device.Board.Name + " " + r.sh.badge(true))
	lines := []string{page.Num(read.TotalW, 1) + " W", board, "enlarge", "me"}
	if m := r.sh.read.Present(); m.OK {
		lines[2], lines[3] = r.sh.Device.Space.Format(m.V), "throttled "+page.YesNo(read.Throttled)
	}
	return widget.Fit(strings.Join(lines, "\n"), w, h)
}

// tabs renders the first line: pages, board, badge. In a narrow window the other pages shrink to their digits, then the
// clock's rate is dropped, then the other pages; board and badge stay.
func (r *root) tabs(w int) string {
	tail := ""
	for _, style := range []struct{ names, tight, alone, brief bool }{{names: true}, {names: true, tight: true}, {},
		{tight: true}, {tight: true, brief: true}, {tight: true, alone: true, brief: true}} {
		var b strings.Builder
		for i, p := range r.pages {
			if style.alone && i != r.active {
				continue
			}
			text := fmt.Sprintf("%d", i+1)
			if style.names || i == r.active {
				text += " " + p.Name().Title()
			}
			look := widget.StyleTab
			if i == r.active {
				look = widget.StyleTabOn
			}
			if style.tight {
				if b.Len() > 0 {
					b.WriteString(" ")
				}
				b.WriteString(look.Render(text))
			} else {
				b.WriteString(look.Render(" " + text + " "))
			}
		}
		gap := "  "
		if style.tight {
			gap = " "
		}
		board := strings.TrimSpace(r.sh.pane + " " + r.sh.Device.Board.Name)
		tail = widget.StyleBold.Render(board) + gap + widget.StyleBadge.Render(r.sh.badge(style.brief))
		if widget.Width(b.String())+widget.Width(tail)+1 <= w {
			return widget.Ends(b.String(), tail, w)
		}
	}
	return widget.Cut(tail, w)
}

// noticeLines renders the question to answer now, otherwise the newest notice.
func (r *root) noticeLines(w, h int) string {
	keys := r.sh.Keys
	if r.asks != nil {
		ask := r.asks.do + "? " + keys.Yes.Label() + " / " + keys.No.Label()
		text := wrapped(ask+"  "+r.asks.why(), w, max(1, h/3)) // a question about a command is shown in full
		return strings.Replace(text, ask, widget.StyleAsk.Render(ask), 1)
	}
	if text := r.apply.Banner(w, h); text != "" {
		return widget.Fit(text, w, 1+strings.Count(text, "\n"))
	}
	if n := r.sh.notices.showing(r.sh.now()); n.text != "" {
		return n.lines(w, h, r.sh.Look.Narrow)
	}
	if r.sh.Look.Frozen {
		text := " " + keys.Freeze.Label() + " resumes; the board is still being read"
		return widget.Cut(widget.StyleAsk.Render("FROZEN")+text, w)
	}
	return ""
}

// overlay draws the open dialog over the page.
func (r *root) overlay(under string, w, h int) string {
	switch {
	case r.top() != nil:
		return widget.Over(under, r.top().Render(w, h), w, h)
	case r.apply.Stage() == dialog.Asking:
		return widget.Over(under, r.apply.Render(w, h), w, h)
	}
	return under
}

// footerHints returns the hints of the last line; the last keep of them always have room: help and quit, and tune while
// it is available, unless a question is open; in a dialog, its back key.
func (r *root) footerHints() (hints []widget.Action, keep int) {
	hints = r.hints()
	n := len(hints)
	if n > 2 && hints[n-1].ID == r.sh.Keys.Quit.ID {
		if keep = 2; hints[n-3].Why == "" {
			keep = 3
		}
		if n > 3 && hints[n-4].ID == r.sh.Keys.Undo.ID {
			keep = 4
		}
	} else if n > 1 && hints[n-1].ID == r.sh.Keys.Back.ID {
		keep = 1
	}
	return hints, keep
}

// hints returns the keys that are valid now, for the last line.
func (r *root) hints() []widget.Action {
	keys := r.sh.Keys
	switch {
	case r.asks != nil:
		return []widget.Action{keys.Yes.As(r.asks.do), keys.No.As(r.asks.not)}
	case r.top() != nil:
		return r.top().Acts().Hints()
	case r.apply.Stage() == dialog.Asking:
		return r.apply.Acts().Hints()
	case r.apply.Stage() == dialog.Keeping:
		own := r.shown().Acts().Hints()
		return append(append(r.apply.Acts().Hints(), own[:min(len(own), 4)]...), keys.Help, keys.Quit)
	}
	if r.typing() {
		return r.shown().Acts().Hints()
	}
	own, most := r.shown().Acts().Hints(), 5
	if n := len(own); r.sh.Look.Narrow && n > 0 && own[n-1].ID == keys.Back.ID {
		return own // in a dialog its back key comes before all others
	}
	if r.sh.Look.Narrow {
		most = 2
	}
	tail := []widget.Action{keys.Tune.Unless(r.sh.read.MayMeasure()), keys.Help, keys.Quit}
	if slices.ContainsFunc(own, func(a widget.Action) bool { return a.ID == keys.Tune.ID }) {
		tail = tail[1:] // the page has its own tune key
	}
	if r.sh.Applied.Undoable() {
		undo := keys.Undo
		if to := r.sh.read.UndoTo(); to != "" && !r.sh.Look.Narrow {
			undo = undo.As("undo to " + to)
		}
		tail = append([]widget.Action{undo}, tail...)
	}
	return append(own[:min(len(own), most):min(len(own), most)], tail...)
}

// frameEvery is the minimum time between two messages of one stream, and so between two drawings.
const frameEvery = 100 * time.Millisecond

func pauseFor(ctx context.Context, d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-ctx.Done():
	}
}

// pulseMsg arrives once a second on a virtual board at full speed.
type pulseMsg struct{}

func (pulseMsg) tick(r *root) tea.Cmd {
	r.pulsing = false
	return r.pulse()
}

// pulse advances a virtual board's clock at full speed while no task does: that clock only moves while something sleeps
// on it. Other clocks need no pulse.
func (r *root) pulse() tea.Cmd {
	sh := r.sh
	if sh.Device.Rate == nil || r.pulsing || sh.read.Busy() || !math.IsInf(sh.Device.Rate.Speed(), 1) {
		return nil
	}
	r.pulsing = true
	return func() tea.Msg {
		pauseFor(sh.ctx, time.Second)
		_ = sh.Moment.Clock.Sleep(sh.ctx, time.Second)
		return pulseMsg{}
	}
}
