package rows

import (
	"math"
	"strings"
	"testing"
)

func TestCheck(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		x     [][]float64
		y     []float64
		words string // "" for none
	}{
		"two good rows":          {[][]float64{{1, 2}, {3, 4}}, []float64{5, 6}, ""},
		"no rows":                {nil, nil, "0 rows"},
		"rows without inputs":    {[][]float64{{}}, []float64{1}, "rows with inputs"},
		"a target too few":       {[][]float64{{1}, {2}}, []float64{1}, "2 rows and 1 targets"},
		"rows of unequal length": {[][]float64{{1}, {2, 3}}, []float64{1, 2}, "row 2 has 2 inputs"},
		"a NaN input":            {[][]float64{{1}, {math.NaN()}}, []float64{1, 2}, "row 2 holds NaN"},
		"an infinite target":     {[][]float64{{1}, {2}}, []float64{math.Inf(1), 1}, "row 1 holds +Inf"},
	} {
		err := Check(c.x, c.y)
		if (err == nil) != (c.words == "") || err != nil && !strings.Contains(err.Error(), c.words) {
			t.Errorf("%s: got %v, want %q", name, err, c.words)
		}
	}
}
