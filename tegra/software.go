package tegra

import (
	"fmt"
	"slices"
	"strings"
)

// SoftwareApart names the releases in which two lists differ, such as "L4T 35.1 and 36.4": results move with them. The
// lists hold texts such as "L4T 35.1", "kernel 5.10.104", "torch 2.0.0 on cuda" and "CUDA 11.4". A value that one of
// them lacks is not compared. It is nil where all that both tell is the same.
func SoftwareApart(one, other []string) (apart []string) {
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
			apart = append(apart, fmt.Sprintf("%s %s and %s", kind, a[kind], b[kind]))
		}
	}
	return apart
}

// releases are the kinds of software whose versions are compared.
var releases = []string{"L4T", "JetPack", "kernel", "CUDA", "torch"}
