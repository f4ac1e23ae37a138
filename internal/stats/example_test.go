package stats_test

import (
	"fmt"
	"math"

	"jtune/internal/stats"
)

func ExampleQuantile() {
	times := []float64{58.9, 59.1, math.NaN(), 60.4}
	fmt.Println(stats.Median(times), stats.Quantile(times, 1), stats.Median(nil))
	// Output: 59.1 60.4 NaN
}
