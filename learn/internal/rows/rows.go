// Package rows checks the training data of the plain regressions.
package rows

import (
	"fmt"
	"math"
)

// Check returns an error for unusable inputs x and targets y: no rows, different numbers of inputs and targets, rows of
// unequal length, or values that are not finite.
func Check(x [][]float64, y []float64) error {
	if len(x) == 0 || len(x) != len(y) || len(x[0]) == 0 {
		return fmt.Errorf("%d rows and %d targets: want one target per row, and rows with inputs", len(x), len(y))
	}
	for i, row := range x {
		if len(row) != len(x[0]) {
			return fmt.Errorf("row %d has %d inputs, the first has %d", i+1, len(row), len(x[0]))
		}
		for _, v := range append([]float64{y[i]}, row...) {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return fmt.Errorf("row %d holds %g, want finite numbers", i+1, v)
			}
		}
	}
	return nil
}
