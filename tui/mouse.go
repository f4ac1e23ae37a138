package tui

import (
	tea "charm.land/bubbletea/v2"
)

// mousePage is a page that the mouse means something to, where the user has
// switched it on. Cells are the page's own; false gives the event back.
type mousePage interface {
	click(x, y int) bool
	wheel(x, y, by int) bool // by +1 down, -1 up
}

// underMouse is the page if nothing lies over it; nil for one that knows no
// mouse.
func (r *root) underMouse() mousePage {
	if r.asking || r.help || r.tune != nil || r.apply.stage == applyAsking {
		return nil
	}
	p, _ := r.pages[r.active].(mousePage)
	return p
}

func (r *root) click(m tea.MouseClickMsg) {
	if p := r.underMouse(); p != nil && m.Button == tea.MouseLeft {
		p.click(m.X, m.Y-1)
	}
}

// wheel is the arrow keys, unless the page has a use for it.
func (r *root) wheel(m tea.MouseWheelMsg) tea.Cmd {
	code, by := tea.KeyDown, 1
	if m.Button == tea.MouseWheelUp {
		code, by = tea.KeyUp, -1
	}
	if p := r.underMouse(); p != nil && p.wheel(m.X, m.Y-1, by) {
		return nil
	}
	return r.key(tea.KeyPressMsg{Code: code})
}
