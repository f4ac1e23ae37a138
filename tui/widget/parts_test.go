package widget

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

	"jtune/internal/must"
	"jtune/internal/report"
)

func TestCutPadsByWhatIsSeen(t *testing.T) {
	styled := StyleBold.Render("12345")
	for _, c := range []struct{ name, got, want string }{
		{"short is padded", Cut("ab", 4), "ab  "},
		{"long ends in an ellipsis", Cut("abcdef", 4), "abc…"},
		{"a number is cut as a whole", Cut("least 4.98 V", 10), "least …   "},
		{"so is one without decimals", Cut("of 13,500 mW", 6), "of …  "},
		{"a number at the edge stays", Cut("4.98 V", 5), "4.98…"},
		{"digits of a name are no number", Cut("soc0123", 6), "soc01…"},
		{"colour has no width", ansi.Strip(Cut(styled, 7)), "12345  "},
		{"wide characters take two", Cut("日本", 5), "日本 "},
		{"no room", Cut("abc", 0), ""},
		{"numbers stay, names give way", Row("VDDQ_VDD2_1V8AO", "1.2 W", 12), "VDDQ_… 1.2 W"},
		{"a column drops whole", CutClause("12c/2.20C  87.5 ms  29.7 W", 24), "12c/2.20C  87.5 ms"},
		{"a clause drops whole", CutClause("best 87.5 ms, 29.7 W: -33…+28 % energy", 25), "best 87.5 ms, 29.7 W"},
		{"what fits stays", CutClause("gain 3 %, 92 % sure", 19), "gain 3 %, 92 % sure"},
		{"one clause is cut", CutClause("expected gain", 9), "expected…"},
		{"notes give way to titles", Ends("a long title", "note", 14), "a long title  "},
	} {
		must.Equal(t, c.got, c.want, c.name)
	}
}

func TestOverKeepsWhatLiesAround(t *testing.T) {
	base := strings.Repeat("..........\n", 4) + ".........."
	over := Over(base, "ab\ncd", 10, 5)
	got := ansi.Strip(over)
	want := "..........\n....ab....\n....cd....\n..........\n.........."
	must.Equal(t, got, want)
	dimmed := StyleDim.Render("....")
	must.Contain(t, over, dimmed+"ab"+dimmed)
}

func TestTableNeverCutsANumber(t *testing.T) {
	tab := Table{Rows: 20000, Cols: report.Table[int]{
		{Title: "n", Width: 3, Right: true, Text: func(row int) string { return fmt.Sprint(row + 1) }},
		{Title: "mode", Width: 21, Text: func(int) string { return "12c/2.20C/1.30G/3.20M" }},
		{Title: "ms", Width: 5, Right: true, Drop: 1, Text: func(int) string { return "1234.5" }},
	}}
	tab.Cursor = 19999
	for w, want := range map[int]string{40: "20000 12c/2.20C/1.30G/3.20M 1234.5", 30: "20000 12c/2.20C/1.30G/3.20M",
		20: "20000 12c/2.20C/1.…"} {
		lines := strings.Split(ansi.Strip(tab.Render(w, 5)), "\n")
		must.Equal(t, strings.TrimSpace(strings.TrimPrefix(lines[4], "▸")), want, w)
	}
}

func TestTableDropsTheLeastNeededColumnsTogether(t *testing.T) {
	text := func(int) string { return "a" }
	tab := Table{Rows: 1, Cols: report.Table[int]{
		{Title: "A", Width: 5, Text: text},
		{Title: "B", Width: 5, Drop: 2, Text: text},
		{Title: "C", Width: 5, Drop: 2, Text: text},
		{Title: "D", Width: 5, Drop: 1, Text: text},
	}}
	for _, c := range []struct {
		w    int
		want string
	}{{24, "ABCD"}, {23, "AD"}, {12, "AD"}, {11, "A"}, {6, "A"}} {
		got := strings.Join(strings.Fields(strings.Split(ansi.Strip(tab.Render(c.w, 3)), "\n")[0]), "")
		must.Equal(t, got, c.want)
	}
}

func TestTableSearchGoesToTheNextRowAndTheOneBefore(t *testing.T) {
	names := []string{"resnet18", "mobilenet", "bert", "LeNet5"}
	tab := Table{Keys: testKeys, Rows: len(names),
		Cols: report.Table[int]{{Title: "name", Width: 10, Text: func(r int) string { return names[r] }}}}
	for i, c := range []struct {
		key  string
		want int
		on   bool
	}{{"/", 0, true}, {"n", 0, true}, {"e", 0, true}, {"t", 0, true}, {"enter", 0, true}, {"enter", 1, true},
		{"enter", 3, true}, {"N", 1, true}, {"down", 2, true}, {"up", 1, true}, {"enter", 3, true},
		{"esc", 3, false}, {"/", 3, true}, {"b", 1, true}, {"esc", 3, false}} {
		if !tab.Key(keyPress(c.key)) || tab.Cursor != c.want || tab.Search.On() != c.on {
			t.Fatalf("step %d, %q: row %d, search on: %v; want %d, %v", i, c.key, tab.Cursor, tab.Search.On(), c.want,
				c.on)
		}
	}
	if tab.Key(keyPress("enter")) || tab.Key(keyPress("esc")) {
		t.Error("without a search its keys are taken")
	}
}

func TestKeyPressIsTheKeyOfItsName(t *testing.T) {
	for _, name := range []string{"a", "A", "!", "space", "tab", "shift+tab", "ctrl+p", "pgdown", "esc", "insert"} {
		must.Equal(t, KeyPress(name).String(), name)
	}
}

func TestTableCursorStaysOnScreen(t *testing.T) {
	tab := Table{
		Rows: 1000,
		Cols: report.Table[int]{{Title: "A", Width: 8, Text: func(r int) string { return strings.Repeat("x", r%7) }}},
	}
	for _, by := range []int{-5, 3, 500, 10000, -20000, 999} {
		tab.Move(by)
		must.Contain(t, tab.Render(10, 6), "▸")
	}
	tab.Rows = 2 // after filtering
	tab.Render(10, 6)
	must.Equal(t, tab.Cursor, 1)
}

func TestGlyphsHaveAPlainStandInEach(t *testing.T) {
	all := "│─┌┐└┘├┤┬┄┊█░▒▓▁▂▃▄▅▆▇…–×≤≥±°·→←↑↓●○◉▸✓✗\u00a0‹›" + string(rune(0x2800)) + string(rune(0x28ff))
	got := toASCII(all)
	if strings.ContainsAny(got, "?") || len(got) != len([]rune(all)) {
		t.Errorf("%q becomes %q: unknown glyphs, or not one column each", all, got)
	}
}

func TestSpansOfTimeHaveAUnitThatFits(t *testing.T) {
	for want, got := range map[string]string{
		"20–40 s": SpanRange(20*time.Second, 40*time.Second),
		"2 min":   SpanRange(110*time.Second, 130*time.Second),
		"7–9 min": SpanRange(7*time.Minute, 9*time.Minute),
		"1–3 h":   SpanRange(70*time.Minute, 3*time.Hour),
	} {
		must.Equal(t, got, want)
	}
}

func TestPinnedTextKeepsTheRightEnd(t *testing.T) {
	for _, c := range []struct {
		w    int
		want string
	}{
		{30, "measuring 7 s, 88.1 ms  9 left"},
		{24, "measuring 7 s     9 left"},
		{12, "meas… 9 left"},
	} {
		must.Equal(t, Pinned("measuring 7 s, 88.1 ms", "9 left", c.w), c.want)
	}
}
