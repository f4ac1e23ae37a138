//go:build !amd64

package simd

var vector = false // tests set it to what it is

func dotAVX2(*Lanes, *float64, *Lanes, int) { panic("simd: no AVX2 here") }

func maternAVX2(*Lanes, *[Dims]float64, int, *Points, float64) { panic("simd: no AVX2 here") }

func expAVX2(*Lanes, int) { panic("simd: no AVX2 here") }
