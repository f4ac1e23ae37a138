package mlp_test

import (
	"context"
	"fmt"
	"math"

	"jtune/learn/baseline/mlp"
)

// A small network learns a curve that no straight line can be.
func ExampleFit() {
	var ghz [][]float64
	var ms []float64
	for x := 0.3; x < 1.3; x += 0.1 {
		ghz, ms = append(ghz, []float64{x}), append(ms, 60/x)
	}
	net, err := mlp.Fit(context.Background(), ghz, ms, mlp.Config{Hidden: 20, Steps: 2000, Seed: 1})
	if err != nil {
		panic(err)
	}
	got := net.At([]float64{0.75})
	fmt.Println("80 ms within 5 %:", math.Abs(got/80-1) < 0.05)
	// Output: 80 ms within 5 %: true
}
