package nn

// backward adds one row's gradient to g, given the derivative of the loss with respect to the network's output. With a
// frozen body it stops after the last layer.
func (s *pass) backward(p, g *params, dOut float32, drop *dropout, frozen bool) {
	out := p.hidden()
	top, w, gw := &s.layers[out-1], p.w[out], g.w[out]
	var of slopes // with respect to a layer's active units
	for k := range top.n {
		u := top.unit[k]
		gw[u] += top.val[k] * dOut
		of[k] = w[u] * dOut
	}
	g.b[out][0] += dOut
	if frozen {
		return
	}
	scale := float32(1)
	if drop != nil {
		scale = drop.scale
	}

	for i := out - 1; i > 0; i-- {
		s.layers[i-1].backward(p.w[i], g.w[i], g.b[i], &s.layers[i], &of, scale)
	}

	gb := g.b[0]
	g0, g1, g2, g3 := rows(g.w[0], &[4]uint8{0, 1, 2, 3}, len(gb))
	x0, x1, x2, x3 := s.x[0], s.x[1], s.x[2], s.x[3]
	for k, u := range s.layers[0].unit[:s.layers[0].n] {
		dz := of[k]
		gb[u] += dz
		g0[u] += x0 * dz
		g1[u] += x1 * dz
		g2[u] += x2 * dz
		g3[u] += x3 * dz
	}
}

// slopes are the derivatives of the loss with respect to a layer's active units.
type slopes [maxWidth + 4]float32

// backward adds to g and gb the gradient of the weights and biases between a layer and the next: the outer product of
// the layer's values and the derivatives with respect to the next layer. It replaces these derivatives by the layer's
// own: their product with the weights.
func (a *active) backward(w, g, gb []float32, next *active, of *slopes, scale float32) {
	var all [maxWidth]float32 // of, by unit
	d := all[:len(gb)]
	for k, c := range next.unit[:next.n] {
		gb[c] += of[k]
		d[c] = of[k]
	}
	for k, n := 0, a.pad(); k < n; k += 4 {
		u := (*[4]uint8)(a.unit[k:])
		r0, r1, r2, r3 := rows(g, u, len(gb))
		spread(r0, r1, r2, r3, d, (*[4]float32)(a.val[k:]))
		r0, r1, r2, r3 = rows(w, u, len(gb))
		for i, v := range products(r0, r1, r2, r3, d) {
			of[k+i] = v * scale
		}
	}
}
