package sorted

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"
)

type row struct{ key, place int }

func TestOrderIsThatOfPackageSlices(t *testing.T) {
	t.Parallel()
	byKey := func(a, b row) int { return cmp.Compare(a.key, b.key) }
	random := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{0, 1, 2, 11, 12, 13, 50, 51, 1000, 5000} {
		for _, keys := range []int{1, 3, 40, 10_000} {
			list := make([]row, n)
			for i := range list {
				list[i] = row{random.IntN(keys), i}
			}
			want, got := slices.Clone(list), slices.Clone(list)
			slices.SortFunc(want, byKey)
			By(got, byKey)
			if !slices.Equal(got, want) {
				t.Errorf("%d rows of %d keys: By orders equal ones otherwise than slices.SortFunc", n, keys)
			}
			want, got = slices.Clone(list), slices.Clone(list)
			slices.SortStableFunc(want, byKey)
			Stable(got, byKey)
			if !slices.Equal(got, want) {
				t.Errorf("%d rows of %d keys: Stable orders otherwise than slices.SortStableFunc", n, keys)
			}
		}
	}
}
