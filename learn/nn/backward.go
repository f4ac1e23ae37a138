package nn

// backward adds one row's gradient to g, given the derivative of the loss with
// respect to the network's output. A frozen body stops after the last layer.
func (s *pass) backward(p, g *params, dOut float32, drop *dropout, frozen bool) {
	var d3 [width3 + 4]float32 // with respect to the third layer's active units
	for k := range s.l3.n {
		u := s.l3.unit[k]
		g.w4[u] += s.l3.val[k] * dOut
		d3[k] = p.w4[u] * dOut
	}
	g.b4[0] += dOut
	if frozen {
		return
	}
	scale := float32(1)
	if drop != nil {
		scale = drop.scale
	}

	for k := range s.l3.n {
		g.b3[s.l3.unit[k]] += d3[k]
	}
	var d2 [width2 + 4]float32
	cols, d := s.l3.unit[:s.l3.n], d3[:s.l3.n]
	for k, n := 0, s.l2.pad(); k < n; k += 4 {
		u, v := (*[4]uint8)(s.l2.unit[k:]), (*[4]float32)(s.l2.val[k:])
		ger64(row3(g.w3, u[0]), row3(g.w3, u[1]), row3(g.w3, u[2]), row3(g.w3, u[3]), v, cols, d)
		dot64((*[4]float32)(d2[k:]), row3(p.w3, u[0]), row3(p.w3, u[1]), row3(p.w3, u[2]), row3(p.w3, u[3]), cols, d, scale)
	}

	for k := range s.l2.n {
		g.b2[s.l2.unit[k]] += d2[k]
	}
	var d1 [width1 + 4]float32
	cols, d = s.l2.unit[:s.l2.n], d2[:s.l2.n]
	for k, n := 0, s.l1.pad(); k < n; k += 4 {
		u, v := (*[4]uint8)(s.l1.unit[k:]), (*[4]float32)(s.l1.val[k:])
		ger128(row2(g.w2, u[0]), row2(g.w2, u[1]), row2(g.w2, u[2]), row2(g.w2, u[3]), v, cols, d)
		dot128((*[4]float32)(d1[k:]), row2(p.w2, u[0]), row2(p.w2, u[1]), row2(p.w2, u[2]), row2(p.w2, u[3]), cols, d, scale)
	}

	gw := (*[inputs * width1]float32)(g.w1)
	gb := (*[width1]float32)(g.b1)
	x0, x1, x2, x3 := s.x[0], s.x[1], s.x[2], s.x[3]
	for k, u := range s.l1.unit[:s.l1.n] {
		dz, j := d1[k], int(u)
		gb[j] += dz
		gw[j] += x0 * dz
		gw[j+width1] += x1 * dz
		gw[j+2*width1] += x2 * dz
		gw[j+3*width1] += x3 * dz
	}
}

// ger128 adds the outer product of four activations and the derivatives d of
// the active columns to four gradient rows.
func ger128(r0, r1, r2, r3 *[width2]float32, v *[4]float32, cols []uint8, d []float32) {
	v0, v1, v2, v3 := v[0], v[1], v[2], v[3]
	d = d[:len(cols)]
	for k, c := range cols {
		j, dz := c&(width2-1), d[k]
		r0[j] += v0 * dz
		r1[j] += v1 * dz
		r2[j] += v2 * dz
		r3[j] += v3 * dz
	}
}

// dot128 gives, for four weight rows, the product with d over the active
// columns.
func dot128(out *[4]float32, r0, r1, r2, r3 *[width2]float32, cols []uint8, d []float32, scale float32) {
	var s0, s1, s2, s3 float32
	d = d[:len(cols)]
	for k, c := range cols {
		j, dz := c&(width2-1), d[k]
		s0 += r0[j] * dz
		s1 += r1[j] * dz
		s2 += r2[j] * dz
		s3 += r3[j] * dz
	}
	out[0], out[1], out[2], out[3] = s0*scale, s1*scale, s2*scale, s3*scale
}

// ger64 is ger128 for the third layer.
func ger64(r0, r1, r2, r3 *[width3]float32, v *[4]float32, cols []uint8, d []float32) {
	v0, v1, v2, v3 := v[0], v[1], v[2], v[3]
	d = d[:len(cols)]
	for k, c := range cols {
		j, dz := c&(width3-1), d[k]
		r0[j] += v0 * dz
		r1[j] += v1 * dz
		r2[j] += v2 * dz
		r3[j] += v3 * dz
	}
}

// dot64 is dot128 for the third layer.
func dot64(out *[4]float32, r0, r1, r2, r3 *[width3]float32, cols []uint8, d []float32, scale float32) {
	var s0, s1, s2, s3 float32
	d = d[:len(cols)]
	for k, c := range cols {
		j, dz := c&(width3-1), d[k]
		s0 += r0[j] * dz
		s1 += r1[j] * dz
		s2 += r2[j] * dz
		s3 += r3[j] * dz
	}
	out[0], out[1], out[2], out[3] = s0*scale, s1*scale, s2*scale, s3*scale
}
