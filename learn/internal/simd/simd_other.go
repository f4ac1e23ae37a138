//go:build !amd64

package simd

var vector = false // a variable, since tests assign it

func dotAVX2(*Lanes, *float64, *Lanes, int) { panic("simd: no AVX2 here") }

func maternAVX2(*Lanes, *[dims]float64, int, *Points, float64) { panic("simd: no AVX2 here") }

func softMaxAVX2(*Lanes, *float64, *Lanes, int, float64, *Lanes, *Lanes) { panic("simd: no AVX2 here") }

func solveAVX2(*float64, int, int, int, *Lanes, *Lanes) { panic("simd: no AVX2 here") }
