package nn

import "golang.org/x/sys/cpu"

var vector = cpu.X86.HasAVX2 && cpu.X86.HasFMA

// The lengths n are multiples of eight above zero.

//go:noescape
func addRowsAVX2(z, r0, r1, r2, r3 *float32, val *[4]float32, n int)

//go:noescape
func spreadAVX2(r0, r1, r2, r3, d *float32, val *[4]float32, n int)

//go:noescape
func productsAVX2(sum *[4]float32, r0, r1, r2, r3, d *float32, n int)

//go:noescape
func adamAVX2(w, m, v, grad *float32, n int, rate float32)
