package front

import (
	"slices"

	"jtune/internal/axis"
	"jtune/optimize/outlook"
	"jtune/optimize/serving"
	"jtune/tui/page"
	"jtune/tui/widget"
)

// cloudView shows all modes of a model with what is known of them, the front, and the choice under the limit. It can
// apply a mode.
type cloudView struct {
	axes
	filter  filter
	rivals  rivals
	picture picture
	study   *studyView // follows the last picture
	dots    widget.Cloud
	top     int              // first row of the plot on the page
	cursor  int              // index into the space
	ghost   *outlook.Outlook // outlook of the previous model; nil: none
	large   bool
	group   int // 0: none; otherwise the modes that share the cursor's value of knob group-1 are highlighted
	tab     widget.Table
	seek    bool // move the cursor to the answer, and to its batch size, once that is computed
	atBest  bool // the cursor was on the best mode when the user changed the batch size
	best    page.Memo[int]
}

var _ view = (*cloudView)(nil)

func newCloud(s *shared, study *studyView) *cloudView {
	c := &cloudView{axes: axes{modes: modes{s}, linear: map[string]bool{}}, rivals: rivals{read: s.read}, study: study}
	c.filter.axes = &c.axes
	c.tab = widget.Table{Keys: s.read.Keys().ListKeys()}
	return c
}

// goTo moves the cursor to a mode and scrolls it into view.
func (c *cloudView) goTo(i int) {
	c.cursor = i
	if c.dots.Zoom.Steps > 0 {
		c.dots.Zoom = c.dots.Zoom.Follow(c.points().Share(i))
	}
}

// scales returns the scales of the visible part.
func (c *cloudView) scales() (x, y axis.Scale) {
	all := c.points()
	return c.dots.Zoom.Of(all.X, all.Y)
}

// front lists the members of the drawn front, left to right.
func (c *cloudView) front() []int {
	if c.filter.passing() != nil {
		return c.filter.front
	}
	return c.trade().Front(nil)
}

// shown lists the modes that pass the filter.
func (c *cloudView) shown() []int {
	if pass := c.filter.passing(); pass != nil {
		return pass
	}
	out := make([]int, len(c.read.Outlook().Known))
	for i := range out {
		out[i] = i
	}
	return out
}

// listed returns the front including the cursor's mode, even if that is off the front, and its index there.
func (c *cloudView) listed() (list []int, at int) {
	f := c.front()
	if at = slices.Index(f, c.cursor); at >= 0 {
		return f, at
	}
	xs, _ := c.columns()
	if at = slices.IndexFunc(f, func(m int) bool { return xs[m] > xs[c.cursor] }); at < 0 {
		at = len(f)
	}
	return slices.Insert(slices.Clone(f), at, c.cursor), at
}

// answer returns best within the limit among the modes that pass the filter.
func (c *cloudView) answer() int {
	pass, v, s, limit := c.filter.passing(), c.read.Outlook(), c.read.Served(), c.read.Limit()
	return c.best.Of([...]any{v, s, limit, c.filter.text}, func() int { return serving.AnswerAmong(v, limit, s, pass) })
}

// toAnswer moves the cursor to the answer; under a load it also changes to the answer's batch size.
func (c *cloudView) toAnswer() page.Intent {
	if s := c.read.Served(); s != nil && c.filter.passing() == nil {
		if by := c.sizesTo(s.Best.Batch); by != 0 {
			c.seek = true
			return page.Size(by)
		}
	}
	c.goTo(c.answer())
	return nil
}

// toSize shows the next or previous batch size if there are several.
func (c *cloudView) toSize(by int) page.Intent {
	if len(c.read.Outlook().Batches()) < 2 {
		return nil
	}
	c.atBest = c.cursor == c.answer()
	return page.Size(by)
}

// limited handles a change of the limit.
func (c *cloudView) limited() {
	if c.read.Outlook() != nil {
		c.seek = true
		c.goTo(c.answer())
	}
}

// outlookShown handles another outlook: the cursor stays unless it was on the answer.
func (c *cloudView) outlookShown(m page.OutlookShown) page.Intent {
	c.seek = c.seek || !m.Same
	if c.ghost = nil; m.Before != nil && m.Same && m.Before.Batch == c.read.Outlook().Batch {
		c.ghost = m.Before
	}
	if !m.Same || c.cursor == m.Before.Answer(c.read.Limit()) {
		c.goTo(c.answer())
	} else if i, known := c.read.Outlook().Index(m.Before.Known[c.cursor].Mode); known { // among more modes
		c.cursor = i
	}
	return c.rivals.find()
}

// served handles new results under the load: the cursor moves to the answer, in its batch size, if that was requested.
func (c *cloudView) served() page.Intent {
	s := c.read.Served()
	switch {
	case s == nil:
	case c.seek:
		if by := c.sizesTo(s.Best.Batch); by != 0 {
			return page.Size(by)
		}
		c.seek = false
		c.goTo(c.answer())
	case c.atBest:
		c.atBest = false
		c.goTo(c.answer())
	}
	return nil
}
