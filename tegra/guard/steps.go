package guard

// steps are the found states before kept modes, to which revert goes back once no mode is on trial. Keep forgets the
// steps taken; until then the end of the guard undoes them.
type steps struct {
	saved   *Pending // latest saved state; nil: none
	next    *Pending // state that the next revert restores
	reached *Pending // state that the last revert restored; nil: none since saved
}

// forget restarts at the saved states.
func (b *steps) forget() {
	if b != nil {
		b.next, b.reached = b.saved, nil
	}
}

// steps reads the saved states at the first call.
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

// shortened drops the step after the state found first if there are too many.
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

// saveOrRemove saves p, or removes the file if p is nil.
func (s store) saveOrRemove(name string, p *Pending) error {
	if p == nil {
		return s.remove(name)
	}
	return s.save(name, *p)
}
