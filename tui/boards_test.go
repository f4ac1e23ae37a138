package tui

import (
	"fmt"
	"strings"
	"testing"

	"jtune/internal/must"
	"jtune/tegra/virtual"
	"jtune/tui/page"
	"jtune/tui/session/task"
)

// The line disappears at the first key, which keeps its usual meaning. Function keys do nothing.
func TestBoardsAreChosenByWords(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		typed, chosen string
		page          int
		says          string
	}{
		{":board nano", "nano", 0, ""},
		{":board tx2", "tx2", 0, ""},
		{":board tx9", "", 0, "agx-orin, agx-xavier"},
		{"2", "", 1, ""},
	} {
		d := drive(t)
		d.r.boards = virtual.Names()
		d.size(80, 24)
		line := strings.Split(d.screen(), "\n")[1]
		shown := 0
		for _, n := range virtual.Names() {
			if strings.Contains(line, " "+n) {
				shown++
			}
		}
		if shown < 6 || !strings.Contains(line, fmt.Sprintf(" +%d", len(virtual.Names())-shown)) ||
			!strings.Contains(line, ":board NAME") {
			t.Errorf("80 columns do not show the boards: %q", line)
		}
		for _, k := range c.typed {
			d.press(strings.ReplaceAll(string(k), " ", "space"))
		}
		if len(c.typed) > 1 {
			d.press("enter")
		}
		must.Equal(t, d.r.chosen, c.chosen)
		must.Equal(t, d.r.gone, c.chosen != "")
		must.Equal(t, d.r.active, c.page)
		if c.chosen == "" && strings.Contains(d.screen(), "board NAME") {
			t.Errorf("%s: the line stays", c.typed)
		}
		if c.says != "" {
			d.sees(c.says)
		}
	}
	d := drive(t)
	if o, ok := d.r.wordsOf("board nano"); !ok || o.Why != "quit, and start jtune on a virtual board" {
		t.Errorf("on a real board the words are none, or name boards: %+v", o)
	}
	d.r.boards = virtual.Names()
	d.press("f4")
	if d.r.chosen != "" || d.r.gone {
		t.Error("F4 chooses a board")
	}
}

func TestBoardsAreChangedAfterTheQuestionThatQuitAsks(t *testing.T) {
	t.Parallel()
	d := drive(t)
	d.shows(runningJob(d.board, task.Tuning))
	d.run(d.r.do(page.BeBoard("nano")))
	d.r.frame = ""
	d.sees("change the board? y / n", "tuning is in progress")
	if d.press("n"); d.r.chosen != "" || d.r.gone {
		t.Fatal("n changes the board")
	}
	d.run(d.r.do(page.BeBoard("nano")))
	if d.press("y"); d.r.chosen != "nano" || !d.r.gone {
		t.Errorf("y chooses %q", d.r.chosen)
	}
}
