package front

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"jtune/tegra"
	"jtune/tui/page"
	"jtune/tui/widget"
)

// Key passes a key to the open input, to the moves, or to the drawing keys.
func (c *cloudView) Key(k tea.KeyPressMsg) (page.Intent, bool) {
	if c.filter.Typing() {
		does, filtered := c.filter.Key(k, c.read, func() { c.filter.passing() })
		if filtered {
			c.goTo(c.answer())
		}
		return does, true
	}
	if walk, by := c.walks(k); walk != nil {
		return walk(by), true
	}
	return c.acts().Key(k)
}

// walks returns the move of a key, and its distance; nil: the key is no move.
func (c *cloudView) walks(k tea.KeyPressMsg) (walk func(by int) page.Intent, by int) {
	keys := c.read.Keys()
	for _, pair := range []struct {
		less, more widget.Action
		do         func(by int) page.Intent
	}{
		{keys.Left, keys.Right, c.along},
		{keys.Up, keys.Down, c.off},
		{keys.PageUp, keys.PageDown, c.stride},
		{keys.HalfUp, keys.HalfDown, c.halfStride},
		{keys.Home, keys.End, c.toEnd},
		{keys.Lower, keys.Higher, c.moveLimit},
		{keys.SizeBefore, keys.Size, c.toSize},
		{keys.ZoomOut, keys.ZoomIn, c.zoomBy},
	} {
		switch {
		case pair.less.Matches(k):
			return pair.do, -1
		case pair.more.Matches(k):
			return pair.do, 1
		}
	}
	return nil, 0
}

// open reports whether something is open that back closes.
func (c *cloudView) open() bool {
	return c.large || c.picture.drawn != drawCloud || c.dots.Zoom.Steps > 0 || c.rivals.on || c.filter.Filter != ""
}

// back closes what was opened last.
func (c *cloudView) back() {
	switch {
	case c.large:
		c.large = false
	case c.picture.drawn != drawCloud:
		c.picture.drawn = drawCloud
	case c.dots.Zoom.Steps > 0:
		c.dots.Zoom = widget.Zoom{}
	case c.rivals.on:
		c.rivals.on = false
	default:
		c.filter.Filter = ""
		c.goTo(c.answer())
	}
}

// Hints returns the keys of the cloud, or of the open input.
func (c *cloudView) Hints() []widget.Action {
	if c.filter.Typing() {
		return c.filter.Hints(c.read)
	}
	keys := c.read.Keys()
	return append(c.acts().Hints(), keys.HalfUp, keys.HalfDown, keys.Home, keys.End)
}

// acts returns what the keys do with the mode under the cursor and with the drawing.
func (c *cloudView) acts() page.Acts {
	keys, drawn := c.read.Keys(), c.picture.drawn
	apply, now := page.Applying(c.read, page.Apply{Mode: c.read.Outlook().Known[c.cursor].Mode,
		Asked: c.read.AskedOfModel()})
	along := keys.Left.With(keys.Right, "along").Doing("walk along the front")
	table := page.On(keys.Table.As("table").Doing("the front as a table"), c.turnTable)
	axes := page.On(keys.Axes, func() { c.nextPlane(); c.goTo(c.cursor) })
	group := page.On(keys.Group, func() { c.group = (c.group + 1) % (int(tegra.NumKnobs) + 1) })
	if drawn == drawCloud && c.asTab {
		table = page.On(keys.Table.As("plot").Doing("the table as a plot"), c.turnTable)
	} else if drawn != drawCloud {
		along = keys.Left.With(keys.Right, "value").Doing("the next value of the clock across")
		table = page.On(table.Action, func() { c.picture.drawn, c.asTab = drawCloud, true })
		axes = page.On(keys.Axes, c.picture.nextQuantity)
		group = page.On(keys.Group, c.picture.nextKnobs)
	}
	if drawn == drawCurves {
		axes = page.On(keys.Axes, func() page.Intent {
			return page.Say("axes: curves show time, power and energy; " + keys.Group.Label() + " takes another")
		})
	}
	out := page.Acts{
		apply,
		page.Shown(along),
		page.Shown(keys.Lower.With(keys.Higher, "limit").Doing("move the limit and go to its answer")),
		page.On(keys.Verify.Unless(c.read.MayMeasure()), func() page.Intent { return c.verify(c.cursor) }),
	}
	if len(c.read.Outlook().Batches()) > 1 {
		size := keys.SizeBefore.With(keys.Size, "size")
		out = append(out, page.Shown(size.Doing("the model's batch size before, the next one")), now)
	} else {
		out = slices.Insert(out, 1, now.As("now"))
	}
	return append(out, table,
		page.On(keys.Picture, func() page.Intent {
			if c.picture.next() {
				return nil
			}
			return c.study.open()
		}),
		axes,
		page.On(keys.Log, func() page.Intent {
			says := c.nextLog()
			c.goTo(c.cursor)
			return says
		}),
		page.Shown(keys.ZoomIn), page.Shown(keys.ZoomOut),
		page.On(keys.Whole, func() { c.dots.Zoom = widget.Zoom{} }),
		page.Shown(keys.Up.With(keys.Down, "off it").Doing("to the next mode above or below")),
		page.Shown(keys.PageUp.As("far left").Doing("along the front by a twentieth of it")),
		page.Shown(keys.PageDown.As("far right").Doing("the other way")),
		page.On(keys.Limits, func() { c.filter.OpenLimits(c.read) }),
		page.On(keys.Rivals, c.rivals.turn),
		page.On(keys.Filter.Doing("keep modes such as cores<=8: their front, their answer"), c.filter.OpenFilter),
		page.On(keys.Answer, c.toAnswer),
		page.On(keys.Recall, func() page.Intent { return page.Recall{Workload: c.read.Outlook().Workload} }),
		group,
		page.Quiet(keys.Enlarge, true, func() { c.large = !c.large }),
		page.Quiet(keys.Back, c.open(), c.back))
}
