package nn

import (
	"slices"
	"testing"

	"jtune/internal/must"
)

func TestEntriesOfModesWithFewerAreRepeatedUpToTheMost(t *testing.T) {
	t.Parallel()
	a, b, c := [inputs]float64{1}, [inputs]float64{2}, [inputs]float64{3}
	x, y := Entries([][inputs]float64{a, b, c}, [][]float64{{10, 11, 12, 13, 14}, {20, 21}, nil})
	if want := []float64{10, 11, 12, 13, 14, 20, 21, 20, 21, 20}; !slices.Equal(y, want) {
		t.Errorf("got %v, want %v", y, want)
	}
	if want := [][inputs]float64{a, a, a, a, a, b, b, b, b, b}; !slices.Equal(x, want) {
		t.Errorf("got %v, want every mode five times", x)
	}
	if x, y := Entries(nil, nil); x != nil || y != nil {
		t.Errorf("no modes: got %v, %v", x, y)
	}
}

func TestEntriesOfOneModeAreNeverOnBothSidesOfTheSplit(t *testing.T) {
	t.Parallel()
	var modes [][inputs]float64
	var measured [][]float64
	for i, m := range board(30, 1, 1) {
		modes = append(modes, Features(m.Mode))
		measured = append(measured, slices.Repeat([]float64{m.TimeMS, 1.02 * m.TimeMS}, 1+i%3))
	}
	x, y := Entries(modes, measured)
	c := must.Get(Config{Epochs: 2, MinSteps: -1}.withDefaults())(t)
	tr := newTraining(&Net{Config: c, w: newParams(PaperLayers())})
	tr.split(x)
	if len(tr.held) != 3*6 || len(tr.order) != 27*6 {
		t.Errorf("%d rows held out, %d to learn from; want 18 and 162", len(tr.held), len(tr.order))
	}
	for _, i := range tr.held {
		for _, j := range tr.order {
			if x[i] == x[j] {
				t.Fatalf("rows %d and %d of one mode are on both sides", i, j)
			}
		}
	}
	n := must.Get(Train(t.Context(), x, y, Config{Epochs: 2, MinSteps: -1}))(t)
	if n.Report.Rows != 162 || n.Report.Validated != 18 || n.Report.Steps != 2*3 {
		t.Errorf("report %+v", n.Report)
	}
}
