package front

// Click puts the cursor on the mode that is drawn nearest to a cell; the part
// that shows stays where it is.
func (p *Page) Click(x, y int) bool {
	fx, fy, ok := p.cloud.Under(x, y-p.top)
	if !ok {
		return false
	}
	if i, ok := p.points().Nearest(fx, fy); ok {
		p.cursor = i
	}
	return true
}

// Wheel zooms around the mouse.
func (p *Page) Wheel(x, y, by int) bool {
	fx, fy, ok := p.cloud.Under(x, y-p.top)
	if ok {
		p.cloud.Zoom = p.cloud.Zoom.Around(-by, fx, fy)
	}
	return ok
}
