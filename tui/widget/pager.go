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
	found  int // line of the last match
	top    int
	room   int // rows of the last drawing
}

func (p *Pager) last() int { return max(0, len(p.Lines)-max(1, p.room)) }

// Key handles a key; it reports whether the pager uses it.
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

// show scrolls to a match unless it is visible.
func (p *Pager) show(at int) {
	if p.found = at; at < p.top || at >= p.top+p.room {
		p.top = max(0, min(at, p.last()))
	}
}

// Paste handles text pasted into the search.
func (p *Pager) Paste(m tea.PasteMsg) {
	if p.search.Typing() {
		p.show(p.search.Paste(m, p.found, len(p.Lines), p.line))
	}
}

// Typing reports whether a search is typed, so that all keys go to the pager.
func (p *Pager) Typing() bool { return p.search.Typing() }

// Hints lists the keys that work now.
func (p *Pager) Hints() []Action {
	if p.search.On() {
		return p.search.Hints(p.Keys)
	}
	return []Action{p.Keys.Up.With(p.Keys.Down, "scroll"), p.Keys.Search.As("search")}
}

// Note shows the search, otherwise whether there is more below.
func (p *Pager) Note() string {
	if note := p.search.Note(); note != "" {
		return note
	}
	if p.top < p.last() {
		return fmt.Sprintf("↓ more, %d of %d lines", min(len(p.Lines), p.top+p.room), len(p.Lines))
	}
	return ""
}

// Render draws the lines from the top line on.
func (p *Pager) Render(w, h int) string {
	p.room = max(h, 0)
	p.top = min(p.top, p.last())
	var out []string
	for _, line := range p.Lines[p.top:min(len(p.Lines), p.top+p.room)] {
		out = append(out, Cut(p.search.mark(line), w))
	}
	return Fit(strings.Join(out, "\n"), w, p.room)
}
