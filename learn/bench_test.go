package learn

import (
	"testing"

	"jtune/internal/must"
	"jtune/tegra"
	"jtune/tegra/sweep/sweeptest"
)

// orinSpace is the AGX Orin's 18,096 modes: sizes matter here, not values.
func orinSpace(t testing.TB) *tegra.Space {
	t.Helper()
	step := func(n int, from, by tegra.Freq) (out []tegra.Freq) {
		for i := range n {
			out = append(out, from+tegra.Freq(i)*by)
		}
		return out
	}
	cores := make([]int, 12)
	for i := range cores {
		cores[i] = i + 1
	}
	cpu := append(step(28, 115200*tegra.KHz, 76800*tegra.KHz), 2201600*tegra.KHz)
	gpu := append(step(12, 114750*tegra.KHz, 102*tegra.MHz), 1300500*tegra.KHz)
	emc := []tegra.Freq{204 * tegra.MHz, 665600 * tegra.KHz, 2133 * tegra.MHz, 3199 * tegra.MHz}
	return must.Get(tegra.NewSpace(cores, cpu, gpu, emc))(t)
}

// BenchmarkFit50 is one final fit of time and power: grid and outlier rounds.
func BenchmarkFit50(b *testing.B) {
	s := loadSweep(b, sweeptest.MobileNet)
	in, _ := s.split(randomPlaces(len(s.rows), 50, 1))
	for b.Loop() {
		_, err := FitSurrogate(s.space, in, SurrogateOptions{Grid: true, Robust: 2})
		must.NoError(b, err)
	}
}

// BenchmarkFit50Fixed is a fit inside a design.
func BenchmarkFit50Fixed(b *testing.B) {
	s := loadSweep(b, sweeptest.MobileNet)
	in, _ := s.split(randomPlaces(len(s.rows), 50, 1))
	for b.Loop() {
		_, err := FitSurrogate(s.space, in, SurrogateOptions{})
		must.NoError(b, err)
	}
}

// BenchmarkPosterior18096 is the belief about every mode of an AGX Orin from
// 50 measured ones.
func BenchmarkPosterior18096(b *testing.B) {
	s := loadSweep(b, sweeptest.MobileNet)
	space := orinSpace(b)
	var in []tegra.Measured
	for _, m := range space.Sample(50, 1) { // any times will do
		in = append(in,
			tegra.Measured{Setting: tegra.Setting{Mode: m}, TimeMS: s.rows[0].TimeMS, PowerW: s.rows[0].PowerW})
	}
	fit := must.Get(FitSurrogate(space, in, SurrogateOptions{}))(b)
	for b.Loop() {
		if p := fit.Posterior(); len(p.LnTime) != 18096 {
			b.Fatal(len(p.LnTime))
		}
	}
}

// BenchmarkCovariance300 is the cost of a design step after each measurement.
func BenchmarkCovariance300(b *testing.B) {
	s := loadSweep(b, sweeptest.MobileNet)
	in, _ := s.split(randomPlaces(len(s.rows), 20, 1))
	fit := must.Get(FitSurrogate(s.space, in, SurrogateOptions{}))(b)
	a, c := randomPlaces(len(s.rows), 300, 2), randomPlaces(len(s.rows), 300, 3)
	for b.Loop() {
		fit.CovTime(a, c)
		fit.CovPower(a, c)
	}
}

// BenchmarkShippedReference18096 is the shipped residual over every mode of an
// AGX Orin; once per process.
func BenchmarkShippedReference18096(b *testing.B) {
	space := orinSpace(b)
	for b.Loop() {
		r := must.Get(ShippedReference().Residual(space))(b)
		r.over(space)
	}
}
