package detect

// pair follows two numbers such as 3/450, of which the first may be an epoch and the second a step.
type pair struct {
	first, second int
	grew          int  // how often only the second advanced
	ratio         bool // the first advanced and the second did not: it is the length
}

// leastGrowth is how often the second number must advance alone before it counts.
const leastGrowth = 3

// paired reports whether the second of two numbers counts steps and the first epochs: Batch 3/450, then Batch 3/460.
func (d *Detector) paired(prefix string, first, second int) bool {
	name := template(prefix)
	p := d.pairs[name]
	if p == nil {
		if len(d.pairs) < mostCandidates {
			d.pairs[name] = &pair{first: first, second: second}
		}
		return false
	}
	switch {
	case first == p.first && second > p.second:
		if p.grew++; p.grew == leastGrowth && !p.ratio {
			d.forget(name)
		}
	case first != p.first && second == p.second:
		p.ratio = true
	}
	p.first, p.second = first, second
	return p.grew >= leastGrowth && !p.ratio
}

// forget drops what was read of a pair while it looked like a count with its length.
func (d *Detector) forget(name string) {
	for _, c := range d.all {
		if c.of > 0 && c != d.chosen && c.name == name {
			c.spans, c.counted = nil, false
		}
	}
}
