// Package parallel shares a loop among the cores.
package parallel

import (
	"runtime"

	"golang.org/x/sync/errgroup"
)

// piece is how many places a worker takes at once.
const piece = 256

// Ranges calls f for consecutive parts of 0 to count, on as many goroutines as
// there are cores, and returns when all have ended. The parts do not depend on
// the number of cores, so results do not either.
func Ranges(count int, f func(from, to int)) {
	_ = Each((count+piece-1)/piece, func(i int) error {
		f(i*piece, min((i+1)*piece, count))
		return nil
	})
}

// Each calls f for 0 to count-1, on as many goroutines as there are cores, and
// returns the first error when all have ended.
func Each(count int, f func(i int) error) error {
	if count == 1 {
		return f(0)
	}
	var all errgroup.Group
	all.SetLimit(min(runtime.GOMAXPROCS(0), runtime.NumCPU()))
	for i := range count {
		all.Go(func() error { return f(i) })
	}
	return all.Wait()
}
