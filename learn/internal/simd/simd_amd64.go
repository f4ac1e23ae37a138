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
func maternAVX2(out *Lanes, samples *[Dims]float64, n int, modes *Points, variance float64)

// expAVX2 is Exp for n > 0 rows.
//
//go:noescape
func expAVX2(x *Lanes, n int)
