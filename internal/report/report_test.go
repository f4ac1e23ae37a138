package report

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

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
	if err := table().Text(&lines, rows, []string{"total", "", "1,802"}); err != nil {
		t.Fatal(err)
	}
	if got, want := lines.String(), "name   power   modes  mark\norin   12.3 W  1,801  *\n–      –       1      *\n"+
		"total          1,802\n"; got != want {
		t.Errorf("text: got\n%swant\n%s", got, want)
	}
	if err := table().CSV(&list, rows); err != nil {
		t.Fatal(err)
	}
	if got, want := list.String(), "name,power_w,modes,share\norin,12.3457,1801,0.25\n,,1,\n"; got != want {
		t.Errorf("CSV: got\n%swant\n%s", got, want)
	}
	var doc strings.Builder
	e := json.NewEncoder(&doc)
	e.SetEscapeHTML(false)
	if err := e.Encode(table().Objects(rows)); err != nil {
		t.Fatal(err)
	}
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
	err := Facts{{"board", "orin"}, {"peak", ""}, {"w", "–"}}.Text(&out)
	if got, want := out.String(), "board  orin\nw      –\n"; err != nil || got != want {
		t.Errorf("got %q, %v; want %q", got, err, want)
	}
}
