package widget

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"
)

// Pager shows lines and scrolls through them.
type Pager struct {
	Keys   ListKeys
	Lines  []string
	search Search
	found  int // the line that the search is at
	top    int
	room   int // rows, as drawn
}

func (p *Pager) last() int { return max(0, len(p.Lines)-max(1, p.room)) }

// Key takes a key that means something here.
func (p *Pager) Key(k tea.KeyPressMsg) bool {
	if !p.search.On() {
		p.found = p.top
	}
	if at, taken := p.search.Key(k, p.Keys, p.found, len(p.Lines), p.line); taken {
		p.show(at)
		return true
	}
	top, walked := p.Keys.Step(k, p.top, max(1, p.room-1), p.last())
	if walked {
		p.top = top
	}
	return walked
}

func (p *Pager) line(i int) string { return p.Lines[i] }

// show scrolls to a line that was found; one that shows already stays where it is.
func (p *Pager) show(at int) {
	if p.found = at; at < p.top || at >= p.top+p.room {
		p.top = max(0, min(at, p.last()))
	}
}

// Paste takes what the terminal pastes while a search is typed.
func (p *Pager) Paste(m tea.PasteMsg) {
	if p.search.Typing() {
		p.show(p.search.Paste(m, p.found, len(p.Lines), p.line))
	}
}

// Typing reports whether a search is being typed: all keys are the pager's.
func (p *Pager) Typing() bool { return p.search.Typing() }

// Hints lists the keys that work now, for the last line.
func (p *Pager) Hints() []Action {
	if p.search.On() {
		return p.search.Hints(p.Keys)
	}
	return []Action{p.Keys.Up.With(p.Keys.Down, "scroll"), p.Keys.Search.As("search")}
}

// Note says what is searched for, else that there is more below.
func (p *Pager) Note() string {
	if note := p.search.Note(); note != "" {
		return note
	}
	if p.top < p.last() {
		return fmt.Sprintf("↓ more, %d of %d lines", min(len(p.Lines), p.top+p.room), len(p.Lines))
	}
	return ""
}

// Render draws the lines from the top one on.
func (p *Pager) Render(w, h int) string {
	p.room = max(h, 0)
	p.top = min(p.top, p.last())
	var out []string
	for _, line := range p.Lines[p.top:min(len(p.Lines), p.top+p.room)] {
		out = append(out, Cut(p.search.Mark(line), w))
	}
	return Fit(strings.Join(out, "\n"), w, p.room)
}
