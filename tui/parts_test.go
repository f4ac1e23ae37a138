package tui

import (
	"bytes"
	"errors"
	"io"
	"math"
	"os"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
)

func TestSpeedsWalkUpToMaxAndDownToOne(t *testing.T) {
	x, ups := 1.0, 0
	for !math.IsInf(x, 1) && ups < 20 {
		x, ups = faster(x, true), ups+1
	}
	if ups != len(speeds)-1 || faster(x, true) != x {
		t.Errorf("max after %d steps, want %d, and no further", ups, len(speeds)-1)
	}
	for range 20 {
		x = faster(x, false)
	}
	if x != 1 || faster(7, true) != 10 || faster(7, false) != 5 {
		t.Errorf("lowest rate %g, after 7 come %g and %g; want 1, 10, 5", x, faster(7, true), faster(7, false))
	}
}

func TestLinesAreCutAndPaddedByWhatIsSeen(t *testing.T) {
	styled := styleBold.Render("12345")
	for _, c := range []struct{ name, got, want string }{
		{"short is padded", cut("ab", 4), "ab  "},
		{"long ends in an ellipsis", cut("abcdef", 4), "abc…"},
		{"colour has no width", ansi.Strip(cut(styled, 7)), "12345  "},
		{"wide characters take two", cut("日本", 5), "日本 "},
		{"no room", cut("abc", 0), ""},
		{"numbers stay, names give way", row("VDDQ_VDD2_1V8AO", "1.2 W", 12), "VDDQ_… 1.2 W"},
		{"notes give way to titles", ends("a long title", "note", 14), "a long title  "},
	} {
		if c.got != c.want {
			t.Errorf("%s: %q, want %q", c.name, c.got, c.want)
		}
	}
}

func TestOverlayKeepsWhatLiesAround(t *testing.T) {
	base := strings.Repeat("..........\n", 4) + ".........."
	got := over(base, "ab\ncd", 10, 5)
	want := "..........\n....ab....\n....cd....\n..........\n.........."
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestTablesDropTheLeastNeededColumnsTogether(t *testing.T) {
	tab := table{rows: 1, cell: func(_, c int) string { return string(rune('a' + c)) }, cols: []column{
		{title: "A", width: 5}, {title: "B", width: 5, drop: 2}, {title: "C", width: 5, drop: 2}, {title: "D", width: 5, drop: 1}}}
	for _, c := range []struct {
		w    int
		want string
	}{{24, "ABCD"}, {23, "AD"}, {12, "AD"}, {11, "A"}, {6, "A"}} {
		got := strings.Join(strings.Fields(strings.Split(ansi.Strip(tab.Render(c.w, 3)), "\n")[0]), "")
		if got != c.want {
			t.Errorf("at %d columns the table shows %q, want %q", c.w, got, c.want)
		}
	}
}

func TestTheCursorStaysOnScreenAndInTheTable(t *testing.T) {
	tab := table{rows: 1000, cell: func(r, _ int) string { return strings.Repeat("x", r%7) }, cols: []column{{title: "A", width: 8}}}
	for _, by := range []int{-5, 3, 500, 10000, -20000, 999} {
		tab.move(by)
		if !strings.Contains(tab.Render(10, 6), "▸") {
			t.Errorf("cursor %d is not on screen", tab.cursor)
		}
	}
	tab.rows = 2 // a filter came
	tab.Render(10, 6)
	if tab.cursor != 1 {
		t.Errorf("cursor %d of 2 rows", tab.cursor)
	}
}

func TestEveryGlyphOfTheScreensHasAPlainStandIn(t *testing.T) {
	all := "│─┌┐└┘├┤┬┄┊█░▒▓▁▂▃▄▅▆▇…–×≤≥±°·→←↑↓●○◉▸✓✗\u00a0‹›" + string(rune(0x2800)) + string(rune(0x28ff))
	got := toASCII(all)
	if strings.ContainsAny(got, "?") || len(got) != len([]rune(all)) {
		t.Errorf("%q becomes %q: unknown glyphs, or not one column each", all, got)
	}
}

func TestGuardedInputTellsOnceThatTheTerminalIsGone(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	in := &guardedInput{File: r, gone: make(chan struct{})}
	go func() { w.Write([]byte("q")); w.Close() }()
	text, err := io.ReadAll(in)
	if err != nil || !bytes.Equal(text, []byte("q")) {
		t.Fatalf("read %q, %v", text, err)
	}
	_, _ = in.Read(make([]byte, 1))
	select {
	case <-in.gone:
	default:
		t.Error("the end of input was not told")
	}
}

func TestWithSudoTheGuardStartsBeforeTheWork(t *testing.T) {
	d := drive(t, func(_ *fakeBoard, d *deps) { d.sudo = true }).withView()
	d.press("t", "t")
	if d.r.sh.busy() {
		t.Fatal("tuning began before the guard was started")
	}
	d.send(guardMsg{err: errors.New("sudo: a password is required"), do: func() tea.Cmd { t.Error("work began without a guard"); return nil }})
	d.sees("a password is required")
	done := false
	d.send(guardMsg{do: func() tea.Cmd { done = true; return nil }})
	if !done || d.r.sh.sudo {
		t.Error("the work did not begin once the guard had started")
	}
}
