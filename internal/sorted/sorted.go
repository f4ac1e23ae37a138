// Package sorted sorts slices like slices.SortFunc and slices.SortStableFunc, with equal results. Those are compiled
// for every element type, 12 KB of program each; here all types share one copy. Slices with thousands of elements that
// a user waits for are sorted with package slices.
package sorted

import "sort"

// By sorts a list; equal elements may change places.
func By[E any](list []E, compare func(a, b E) int) { sort.Sort(of(list, compare)) }

// Stable sorts a list; equal elements keep their order.
func Stable[E any](list []E, compare func(a, b E) int) { sort.Stable(of(list, compare)) }

func of[E any](list []E, compare func(a, b E) int) sort.Interface {
	return &order{
		len(list),
		func(i, j int) bool { return compare(list[i], list[j]) < 0 },
		func(i, j int) { list[i], list[j] = list[j], list[i] },
	}
}

type order struct {
	n    int
	less func(i, j int) bool
	swap func(i, j int)
}

func (o *order) Len() int           { return o.n }
func (o *order) Less(i, j int) bool { return o.less(i, j) }
func (o *order) Swap(i, j int)      { o.swap(i, j) }
