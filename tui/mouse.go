package tui

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"jtune/tui/page"
	"jtune/tui/page/dialog"
	"jtune/tui/widget"
)

// underMouse returns the page unless an overlay covers it; nil if it does not handle the mouse.
func (r *root) underMouse() page.Mouser {
	if r.asks != nil || r.top() != nil || r.apply.Stage() == dialog.Asking {
		return nil
	}
	p, _ := r.shown().(page.Mouser)
	return p
}

// click opens the page of a clicked tab, presses the key of a clicked hint, or passes the click to the page.
func (r *root) click(m tea.MouseClickMsg) tea.Cmd {
	if r.tour != nil || m.Button != tea.MouseLeft {
		return nil
	}
	if m.Y == r.h-1 && r.w >= minW && r.h >= minH {
		hints, keep := r.footerHints()
		if a, ok := widget.FooterAt(hints, keep, r.w, m.X); ok {
			return r.key(a.Pressed())
		}
		return nil
	}
	if tab, ok := r.tabAt(m.X); ok && m.Y == 0 && r.asks == nil {
		r.turn(tab)
		return nil
	}
	if p := r.underMouse(); p != nil {
		p.Click(m.X, m.Y-1)
	}
	return nil
}

// wheel scrolls the page, or presses the arrow keys if the page does not handle the wheel.
func (r *root) wheel(m tea.MouseWheelMsg) tea.Cmd {
	if r.tour != nil {
		return nil
	}
	code, by := tea.KeyDown, 1
	if m.Button == tea.MouseWheelUp {
		code, by = tea.KeyUp, -1
	}
	if p := r.underMouse(); p != nil && p.Wheel(m.X, m.Y-1, by) {
		return nil
	}
	return r.key(tea.KeyPressMsg{Code: code})
}

// tabAt returns the tab drawn in column x of the first line.
func (r *root) tabAt(x int) (tab int, ok bool) {
	line := " " + ansi.Strip(r.tabs(r.w)) // the first tab may start at the edge
	if x < 0 || x >= ansi.StringWidth(line)-1 {
		return 0, false
	}
	for i, p := range r.pages {
		// Everything before the board's name is ASCII.
		at := strings.Index(line, fmt.Sprintf(" %d ", i+1)) - 1
		if at >= -1 && x >= at && x < at+len(fmt.Sprintf(" %d %s ", i+1, p.Name().Title())) {
			tab, ok = i, true // a later tab starts within the room of one that is only a digit
		}
	}
	return tab, ok
}
