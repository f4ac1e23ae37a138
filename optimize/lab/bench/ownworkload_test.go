package bench

import (
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"jtune/internal/must"
	"jtune/learn"
	"jtune/optimize/optimizetest"
	"jtune/tegra"
	"jtune/tegra/sweep/sweeptest"
)

// jtune distinguishes workloads as different as the published ones, by measured modes and by networks, and notes when
// the reference is the sweep's own workload.
func TestOwnWorkloadIsNoted(t *testing.T) {
	t.Parallel()
	b := optimizetest.New(t)
	own := &learn.Reference{Name: "itself", Samples: b.All()}
	for _, m := range []*learn.Reference{own, optimizetest.Reference(t, b, false)} {
		r := must.Get(Evaluate(t.Context(), Options{Truth: b.All(), Reference: m, Sizes: []int{8}, Seeds: 1,
			BudgetFrom: 20, BudgetTo: 20, Methods: []string{GPRef}}))(t)
		if told := strings.Contains(strings.Join(r.Notes, "\n"), "own workload"); told != (m == own) {
			t.Errorf("reference %s: notes %q", m.Name, r.Notes)
		}
	}
	for _, name := range []string{sweeptest.ResNet, sweeptest.MobileNet, sweeptest.LSTM} {
		f := must.Get(newTruth(&Options{Truth: thinned(t, name), BudgetFrom: 30, BudgetTo: 30, BudgetStep: 1}))(t)
		if told := f.ownWorkload(learn.ShippedReference()) != ""; told != (name == sweeptest.ResNet) {
			t.Errorf("%s: the shipped networks, of ResNet-18, are %.2f off in the median",
				name, f.distance(learn.ShippedReference()))
		}
	}
}

// thinned is a random part of a sweep, too small for a clean optimum, or all of it
// under JTUNE_LONG.
func thinned(t *testing.T, name string) []tegra.Measured {
	rows := sweeptest.Load(t, name)
	if os.Getenv("JTUNE_LONG") == "" {
		rand.New(rand.NewPCG(1, 2)).Shuffle(len(rows), func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
		rows = rows[:min(len(rows), cleanSample-1)]
	}
	return rows
}
