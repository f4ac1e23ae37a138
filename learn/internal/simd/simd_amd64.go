package simd

import "golang.org/x/sys/cpu"

var vector = cpu.X86.HasAVX2 && cpu.X86.HasFMA

// dotAVX2 is Dot for n > 0 rows.
//
//go:noescape
func dotAVX2(sum *Lanes, a *float64, b *Lanes, n int)

// maternAVX2 is Matern for n > 0 samples.
//
//go:noescape
func maternAVX2(out *Lanes, samples *[dims]float64, n int, modes *Points, variance float64)

// softMaxAVX2 is SoftMax for n > 0 terms.
//
//go:noescape
func softMaxAVX2(shares *Lanes, theta *float64, logs *Lanes, n int, p float64, most, mean *Lanes)

// solveAVX2 is Solve for from < to.
//
//go:noescape
func solveAVX2(l *float64, n, from, to int, b, squares *Lanes)
