package tui

import (
	"strings"
	"testing"

	"jtune/internal/must"
	"jtune/tui/page/dialog"
)

func TestPaletteListsEveryActionAndWhyItDoesNotWork(t *testing.T) {
	t.Parallel()
	d := drive(t)
	d.press(":")
	for i, line := range strings.Split(d.screen(), "\n") {
		if strings.Contains(line, "│▸a") && i > 6 || strings.Contains(line, " q  ") && i > 8 {
			t.Errorf("apply or quit is in line %d:\n%s", i, d.screen())
		}
	}
	d.sees("a         apply", "A         apply at once", "q         quit", "not now: no model")
	d.size(120, 90)
	d.sees("X         axes", "Front", "W         at boot", "Modes", "space     pause", "ctrl+s", "open Train")
	d.press("a", "p", "p", "l", "y", "enter")
	d.sees("apply: not now, no model")
	if d.r.top() == nil {
		t.Error("an action that does not work closes the palette")
	}
}

func TestPaletteDoesWhatIsChosenOnItsPage(t *testing.T) {
	t.Parallel()
	d := drive(t).withView()
	find := func(text string) {
		d.press("ctrl+p")
		for _, c := range text {
			d.press(string(c))
		}
		d.press("enter")
	}
	find("compose")
	d.sees("Compose a mode")
	d.press("q")
	if d.quit || strings.Contains(d.screen(), "Compose a mode") {
		t.Error("q does not close the dialog alone")
	}
	find("freeze")
	d.sees("FROZEN")
	find("freeze")
	find("open front")
	find("apply")
	if d.r.apply.Stage() != dialog.Asking || d.board.Applies() != 0 {
		t.Fatalf("applying from the palette is at stage %d", d.r.apply.Stage())
	}
	d.press("a")
	d.settle()
	find("copy")
	must.Equal(t, d.r.apply.Stage(), dialog.Keeping, "copying from the palette says yes to keeping the mode")
	d.press("n")
	d.settle()
	find("at once")
	d.sees("only by its key")
	d.press("esc")
	must.Equal(t, d.board.Applies(), 1)
	find("quit")
	d.until("it quits", func() bool { return d.quit })
}

func TestHelpIsSearchedAndSaysWhatEachLetterMeans(t *testing.T) {
	t.Parallel()
	d := drive(t).withView()
	d.press("5", "?", "/")
	for _, c := range "one letter" {
		d.press(map[string]string{" ": "space"}[string(c)] + strings.TrimSpace(string(c)))
	}
	d.press("enter")
	d.sees("one letter, one meaning", "search one letter")
	d.press("esc", "G")
	d.sees("Z  previous batch size", "VIRTUAL is a simulation")
	d.press("g")
	d.sees("on Front")
	d.press("x") // has no meaning here
	if d.r.top() == nil {
		t.Error("any key closes the help")
	}
	d.press("q")
	if d.r.top() != nil || d.quit {
		t.Error("q does not close the help alone")
	}
}

func TestKeyThatDoesNotWorkSaysWhy(t *testing.T) {
	d := drive(t)
	listed(d)
	d.press("3", "R")
	d.sees("redo failed: not now, none failed")
	d.press("up", "r")
	d.sees("continue: not now, it runs")
}
