package chart

import (
	"strings"
	"testing"

	"jtune/internal/axis"
)

func TestLanesDensityIsDarkestWhereMostValuesLie(t *testing.T) {
	t.Parallel()
	l := NewLanes(axis.Scale{Lo: 0, Hi: 10}, 11, 1)
	l.Density(0, []float64{2, 2, 2, 2, 2, 5, 5, 9}, 4, InkCloud, InkFront)
	row := l.Row(0, func(_ Ink, text string) string { return text })
	if row != "  █ │░   · " {
		t.Errorf("got %q", row)
	}
	l.Density(0, nil, 4, InkCloud, InkFront)
	if strings.Count(row, "·") != 1 {
		t.Errorf("no values change the row: %q", row)
	}
}
