//go:build !amd64

package nn

var vector = false // a variable, since tests assign it

const noAVX2 = "nn: no AVX2 here"

func addRowsAVX2(z, r0, r1, r2, r3 *float32, val *[4]float32, n int) { panic(noAVX2) }

func spreadAVX2(r0, r1, r2, r3, d *float32, val *[4]float32, n int) { panic(noAVX2) }

func productsAVX2(sum *[4]float32, r0, r1, r2, r3, d *float32, n int) { panic(noAVX2) }

func adamAVX2(w, m, v, grad *float32, n int, rate float32) { panic(noAVX2) }
