package forest_test

import (
	"fmt"

	"jtune/learn/baseline/forest"
)

// A tree answers with the targets of the rows nearest to a question; a forest
// smooths the steps. Neither leaves the range of its targets.
func ExampleGrow() {
	ghz := [][]float64{{0.3}, {0.6}, {0.9}, {1.2}}
	watts := []float64{12, 16, 20, 28}
	tree, err := forest.Grow(ghz, watts, forest.Tree)
	if err != nil {
		panic(err)
	}
	smooth, err := forest.Grow(ghz, watts, forest.Config{Trees: 200, Seed: 1})
	if err != nil {
		panic(err)
	}
	for _, x := range []float64{0.6, 0.7, 2.5} {
		at := smooth.At([]float64{x})
		within := 12 <= at && at <= 28
		fmt.Printf("%.1f GHz: tree %g W, forest within 12 and 28 W: %v\n", x, tree.At([]float64{x}), within)
	}
	// Output:
	// 0.6 GHz: tree 16 W, forest within 12 and 28 W: true
	// 0.7 GHz: tree 16 W, forest within 12 and 28 W: true
	// 2.5 GHz: tree 28 W, forest within 12 and 28 W: true
}
