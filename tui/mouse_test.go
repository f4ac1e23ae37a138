package tui

import (
	"fmt"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
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
			if d.r.active != i {
				t.Errorf("%dx%d: a click in column %d of %q opens page %d, want %d", s[0], s[1], x, first, d.r.active+1,
					i+1)
			}
		}
		first, _, _ := strings.Cut(d.screen(), "\n")
		d.send(tea.MouseClickMsg{X: strings.Index(first, "VIRTUAL"), Y: 0, Button: tea.MouseLeft})
		if d.r.active != len(d.r.pages)-1 {
			t.Errorf("a click on the badge opens page %d", d.r.active+1)
		}
	}
}
