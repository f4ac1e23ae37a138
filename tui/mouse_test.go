package tui

import (
	"fmt"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"jtune/internal/must"
)

func TestTabsOpenTheirPageByAClick(t *testing.T) {
	t.Parallel()
	d := drive(t)
	for _, s := range sizes() {
		d.size(s[0], s[1])
		for i := range d.r.pages {
			first, _, _ := strings.Cut(d.screen(), "\n")
			x := strings.Index(first, fmt.Sprintf(" %d ", i+1)) + 1
			d.send(tea.MouseClickMsg{X: x, Y: 0, Button: tea.MouseLeft})
			must.Equal(t, d.r.active, i, s[0], s[1], x, first, d.r.active+1, i+1)
		}
		first, _, _ := strings.Cut(d.screen(), "\n")
		d.send(tea.MouseClickMsg{X: strings.Index(first, "VIRTUAL"), Y: 0, Button: tea.MouseLeft})
		must.Equal(t, d.r.active, len(d.r.pages)-1, d.r.active+1)
	}
}

// A click on a hint in the last line presses its key; a click beside the hints does nothing.
func TestHintsInTheLastLineAreClicked(t *testing.T) {
	t.Parallel()
	d := drive(t)
	click := func(word string) {
		t.Helper()
		lines := strings.Split(strings.TrimRight(d.screen(), "\n"), "\n")
		last := lines[len(lines)-1]
		at := strings.Index(last, word)
		if at < 0 {
			t.Fatalf("the last line lacks %q: %s", word, last)
		}
		d.now = d.now.Add(rush)
		x := ansi.StringWidth(last[:at])
		d.send(tea.MouseClickMsg{X: x, Y: len(lines) - 1, Button: tea.MouseRight})
		d.send(tea.MouseClickMsg{X: x, Y: len(lines) - 1, Button: tea.MouseLeft})
	}
	for _, s := range sizes() {
		d.size(s[0], s[1])
		if click("? help"); d.r.top() == nil {
			t.Errorf("%dx%d: a click on help does not open it", s[0], s[1])
		}
		if click("esc close"); d.r.top() != nil {
			t.Errorf("%dx%d: a click on close does not close it", s[0], s[1])
		}
		if click("t tune"); d.r.top() == nil {
			t.Errorf("%dx%d: a click on tune does not open its dialog", s[0], s[1])
		}
		if click("esc back"); d.r.top() != nil {
			t.Errorf("%dx%d: a click on back does not leave it", s[0], s[1])
		}
		d.send(tea.MouseClickMsg{X: s[0] - 1, Y: s[1] - 1, Button: tea.MouseLeft})
		if d.quit || d.r.top() != nil {
			t.Errorf("%dx%d: a click beside the hints does something", s[0], s[1])
		}
	}
}
