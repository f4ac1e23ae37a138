package learn

import (
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"jtune/internal/must"
	"jtune/tegra"
)

// parseUnderscored reads a mode as the papers' files write it:
// cores_cpu(kHz)_gpu(Hz)_mem(Hz).
func parseUnderscored(t testing.TB, text string) tegra.Mode {
	t.Helper()
	var v [4]int64
	for i, field := range strings.Split(text, "_") {
		n := must.Get(strconv.ParseInt(field, 10, 64))(t)
		v[i] = n
	}
	return tegra.Mode{Cores: int(v[0]), CPU: tegra.Freq(v[1]) * tegra.KHz, GPU: tegra.Freq(v[2]), EMC: tegra.Freq(v[3])}
}

// randomPlaces draws k of n row numbers.
func randomPlaces(n, k int, seed uint64) []int {
	return rand.New(rand.NewPCG(seed, 7)).Perm(n)[:k]
}

func mustFit(t testing.TB, samples []tegra.Measured, o Options) *Model {
	t.Helper()
	return must.Get(Fit(t.Context(), samples, o))(t)
}
