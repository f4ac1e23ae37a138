package tui

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
)

// noticeFor is how long a notice stays in its line.
const noticeFor = 20 * time.Second

// View is tea.Model's. The frame is drawn once per change.
func (r *root) View() tea.View {
	if r.frame == "" {
		r.frame = r.draw()
	}
	v := tea.NewView(r.frame)
	v.AltScreen = true
	v.WindowTitle = "jtune " + r.sh.board.Name
	if r.sh.mouse {
		v.MouseMode = tea.MouseModeCellMotion
	}
	return v
}

// draw makes the whole screen: first line, page with what lies over it, a
// line for news while there is some, last line.
func (r *root) draw() string {
	w, h := min(r.w, 500), min(r.h, 200)
	if w <= 0 || h <= 0 {
		return ""
	}
	text := ""
	if w < minW || h < minH {
		text = r.tiny(w, h)
	} else {
		news := r.newsLines(w, h)
		body := h - 2
		if news != "" {
			body -= 1 + strings.Count(news, "\n")
		}
		strip := ""
		if r.active == pageLive && body > minH {
			strip = r.sh.welcome(w)
		}
		if strip != "" {
			body--
		}
		page := fit(r.overlay(r.pages[r.active].Render(w, body), w, body), w, body)
		text = under(r.tabs(w), strip, page, news, r.footer(w))
	}
	if r.sh.sixteen {
		text = toSixteen.Replace(text)
	}
	return r.sh.glyphs.redraw(text)
}

// tiny says what matters where there is hardly any room.
func (r *root) tiny(w, h int) string {
	read := r.sh.sample.Reading
	lines := []string{num(read.TotalW, 1) + " W", r.sh.badge(), "enlarge", "me"}
	if m := r.sh.present(); m.OK {
		lines[2], lines[3] = r.sh.mode(m.V), "throttled "+yesNo(read.Throttled)
	}
	return fit(strings.Join(lines, "\n"), w, h)
}

// tabs is the first line: pages, board, badge. In a narrow window the other
// pages shrink to their digits; the badge always stays.
func (r *root) tabs(w int) string {
	badge := r.sh.badge()
	for _, style := range []struct{ names, board bool }{{true, true}, {true, false}, {false, true}, {false, false}} {
		var b strings.Builder
		for i, p := range r.pages {
			text := fmt.Sprintf("%d", i+1)
			if style.names || i == r.active {
				text += " " + p.title()
			}
			if i == r.active {
				b.WriteString(styleTabOn.Render(" " + text + " "))
			} else {
				b.WriteString(styleTab.Render(" " + text + " "))
			}
		}
		tail := styleBadge.Render(badge)
		if style.board {
			tail = styleBold.Render(r.sh.board.Name) + "  " + tail
		}
		if width(b.String())+width(tail)+1 <= w {
			return ends(b.String(), tail, w)
		}
	}
	return ends(styleTabOn.Render(fmt.Sprintf(" %d %s ", r.active+1, r.pages[r.active].title())), styleBadge.Render(badge), w)
}

// newsRows is how many lines a notice may take where there is room: errors say
// what to do at their end.
const newsRows = 3

// newsLines is the question that must be answered now, else the last notice.
func (r *root) newsLines(w, h int) string {
	if r.asking {
		return cut(styleAsk.Render("quit? "+keys.Yes.Help().Key+" / "+keys.No.Help().Key+"  ")+r.reasonToStay(), w)
	}
	if text := r.apply.banner(); text != "" {
		return cut(text, w)
	}
	if r.sh.frozen {
		return cut(styleAsk.Render("FROZEN")+" "+keys.Freeze.Help().Key+" goes on; reading the board has not stopped", w)
	}
	if r.sh.notice != "" && r.sh.now().Sub(r.sh.noticeAt) < noticeFor {
		lines := []string{r.sh.notice}
		if h >= 20 {
			lines = strings.Split(wrap(r.sh.notice, w-1), "\n")
		}
		if len(lines) > newsRows {
			lines = append(lines[:newsRows-1], strings.Join(lines[newsRows-1:], " "))
		}
		for i, line := range lines {
			lines[i] = cut(" "+line, w)
		}
		return strings.Join(lines, "\n")
	}
	return ""
}

// overlay lays the open dialog over the page.
func (r *root) overlay(page string, w, h int) string {
	switch {
	case r.help:
		return over(page, helpText(r.pages[r.active].title(), r.sh.version, r.pages[r.active].hints(), w, h, r.scroll), w, h)
	case r.tune != nil:
		return over(page, r.tune.Render(w, h), w, h)
	case r.apply.stage == applyAsking:
		return over(page, r.apply.Render(w, h), w, h)
	}
	return page
}

// footer is the last line. Help and quit, and tune while it works, have their
// place in it unless something must be answered first; so has the way out of a
// dialog.
func (r *root) footer(w int) string {
	hints := r.hints()
	n, keep := len(hints), 0
	if n > 2 && hints[n-1].Help().Desc == "quit" && !r.asking {
		if keep = 2; hints[n-3].why == "" {
			keep = 3
		}
	} else if n > 1 && slices.Equal(hints[n-1].Keys(), keys.Back.Keys()) {
		keep = 1
	}
	return footer(hints, keep, w)
}

// hints are the keys that are valid now, for the last line.
func (r *root) hints() []hint {
	switch {
	case r.asking:
		return valid(named(keys.Yes, "quit"), named(keys.No, "stay"))
	case r.help:
		return valid(both(keys.Up, keys.Down, "scroll"), named(keys.Back, "close"))
	case r.tune != nil:
		return r.tune.hints()
	case r.apply.stage == applyAsking:
		return valid(named(keys.Apply, "apply it"), named(keys.Back, "leave"))
	case r.apply.stage == applyKeeping:
		return append(valid(named(keys.Yes, "keep"), named(keys.No, "revert")), r.pages[r.active].hints()...)
	}
	if t, ok := r.pages[r.active].(interface{ typing() bool }); ok && t.typing() {
		return r.pages[r.active].hints()
	}
	own, most := r.pages[r.active].hints(), 5
	if r.sh.narrow {
		most = 2
	}
	tail := []hint{unless(keys.Tune, r.mayTune()), {Binding: keys.Help}, {Binding: keys.Quit}}
	if r.sh.dev.undoable > 0 || r.sh.dev.boot != nil {
		tail = append([]hint{{Binding: keys.Undo}}, tail...)
	}
	return append(own[:min(len(own), most):min(len(own), most)], tail...)
}

// pulseMsg comes once a second of a virtual board at full speed.
type pulseMsg struct{}

// pulse moves a virtual board's clock at full speed while no job does: it
// stands still while nobody sleeps on it. Other clocks need none.
func (r *root) pulse() tea.Cmd {
	sh := r.sh
	if sh.rate == nil || r.pulsing || sh.busy() || !math.IsInf(sh.rate.Speed(), 1) {
		return nil
	}
	r.pulsing = true
	return func() tea.Msg {
		pauseFor(sh.ctx, time.Second)
		_ = sh.clock.Sleep(sh.ctx, time.Second)
		return pulseMsg{}
	}
}
