package nn

// backward adds one row's gradient to g, given the derivative of the loss with
// respect to the network's output. A frozen body stops after the last layer.
func (s *pass) backward(p, g *params, dOut float32, drop *dropout, frozen bool) {
	var d3 slopes // with respect to the third layer's active units
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

	d2 := s.l2.backward(p.w3, g.w3, g.b3, &s.l3, &d3, scale)
	d1 := s.l1.backward(p.w2, g.w2, g.b2, &s.l2, d2, scale)

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

// slopes are the derivatives with respect to a layer's active units.
type slopes [width1 + 4]float32

// backward adds to g and gb the gradient of the weights and biases between a layer and the next, whose
// derivatives are known, and returns the layer's own: the outer product of its values with them,
// and the product of the weights with them.
func (a *active) backward(w, g, gb []float32, next *active, known *slopes, scale float32) *slopes {
	var all [width1]float32 // known, by unit
	d := all[:len(gb)]
	for k, c := range next.unit[:next.n] {
		gb[c] += known[k]
		d[c] = known[k]
	}
	var out slopes
	for k, n := 0, a.pad(); k < n; k += 4 {
		u := (*[4]uint8)(a.unit[k:])
		r0, r1, r2, r3 := rows(g, u, len(gb))
		spread(r0, r1, r2, r3, d, (*[4]float32)(a.val[k:]))
		r0, r1, r2, r3 = rows(w, u, len(gb))
		for i, v := range products(r0, r1, r2, r3, d) {
			out[k+i] = v * scale
		}
	}
	return &out
}
