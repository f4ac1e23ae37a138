package dialog

import (
	"strings"
	"testing"

	"jtune/tegra"
	"jtune/tui/page"
	"jtune/tui/page/pagetest"
)

// Each figure of a mode that was never measured is marked, in large figures and in a line.
func TestNeedleMarksEachPredictedFigure(t *testing.T) {
	d, f := pagetest.Drive(t, NewApply)
	d.State.Outlook = d.Board.Outlook()
	f.asked = &page.Asked{}
	f.asked.Workload.Name = d.State.Outlook.Workload
	measured := d.Board.Samples()[3].Mode
	other := tegra.Mode{}
	for i := range d.Board.Space().Len() {
		if m := d.Board.Space().At(i); !d.State.Outlook.About(m).Measured() {
			other = m
			break
		}
	}
	now := tegra.Measured{TimeMS: 90, PowerW: 20}
	for mode, marks := range map[tegra.Mode]int{measured: 0, other: 2} {
		f.from.Mode = tegra.Some(mode)
		large, _ := f.needle(now, 200, 24)
		_, line := f.needle(now, 200, 10)
		if strings.Count(large, "~") != marks || strings.Count(line, "~") != marks || !strings.Contains(line, "→") ||
			strings.Contains(large, "predicted") != (marks > 0) {
			t.Errorf("%v: want %d marks:\n%s%s", mode, marks, large, line)
		}
	}
}
