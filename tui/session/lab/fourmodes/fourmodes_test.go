package fourmodes

import (
	"testing"

	"jtune/internal/must"
	"jtune/tegra/virtual"
	"jtune/tui/session/lab/rig"
)

func TestMakeTriesAllChoicesOfFourModesAndPredictsTen(t *testing.T) {
	b := must.Get(rig.Board(virtual.Options{Name: Board}))(t)
	d := must.Get(b.Open())(t)
	m := must.Get(Make(b, d))(t)
	must.Equal(t, m.Found.Tried, 210)
	must.Equal(t, len(m.Found.Modes), 4)
	must.Equal(t, m.Samples(), 8)
	for _, job := range append([]string{Checked}, Jobs...) {
		if len(m.Epochs[job]) != 10 || len(m.Said[job]) != 10 || len(m.Errors[job]) != 10 || len(m.Joules[job]) != 10 {
			t.Errorf("%s: %d epochs, %d predicted", job, len(m.Epochs[job]), len(m.Said[job]))
		}
		for i, e := range m.Errors[job] {
			if off := 100 * (m.Said[job][i].TimeS/m.Epochs[job][i].TimeS - 1); e < 0 || e-off > 1e-9 && e+off > 1e-9 {
				t.Errorf("%s, mode %d: error %g %%, off by %g", job, i, e, off)
			}
		}
	}
}
