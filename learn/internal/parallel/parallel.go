// Package parallel runs a loop on all cores.
package parallel

import (
	"runtime"

	"golang.org/x/sync/errgroup"
)

// piece is the number of indices that a worker takes at once.
const piece = 512

// Ranges calls f for consecutive parts of 0 to count on one goroutine per core, and waits for all. The parts, and so
// the results, do not depend on the number of cores.
func Ranges(count int, f func(from, to int)) {
	_ = Each((count+piece-1)/piece, func(i int) error {
		f(i*piece, min((i+1)*piece, count))
		return nil
	})
}

// Each calls f for 0 to count-1 on one goroutine per core, waits for all, and returns the first error.
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
