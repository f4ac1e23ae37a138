package optimize

import (
	"fmt"
	"testing"

	"jtune/internal/must"
	"jtune/learn"
	"jtune/optimize/optimizetest"
	"jtune/optimize/pareto"
	"jtune/tegra"
	"jtune/tegra/metric"
)

// orinToy is the toy's workload on the space of an AGX Orin.
func orinToy(b *testing.B) *optimizetest.Board {
	b.Helper()
	steps := func(n int, from, by tegra.Freq) (out []tegra.Freq) {
		for i := range n {
			out = append(out, from+tegra.Freq(i)*by)
		}
		return out
	}
	cores := make([]int, 12)
	for i := range cores {
		cores[i] = i + 1
	}
	space := must.Get(tegra.NewSpace(cores, append(steps(28, 115200*tegra.KHz, 76800*tegra.KHz), 2201600*tegra.KHz),
		append(steps(12, 114750*tegra.KHz, 102000*tegra.KHz), 1300500*tegra.KHz),
		[]tegra.Freq{204 * tegra.MHz, 665600 * tegra.KHz, 2133 * tegra.MHz, 3199 * tegra.MHz}))(b)
	if space.Len() != 18096 {
		b.Fatalf("%d modes, want 18,096", space.Len())
	}
	return &optimizetest.Board{Space: space}
}

// BenchmarkAnswer18096 is the user's wait after a fit: all modes of an AGX Orin with bands, the front, and the choice
// for a limit. Target: under 20 ms on two cores.
func BenchmarkAnswer18096(b *testing.B) {
	board := orinToy(b)
	m := must.Get(learn.Fit(b.Context(), sampleOf(board, 50), learn.Options{Space: board.Space, SkipCV: true}))(b)
	modes := board.Space.Modes()
	for b.Loop() {
		preds := m.Predict(modes)
		points := make([]tegra.Measured, len(preds))
		for i, p := range preds {
			points[i] = p.Measured
		}
		if len(pareto.Front(points, pareto.Power)) == 0 {
			b.Fatal("no front")
		}
		_, err := Choose(preds, metric.Watts(25))
		must.NoError(b, err)
	}
}

// BenchmarkFit50 is the default method on 50 modes: time and power, without
// and with its cross-validation. Want under 100 ms.
func BenchmarkFit50(b *testing.B) {
	board := orinToy(b)
	rows := sampleOf(board, 50)
	for _, skip := range []bool{true, false} {
		b.Run(fmt.Sprintf("crossvalidated=%v", !skip), func(b *testing.B) {
			for b.Loop() {
				_, err := learn.Fit(b.Context(), rows, learn.Options{Space: board.Space, SkipCV: skip})
				must.NoError(b, err)
			}
		})
	}
}

// BenchmarkTuneStep18096 is one step of the closed loop besides the measuring: refit, belief over all modes, and the
// next mode, here after 20. Want under 10 ms on two quiet cores.
func BenchmarkTuneStep18096(b *testing.B) {
	board := orinToy(b)
	s, err := newSearch(b.Context(), optimizetest.OfModes(board.Measure), TuneOptions{Limits: goals(metric.Watts(25)),
		Space: board.Space, Known: sampleOf(board, 20)})
	must.NoError(b, err)
	for b.Loop() {
		must.NoError(b, s.fit())
		s.rule().choose(anywhere)
	}
}
