package report

import (
	"encoding/json"
	"errors"
	"math"
	"strings"
	"testing"
	"unicode/utf8"

	"jtune/internal/document"
	"jtune/internal/must"
	"jtune/internal/text"
)

// maybe is an absent value where ok is false.
type maybe struct{ ok bool }

func (m maybe) Get() (any, bool) { return 0.25, m.ok }

type reading struct {
	name  string
	watts float64
	modes int
}

func table() Table[reading] {
	return Table[reading]{
		{Key: "name", Title: "name", Of: func(r reading) any { return text.Optional(r.name) }},
		{Key: "power_w", Title: "power", Unit: "W", Of: func(r reading) any { return r.watts }},
		{Key: "modes", Title: "modes", Of: func(r reading) any { return r.modes }},
		{Key: "share", Form: CSV, Of: func(r reading) any { return maybe{r.modes > 1} }},
		{Key: "words", Form: JSON, Of: func(r reading) any { return []string{r.name, "<"} }},
		{Title: "mark", Text: func(r reading) string { return strings.Repeat("*", r.modes%3) }},
	}
}

func TestOneListOfColumnsWritesTextCSVAndJSON(t *testing.T) {
	t.Parallel()
	rows := []reading{{"orin", 12.3456789, 1801}, {"", math.NaN(), 1}}
	var lines, list strings.Builder
	must.NoError(t, Print(&lines, nil, table().Document(rows)))
	want := "name  power   modes  mark\norin  12.3 W  1,801  *\n–     –       1      *\n"
	if got := lines.String(); got != want {
		t.Errorf("text: got\n%swant\n%s", got, want)
	}
	must.NoError(t, table().CSV(&list, rows))
	if got, want := list.String(), "name,power_w,modes,share\norin,12.3457,1801,0.25\n,,1,\n"; got != want {
		t.Errorf("CSV: got\n%swant\n%s", got, want)
	}
	var doc strings.Builder
	e := json.NewEncoder(&doc)
	e.SetEscapeHTML(false)
	must.NoError(t, e.Encode(table().Objects(rows)))
	if got, want := doc.String(), `[{"name":"orin","power_w":12.3456789,"modes":1801,"words":["orin","<"]},`+
		`{"name":null,"power_w":null,"modes":1,"words":["","<"]}]`+"\n"; got != want {
		t.Errorf("JSON: got\n%swant\n%s", got, want)
	}
}

func TestObjectLeavesOutOnlyWhatIsMarkedAndAbsent(t *testing.T) {
	t.Parallel()
	nan := math.NaN()
	doc, err := json.Marshal(Object{{"a", IfAny("")}, {"b", IfAny(nan)}, {"c", IfAny([]int{})}, {"d", IfAny(maybe{})},
		{"e", IfAny(0)}, {"f", IfAny(false)}, {"g", IfAny([]int{0})}, {"h", nan}, {"i", ""}})
	if got, want := string(doc), `{"g":[0],"h":null,"i":""}`; err != nil || got != want {
		t.Errorf("got %s, %v; want %s", got, err, want)
	}
}

func TestFactsWithoutAValueAreNotShown(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	err := Print(&out, nil, document.Facts{{"board", "orin"}, {"peak", ""}, {"w", "–"}})
	if got, want := out.String(), "board  orin\nw      –\n"; err != nil || got != want {
		t.Errorf("got %q, %v; want %q", got, err, want)
	}
}

// screen is a terminal of a width.
type screen struct {
	strings.Builder
	width int
}

func (s *screen) Columns() int { return s.width }

func TestGridIsNoWiderThanTheTerminal(t *testing.T) {
	t.Parallel()
	facts := [][]string{{"board", "Jetson AGX Orin (VIRTUAL: a simulation, not a measurement)"},
		{"modes", "18,096"}}
	answer := [][]string{{"measured", "90.2 ms", "", "29.2 W", "", "2.63 J"},
		{"the limit", "measured within, mean of 2"},
		{"MODE_15W", "150.5 ms", "(140.0 – 161.7)", "21.9 W", "(21.0 – 22.7)", "3.29 J", "predicted ✓"}}
	sources := [][]string{{"", "source", "path", ""},
		{"ok", "fan", "/sys/devices/platform/pwm-fan/hwmon/hwmon2/pwm1", ""},
		{"ok", "total", "/sys/bus", "covers the whole module, without the carrier board"},
		{"ok", "fan speed", "/sys/c", ""},
		{"missing", "EMC", "", "no file"}, {"ok", "GPU", "/sys/a", ""}, {"ok", "CPU", "/sys/b", "all of its clocks"}}
	models := [][]string{{"name", "method", "modes", "time error", "device"},
		{"resnet18@virtual-agx-orin", "reference", "4,368", "5.2 %", "AGX Orin"},
		{"mobilenet", "gp", "16", "4.5 %", "Nano"}}
	for name, c := range map[string]struct {
		rows   [][]string
		headed bool
		width  int
		want   string // "": as without a terminal
	}{
		"facts at 80": {facts, false, 80, ""},
		"facts at 40": {facts, false, 40,
			"board  Jetson AGX Orin (VIRTUAL: a\n       simulation, not a measurement)\n" +
				"modes  18,096\n"},
		"facts at 20": {facts, false, 20,
			"board  Jetson AGX\n  Orin (VIRTUAL: a\n  simulation, not a\n  measurement)\n" +
				"modes  18,096\n"},
		"answer at 200": {answer, false, 200, ""},
		"answer at 74": {answer, false, 74,
			"measured  90.2 ms  29.2 W  2.63 J\nthe limit measured within, mean of 2\n" +
				"MODE_15W  150.5 ms (140.0 – 161.7) 21.9 W (21.0 – 22.7) 3.29 J predicted ✓\n"},
		"models at 40": {models, true, 40,
			"resnet18@virtual-agx-orin\n  method reference  modes 4,368\n" +
				"  time error 5.2 %  device AGX Orin\nmobilenet\n" +
				"  method gp  modes 16  time error 4.5 %\n  device Nano\n"},
		"models at 60": {models, true, 60,
			"name                       method     modes  time   device\n" +
				"                                             error\n" +
				"resnet18@virtual-agx-orin  reference  4,368  5.2 %  AGX Orin\n" +
				"mobilenet                  gp         16     4.5 %  Nano\n"},
		"sources at 80": {sources, true, 80, "         source     path\n" +
			"ok  source fan  path /sys/devices/platform/pwm-fan/hwmon/hwmon2/pwm1\n" +
			"ok       total      /sys/bus  covers the whole module, without the carrier board\n" +
			"ok       fan speed  /sys/c\nmissing  EMC                  no file\nok       GPU        /sys/a\n" +
			"ok       CPU        /sys/b    all of its clocks\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			to := &screen{width: c.width}
			var plain strings.Builder
			must.NoError(t, errors.Join(fitted(to, c.rows, c.headed), fitted(&plain, c.rows, c.headed)))
			if c.want == "" {
				c.want = plain.String()
			}
			if to.String() != c.want {
				t.Errorf("got\n%swant\n%s", to, c.want)
			}
			for line := range strings.Lines(to.String()) {
				if n := utf8.RuneCountInString(line) - 1; n > c.width && len(strings.Fields(line)) > 1 {
					t.Errorf("%d columns: %s", n, line)
				}
			}
			for _, r := range c.rows[map[bool]int{true: 1}[c.headed]:] {
				for word := range strings.FieldsSeq(strings.Join(r, " ")) {
					if !strings.Contains(to.String(), word) {
						t.Errorf("no %q", word)
					}
				}
			}
		})
	}
}
