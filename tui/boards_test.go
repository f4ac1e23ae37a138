package tui

import (
	"slices"
	"strings"
	"testing"

	"jtune/tegra/virtual"
)

// The line disappears at the first key, which works as it does without the line.
func TestBoardsAreChosenByAFunctionKeyAndNoOtherIsTaken(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		key, chosen string
		page        int
	}{{"f1", "", 0}, {"f4", "nano", 0}, {"f6", "tx2", 0}, {"f7", "", 0}, {"2", "", 1}} {
		d := drive(t)
		d.r.boards = virtual.Names()
		d.size(80, 24)
		line := strings.Split(d.screen(), "\n")[1]
		if slices.ContainsFunc(virtual.Names(), func(n string) bool { return !strings.Contains(line, " "+n) }) ||
			!strings.Contains(line, "F6 tx2") {
			t.Errorf("80 columns do not show the boards: %q", line)
		}
		d.press(c.key)
		if d.r.chosen != c.chosen || d.r.gone != (c.chosen != "") || d.r.active != c.page {
			t.Errorf("%s: chose %q, quitting %v, page %d; want %q and page %d", c.key, d.r.chosen, d.r.gone, d.r.active,
				c.chosen, c.page)
		}
		if c.chosen == "" && strings.Contains(d.screen(), "No Jetson:") {
			t.Errorf("%s: the line stays", c.key)
		}
	}
}
