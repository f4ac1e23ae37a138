// Package sorted sorts slices by a comparison, as slices.SortFunc and slices.SortStableFunc do and in the same order.
// Those two are compiled again for every element type, 12 KB of program each; here all types share one copy. A slice of
// thousands of elements that a person waits for keeps those of slices.
package sorted

import "sort"

// By sorts a list; elements that compare equal may change places.
func By[E any](list []E, compare func(a, b E) int) { sort.Sort(of(list, compare)) }

// Stable sorts a list; elements that compare equal keep their order.
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
