package tegra

import (
	"fmt"
	"slices"
	"strings"
)

// SoftwareDifferences names the releases that differ between two lists, such as "L4T 35.1 and 36.4", since results
// depend on them. The lists hold texts such as "L4T 35.1", "kernel 5.10.104", "torch 2.0.0 on cuda" and "CUDA 11.4".
// It ignores software that one list lacks. nil means no difference.
func SoftwareDifferences(one, other []string) (differences []string) {
	versions := func(list []string) map[string]string {
		out := map[string]string{}
		for _, text := range list {
			kind, version, ok := strings.Cut(text, " ")
			if ok && slices.Contains(releases, kind) {
				out[kind] = version
			}
		}
		return out
	}
	a, b := versions(one), versions(other)
	for _, kind := range releases {
		if a[kind] != "" && b[kind] != "" && a[kind] != b[kind] {
			differences = append(differences, fmt.Sprintf("%s %s and %s", kind, a[kind], b[kind]))
		}
	}
	return differences
}

// releases are the software whose versions are compared.
var releases = []string{"L4T", "JetPack", "kernel", "CUDA", "torch"}
