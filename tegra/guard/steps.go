package guard

// steps are the found states before modes that were kept: what revert goes
// back to once nothing is on trial. Steps that were taken are forgotten on
// Keep; until then the end of the guard takes them back.
type steps struct {
	saved   *Pending // the latest; nil: none
	next    *Pending // what the next revert restores
	reached *Pending // what the last one restored; nil: none did since saved
}

// forget begins at the saved ones again.
func (b *steps) forget() {
	if b != nil {
		b.next, b.reached = b.saved, nil
	}
}

// steps reads the saved states when they are first needed.
func (s *Server) steps() (*steps, error) {
	if s.back == nil {
		saved, err := s.store.load(lastFile)
		if err != nil {
			return nil, err
		}
		s.back = &steps{saved: saved, next: saved}
	}
	return s.back, nil
}

// shortened leaves out the step before the state found first when there are
// too many.
func (p Pending) shortened() *Pending {
	n := 1
	for q := p.Before; q != nil; q = q.Before {
		n++
	}
	if n > mostSteps {
		q := &p
		for q.Before.Before.Before != nil {
			copied := *q.Before
			q.Before = &copied
			q = q.Before
		}
		q.Before = q.Before.Before
	}
	return &p
}

// saveOrRemove saves what there is.
func (s store) saveOrRemove(name string, p *Pending) error {
	if p == nil {
		return s.remove(name)
	}
	return s.save(name, *p)
}
