package chart

import (
	"strings"
	"testing"

	"jtune/internal/axis"
	"jtune/internal/must"
)

func TestLanesDensityIsDarkestWhereMostValuesLie(t *testing.T) {
	t.Parallel()
	l := NewLanes(axis.Scale{Lo: 0, Hi: 10}, 11, 1)
	l.Density(0, []float64{2, 2, 2, 2, 2, 5, 5, 9}, 4, InkCloud, InkFront)
	row := l.Row(0, func(_ Ink, text string) string { return text })
	must.Equal(t, row, "  █ │░   · ")
	l.Density(0, nil, 4, InkCloud, InkFront)
	must.Equal(t, strings.Count(row, "·"), 1)
}
