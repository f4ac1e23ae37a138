package tui

import (
	"encoding/csv"
	"encoding/json"
	"math"
	"regexp"
	"slices"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"jtune/internal/must"
	"jtune/optimize/pareto"
	"jtune/optimize/standing"
)

func TestFrontShowsAMeasurementInThePlaceOfItsPrediction(t *testing.T) {
	t.Parallel()
	d := drive(t).withView()
	d.press("5")
	stands := func() standing.Standing { return d.r.sh.Outlook.Standing(d.onFront(), d.r.sh.Goal.Limit) }
	for range 10 { // to a mode that is as likely over the limit as not: it reads more than predicted
		if stands().State <= standing.Likely {
			d.press("left")
		}
	}
	d.sees("? doubtful, ", " % sure", "c goes to the best within")
	d.press("v")
	before, cursor := d.r.sh.Outlook, d.onFront()
	d.until("the mode is measured", func() bool { return d.r.sh.task.Done() })
	v := d.r.sh.Outlook
	got := v.About(v.Known[cursor].Mode).Reading
	must.Equal(t, v.Known[cursor].PowerW, got.PowerW)
	must.Equal(t, v.Columns()[pareto.Time][cursor], got.TimeMS)
	if v.Predicted[cursor] != before.Predicted[cursor] || before.Known[cursor].PowerW == got.PowerW {
		t.Error("the prediction itself has changed, or the view before")
	}
	// measured slightly over the limit: it is not the answer
	if d.sees("✗ measured over, one reading"); v.Answer(d.r.sh.Goal.Limit) == cursor {
		t.Error("the answer breaks the limit")
	}
	d.press("c")
	d.sees("best within the limit", "✓ surely within")
}

func TestFrontAnswersWithWhatTuningMeasured(t *testing.T) {
	t.Parallel()
	d := drive(t)
	d.press("t", "t")
	d.toFront()
	want := d.r.sh.task.Tuned.Answers[0].Mode
	d.press("]", "[")
	must.Equal(t, d.r.sh.Outlook.Known[d.onFront()].Mode, want)
}

func TestFrontClickGoesToTheModeThatIsDrawnThere(t *testing.T) {
	t.Parallel()
	d := drive(t).withView()
	d.size(100, 40)
	zoomed := regexp.MustCompile(`zoom ×[0-9.]+`)
	for _, steps := range [][]string{nil, {"+", "+"}} {
		d.press("5")
		d.press(steps...)
		for y, line := range strings.Split(d.screen(), "\n") {
			at := strings.IndexRune(line, '3') // a preset in the plot
			if at < 0 || y < 3 || ansi.StringWidth(line[:at]) < 5 || ansi.StringWidth(line[:at]) > 60 {
				continue
			}
			x := ansi.StringWidth(line[:at])
			d.send(tea.MouseClickMsg{X: x, Y: y, Button: tea.MouseLeft})
			want, _ := d.r.sh.Outlook.Index(d.board.Presets()[3].Mode)
			here, there := d.r.sh.Outlook.Known[d.onFront()], d.r.sh.Outlook.Known[want]
			if math.Abs(math.Log(here.TimeMS/there.TimeMS)) > 0.1 || math.Abs(here.PowerW-there.PowerW) > 2 {
				t.Errorf("a click on preset 3 (%.1f ms, %.1f W) goes to %.1f ms, %.1f W", there.TimeMS, there.PowerW,
					here.TimeMS, here.PowerW)
			}
			break
		}
	}
	before, cursor := zoomed.FindString(d.screen()), d.onFront()
	d.send(tea.MouseWheelMsg{X: 30, Y: 20, Button: tea.MouseWheelUp})
	if after := zoomed.FindString(d.screen()); after == before || d.onFront() != cursor {
		t.Errorf("the wheel zooms from %q to %q and the cursor from %d to %d", before, after, cursor, d.onFront())
	}
	d.press("?")
	d.send(tea.MouseClickMsg{X: 10, Y: 30, Button: tea.MouseLeft})
	must.Equal(t, d.onFront(), cursor, "a click goes through the help")
}

func TestFrontIsExportedInFourForms(t *testing.T) {
	t.Parallel()
	d := drive(t).withView()
	d.size(200, 50)
	d.press("5", "X", "ctrl+s")
	d.written()
	d.sees("-front.{txt,svg,csv,json}")
	read := func(ending string) string { return d.exported("*-front." + ending) }
	n := len(d.r.sh.Outlook.Front(1))
	rows := must.Get(csv.NewReader(strings.NewReader(read("csv"))).ReadAll())(t)
	must.Equal(t, len(rows), n+1)
	var points []struct {
		EnergyJ  float64 `json:"energy_j"`
		Measured bool
	}
	if err := json.Unmarshal([]byte(read("json")), &points); err != nil || len(points) != n ||
		!slices.IsSortedFunc(points, func(a, b struct {
			EnergyJ  float64 `json:"energy_j"`
			Measured bool
		}) int {
			return int(math.Copysign(1, a.EnergyJ-b.EnergyJ))
		}) {
		t.Errorf("%d points of JSON (%v), want %d, least energy first", len(points), err, n)
	}
	svg := read("svg")
	must.Contain(t, svg, "VIRTUAL", "MODE_50W", "energy per minibatch, J")
	must.Contain(t, read("txt"), "VIRTUAL")
}

// The only changes on Front are in a column between what was predicted and what was measured.
func TestFrontPrintsNoChangeWithoutSayingAgainstWhat(t *testing.T) {
	t.Parallel()
	d := drive(t)
	scenes()["front-measured"](d)
	d.size(80, 24)
	row := regexp.MustCompile(`(ms/step|W|J/step) +[0-9.]+ +[0-9.]+ *[+-][0-9]+ ?%`)
	changes, headed := 0, false
	for line := range strings.Lines(d.screen()) {
		headed = headed || strings.Contains(line, "predicted measured  off")
		if !strings.Contains(line, "%") {
			continue
		}
		if changes++; !headed || !row.MatchString(line) {
			t.Errorf("%q", line)
		}
	}
	must.Equal(t, changes, 3)
}
