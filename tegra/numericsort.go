package tegra

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
)

// sortNumeric sorts names by their trailing number: zone2 before zone10.
func sortNumeric(names []string) {
	slices.SortFunc(names, func(a, b string) int {
		prefixA, nA := trailing(a)
		prefixB, nB := trailing(b)
		return cmp.Or(cmp.Compare(prefixA, prefixB), cmp.Compare(nA, nB), cmp.Compare(a, b))
	})
}

func trailing(name string) (prefix string, n int) {
	prefix = strings.TrimRight(name, "0123456789")
	n, _ = strconv.Atoi(name[len(prefix):])
	return prefix, n
}
