package widget

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
)

func TestCutPadsByWhatIsSeen(t *testing.T) {
	styled := StyleBold.Render("12345")
	for _, c := range []struct{ name, got, want string }{
		{"short is padded", Cut("ab", 4), "ab  "},
		{"long ends in an ellipsis", Cut("abcdef", 4), "abc…"},
		{"colour has no width", ansi.Strip(Cut(styled, 7)), "12345  "},
		{"wide characters take two", Cut("日本", 5), "日本 "},
		{"no room", Cut("abc", 0), ""},
		{"numbers stay, names give way", Row("VDDQ_VDD2_1V8AO", "1.2 W", 12), "VDDQ_… 1.2 W"},
		{"notes give way to titles", Ends("a long title", "note", 14), "a long title  "},
	} {
		if c.got != c.want {
			t.Errorf("%s: %q, want %q", c.name, c.got, c.want)
		}
	}
}

func TestOverKeepsWhatLiesAround(t *testing.T) {
	base := strings.Repeat("..........\n", 4) + ".........."
	got := Over(base, "ab\ncd", 10, 5)
	want := "..........\n....ab....\n....cd....\n..........\n.........."
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestTableDropsTheLeastNeededColumnsTogether(t *testing.T) {
	tab := Table{Rows: 1, Cell: func(_, c int) string { return string(rune('a' + c)) }, Cols: []Column{
		{Title: "A", Width: 5},
		{Title: "B", Width: 5, Drop: 2},
		{Title: "C", Width: 5, Drop: 2},
		{Title: "D", Width: 5, Drop: 1},
	}}
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

func TestTableCursorStaysOnScreen(t *testing.T) {
	tab := Table{
		Rows: 1000,
		Cell: func(r, _ int) string { return strings.Repeat("x", r%7) },
		Cols: []Column{{Title: "A", Width: 8}},
	}
	for _, by := range []int{-5, 3, 500, 10000, -20000, 999} {
		tab.Move(by)
		if !strings.Contains(tab.Render(10, 6), "▸") {
			t.Errorf("cursor %d is not on screen", tab.Cursor)
		}
	}
	tab.Rows = 2 // a filter came
	tab.Render(10, 6)
	if tab.Cursor != 1 {
		t.Errorf("cursor %d of 2 rows", tab.Cursor)
	}
}

func TestGlyphsHaveAPlainStandInEach(t *testing.T) {
	all := "│─┌┐└┘├┤┬┄┊█░▒▓▁▂▃▄▅▆▇…–×≤≥±°·→←↑↓●○◉▸✓✗\u00a0‹›" + string(rune(0x2800)) + string(rune(0x28ff))
	got := toASCII(all)
	if strings.ContainsAny(got, "?") || len(got) != len([]rune(all)) {
		t.Errorf("%q becomes %q: unknown glyphs, or not one column each", all, got)
	}
}
