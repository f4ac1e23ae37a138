package nn

import "math"

// The inner loops over whole rows of weights, whose length is a multiple of eight. On amd64 processors with AVX2 and
// FMA a register holds eight weights. On other processors plain Go gives the same results to within rounding: 1e-6 of
// the sum of the products' magnitudes, and exactly for the optimiser's step.

// addRows adds four rows times their values to z.
func addRows(z, r0, r1, r2, r3 []float32, val *[4]float32) {
	r0, r1, r2, r3 = r0[:len(z)], r1[:len(z)], r2[:len(z)], r3[:len(z)]
	if vector {
		addRowsAVX2(&z[0], &r0[0], &r1[0], &r2[0], &r3[0], val, len(z))
		return
	}
	v0, v1, v2, v3 := val[0], val[1], val[2], val[3]
	for j := range z {
		z[j] += v0*r0[j] + v1*r1[j] + v2*r2[j] + v3*r3[j]
	}
}

// spread adds d times their values to four rows of a gradient.
func spread(r0, r1, r2, r3, d []float32, val *[4]float32) {
	r0, r1, r2, r3 = r0[:len(d)], r1[:len(d)], r2[:len(d)], r3[:len(d)]
	if vector {
		spreadAVX2(&r0[0], &r1[0], &r2[0], &r3[0], &d[0], val, len(d))
		return
	}
	v0, v1, v2, v3 := val[0], val[1], val[2], val[3]
	for j, dz := range d {
		r0[j] += v0 * dz
		r1[j] += v1 * dz
		r2[j] += v2 * dz
		r3[j] += v3 * dz
	}
}

// products returns the products of four rows with d.
func products(r0, r1, r2, r3, d []float32) (sum [4]float32) {
	r0, r1, r2, r3 = r0[:len(d)], r1[:len(d)], r2[:len(d)], r3[:len(d)]
	if vector {
		productsAVX2(&sum, &r0[0], &r1[0], &r2[0], &r3[0], &d[0], len(d))
		return sum
	}
	var s0, s1, s2, s3 float32
	for j, dz := range d {
		s0 += r0[j] * dz
		s1 += r1[j] * dz
		s2 += r2[j] * dz
		s3 += r3[j] * dz
	}
	return [4]float32{s0, s1, s2, s3}
}

// adamStep moves weights against the gradient and clears it; rate includes both bias corrections.
func adamStep(w, m, v, g []float32, rate float32) {
	m, v, g = m[:len(w)], v[:len(w)], g[:len(w)]
	from := 0
	if vector && len(w) >= 8 {
		from = len(w) &^ 7
		adamAVX2(&w[0], &m[0], &v[0], &g[0], from, rate)
	}
	for i := from; i < len(w); i++ {
		grad := g[i]
		first := beta1*m[i] + (1-beta1)*grad
		// one rarely taken branch; a test of the sign would be mispredicted
		if math.Float32bits(first)&^signBit < tinyBits {
			first = 0
		}
		second := beta2*v[i] + (1-beta2)*(grad*grad)
		m[i], v[i], g[i] = first, second, 0
		w[i] -= rate * first / (float32(math.Sqrt(float64(second))) + epsilon)
	}
}
