package tui

import (
	"encoding/csv"
	"encoding/json"
	"strconv"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
)

func modesOf(d *driver) *modesPage { return d.r.pages[pageModes].(*modesPage) }

// typed presses the keys of a text.
func (d *driver) typed(text string) {
	for _, c := range text {
		if c == ' ' {
			d.press("space")
			continue
		}
		d.press(string(c))
	}
}

func TestEveryColumnSortsBothWays(t *testing.T) {
	d := drive(t).withView()
	d.size(120, 24)
	d.press("6")
	p := modesOf(d)
	for range 8 {
		if p.sortBy != columnMode {
			value := p.values(p.sortBy)
			for i := range p.order[1:] {
				if a, b := value[p.order[i]], value[p.order[i+1]]; p.falling && a < b || !p.falling && a > b {
					t.Fatalf("%s: row %d has %g, the next one %g", p.sortText(), i, a, b)
				}
			}
			first, falling := p.order[0], p.falling
			d.press("S")
			d.screen()
			if value[p.order[0]] == value[first] || p.falling == falling {
				t.Errorf("%s: reversed, the first row is the same", p.sortText())
			}
		}
		d.press("s")
		d.sees(p.sortText())
	}
	if p.sortBy != columnMode || !p.falling {
		t.Errorf("after all columns it sorts %s", p.sortText())
	}
}

func TestWithoutAModelOnlyTheKnobsSort(t *testing.T) {
	d := drive(t)
	d.press("6", "s", "s", "s", "s")
	d.sees("no model: knobs only, by EMC ▾")
	d.press("s")
	d.sees("by mode ▾")
}

func TestTheTableFollowsAFilterAsItIsTyped(t *testing.T) {
	d := drive(t)
	d.press("6", "/")
	d.typed("cores=1")
	d.sees("1,508 of 18,096 modes")
	d.typed("2 gpu")
	d.sees("1,508 of 18,096 modes", "not yet: filter term")
	d.typed(">1.2GHz")
	d.sees("232 of 18,096 modes")
	d.press("esc")
	d.sees("18,096 of 18,096 modes")
}

func TestModesAreComparedSideBySide(t *testing.T) {
	d := drive(t).withView()
	d.size(120, 24)
	d.press("6", "d")
	d.sees("compare: mark modes with space first", "d compare (mark a mode)")
	d.press("p", "space", "space") // MAXN and the 15 W preset
	d.sees("●", "d compare")
	d.press("d")
	maxT, maxW := law(d.board.Presets()[0].Mode)
	lowT, lowW := law(d.board.Presets()[1].Mode)
	d.sees("2 modes side by side", "A MAXN now", "B MODE_15W", "0.42 GHz", ms(maxT), ms(lowT), positive(lowW, 1),
		signedPct(100*(lowT/maxT-1)), signedPct(100*(lowW/maxW-1)))
	if text := modesOf(d).copied(); !strings.Contains(text, "GPU\t1.30 GHz\t0.42 GHz\n") {
		t.Errorf("the copy holds no row of the GPU clocks: %q", text)
	}
	d.press("right", "a")
	d.sees("Apply MODE_15W")
	d.press("esc", "space")
	if p := modesOf(d); p.compared != nil || len(p.marked) != 1 {
		t.Errorf("with one of two taken out, %d are marked and the comparison is %v", len(p.marked), p.compared)
	}
	d.press("down", "d") // the mark and the cursor
	d.sees("2 modes side by side")
	d.press("esc", "esc", "esc")
	if p := modesOf(d); len(p.marked) != 0 || d.quit {
		t.Error("esc does not take the marks away")
	}
}

func TestAComparisonTellsWhatWasMeasured(t *testing.T) {
	d := drive(t).withView()
	got := d.board.samples()[0]
	p := modesOf(d)
	d.press("6")
	p.marked = append(p.marked, d.board.space.Max(), got.Mode)
	d.press("d")
	top, _ := law(d.board.space.Max())
	d.sees(ms(got.TimeMS), positive(got.PowerW, 1), signedPct(100*(got.TimeMS/top-1)))
}

func TestManyMarkedModesCanAllBeReached(t *testing.T) {
	d := drive(t).withView()
	d.press("6")
	for range 9 {
		d.press("space")
	}
	d.press("d")
	d.sees("9 modes side by side", "show")
	for _, s := range sizes {
		d.size(s[0], s[1])
		for i := range 9 {
			d.sees("▸")
			d.sees(" " + letter(i) + " is ")
			d.press("right")
		}
		for range 9 {
			d.press("left")
		}
	}
}

func TestTheRowsThatShowAreExported(t *testing.T) {
	for name, c := range map[string]struct {
		model bool
		keys  []string
		rows  int
	}{
		"all without a model": {false, nil, 18096},
		"a filter":            {true, []string{"/", "p", "o", "w", "e", "r", "<", "1", "2", "enter", "s", "s", "s", "s", "s", "s"}, -1},
		"the presets":         {true, []string{"p"}, 4},
		"a comparison":        {true, []string{"space", "space", "space", "d"}, 3},
	} {
		t.Run(name, func(t *testing.T) {
			d := drive(t)
			if c.model {
				d.withView()
			}
			d.press("6")
			d.press(c.keys...)
			d.press("ctrl+s")
			want := c.rows
			if want < 0 {
				want = len(modesOf(d).order)
			}
			read := func(ending string) string { return d.exported("*-modes." + ending) }
			rows, err := csv.NewReader(strings.NewReader(read("csv"))).ReadAll()
			if err != nil || len(rows) != want+1 {
				t.Fatalf("%d rows of CSV (%v), want %d", len(rows), err, want+1)
			}
			var list []struct {
				PowerW *float64 `json:"power_w"`
			}
			if err := json.Unmarshal([]byte(read("json")), &list); err != nil || len(list) != want {
				t.Fatalf("%d modes of JSON (%v), want %d", len(list), err, want)
			}
			last := -1.0
			for i, m := range list {
				if (m.PowerW != nil) != c.model || (rows[i+1][7] != "") != c.model {
					t.Fatalf("mode %d has power %v and CSV %q", i, m.PowerW, rows[i+1])
				}
				if v, _ := strconv.ParseFloat(rows[i+1][7], 64); name == "a filter" {
					if v < last || v >= 12 {
						t.Fatalf("row %d has %g W after %g: want them ascending, below 12", i, v, last)
					}
					last = v
				}
			}
		})
	}
}

func TestAClickChoosesARow(t *testing.T) {
	d := drive(t).withView()
	d.press("6", "pgdown", "pgdown", "pgdown")
	for i, line := range strings.Split(d.screen(), "\n") {
		if i < 4 || i > 12 {
			continue
		}
		d.send(tea.MouseClickMsg{X: 10, Y: i, Button: tea.MouseLeft})
		m, _ := modesOf(d).chosen()
		if !strings.Contains(line, d.r.sh.mode(m)) {
			t.Errorf("a click on %q chooses %s", line, d.r.sh.mode(m))
		}
	}
}
