package modes

// loadText describes the load for the title; "" if there is none.
func (p *Page) loadText() string {
	switch {
	case p.served != nil:
		return ", " + p.served.Title()
	case p.read.Goal().Load.Any():
		return ", working out the load …"
	}
	return ""
}
