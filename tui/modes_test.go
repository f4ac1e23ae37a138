package tui

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// modesListed returns the number of modes that pass the filter, as shown on the page.
func (d *driver) modesListed() int {
	d.t.Helper()
	var n int
	title := regexp.MustCompile(`([0-9,]+) of 18,096 modes`).FindStringSubmatch(d.screen())
	if _, err := fmt.Sscan(strings.ReplaceAll(title[1], ",", ""), &n); err != nil {
		d.t.Fatal(err)
	}
	return n
}

func TestModesExportTheRowsThatShow(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		model bool
		keys  []string
		rows  int
	}{
		"all without a model": {false, nil, 18096},
		"a filter":            {true, []string{"/", "p", "o", "w", "e", "r", "<", "1", "2", "enter", "s", "w"}, -1},
		"the presets":         {true, []string{"p"}, 4},
		"a comparison":        {true, []string{"space", "space", "space", "d"}, 3},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if c.rows > 1000 && testing.Short() {
				t.Skip("the same for 18,096 modes")
			}
			d := drive(t)
			if c.model {
				d.withView()
			}
			d.press("6")
			d.press(c.keys...)
			d.press("ctrl+s")
			want := c.rows
			if want < 0 {
				want = d.modesListed()
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
