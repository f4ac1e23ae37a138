package page

import "math"

// speeds are the rates of a virtual clock that < and > step through.
var speeds = []float64{1, 2, 5, 10, 30, 60, 120, math.Inf(1)}

// Faster returns the next higher (or lower) rate.
func Faster(now float64, up bool) float64 {
	next := now
	for i := range speeds {
		if s := speeds[i]; up && s > now {
			return s
		}
		if s := speeds[len(speeds)-1-i]; !up && s < now {
			return s
		}
	}
	return next
}
