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
	switch {
	case c.limits.Typing():
		return c.limits.Key(k, c.read), true
	case c.filter.typing():
		if c.filter.key(k) {
			c.goTo(c.answer())
		}
		return nil, true
	}
	keys := c.read.Keys()
	if walk, by := c.walks(k); walk != nil {
		return walk(by), true
	}
	switch {
	case keys.Answer.Matches(k):
		return c.toAnswer(), true
	case keys.Limits.Matches(k):
		c.limits.Open(c.read)
	case keys.Rivals.Matches(k):
		return c.rivals.turn(), true
	case keys.Filter.Matches(k):
		c.filter.open()
	case keys.Recall.Matches(k):
		return page.Recall{Workload: c.read.Outlook().Workload}, true
	case keys.Verify.Matches(k):
		return c.verify(c.cursor), true
	default:
		if does, yes := keys.Applies(k); yes {
			does.Mode = c.read.Outlook().Known[c.cursor].Mode
			return does, true
		}
		return c.drawKey(k)
	}
	return nil, true
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

// drawKey handles the keys that change what is drawn.
func (c *cloudView) drawKey(k tea.KeyPressMsg) (page.Intent, bool) {
	keys := c.read.Keys()
	switch {
	case keys.Picture.Matches(k):
		if c.picture.next() {
			return nil, true
		}
		return c.study.open(), true
	case keys.Enlarge.Matches(k):
		c.large = !c.large
	case keys.Back.Matches(k):
		return nil, c.back()
	case c.picture.drawn != drawCloud && keys.Table.Matches(k):
		c.picture.drawn, c.asTab = drawCloud, true
	case c.picture.drawn == drawMap && keys.Axes.Matches(k):
		c.picture.nextQuantity()
	case c.picture.drawn == drawCurves && keys.Axes.Matches(k):
		return page.Say("axes: curves show time, power and energy; " + keys.Group.Label() + " takes another"), true
	case c.picture.drawn != drawCloud && keys.Group.Matches(k):
		c.picture.nextKnobs()
	case keys.Table.Matches(k):
		c.turnTable()
	case keys.Axes.Matches(k):
		c.nextPlane()
		c.goTo(c.cursor)
	case keys.Log.Matches(k):
		says := c.nextLog()
		c.goTo(c.cursor)
		return says, true
	case keys.Whole.Matches(k):
		c.dots.Zoom = widget.Zoom{}
	case keys.Group.Matches(k):
		c.group = (c.group + 1) % (int(tegra.NumKnobs) + 1)
	default:
		return nil, false
	}
	return nil, true
}

// back closes what was opened last; false if nothing is open.
func (c *cloudView) back() bool {
	switch {
	case c.large:
		c.large = false
	case c.picture.drawn != drawCloud:
		c.picture.drawn = drawCloud
	case c.dots.Zoom.Steps > 0:
		c.dots.Zoom = widget.Zoom{}
	case c.rivals.on:
		c.rivals.on = false
	case c.filter.text != "":
		c.filter.text = ""
		c.goTo(c.answer())
	default:
		return false
	}
	return true
}

// Hints returns the keys of the cloud, or of the open input.
func (c *cloudView) Hints() []widget.Action {
	switch {
	case c.filter.typing():
		return page.FilterHints(c.read)
	case c.limits.Typing():
		return c.limits.Hints(c.read)
	}
	keys, why := c.read.Keys(), c.read.MayWrite()
	other := keys.Table.As("table").Doing("the front as a table")
	if c.asTab && c.picture.drawn == drawCloud {
		other = keys.Table.As("plot").Doing("the table as a plot")
	}
	along := keys.Left.With(keys.Right, "along").Doing("walk along the front")
	if c.picture.drawn != drawCloud {
		along = keys.Left.With(keys.Right, "value").Doing("the next value of the clock across")
	}
	out := []widget.Action{
		keys.Apply.Unless(why),
		along,
		keys.Lower.With(keys.Higher, "limit").Doing("move the limit and go to its answer"),
		keys.Verify.Unless(c.read.MayMeasure()),
	}
	if c.read.Outlook().Batches() != nil {
		size := keys.SizeBefore.With(keys.Size, "size")
		out = append(out, size.Doing("the model's batch size before, the next one"), keys.AtOnce.Unless(why))
	} else {
		out = slices.Insert(out, 1, keys.AtOnce.As("now").Unless(why))
	}
	return append(out, other, keys.Picture,
		keys.Axes, keys.Log, keys.ZoomIn, keys.ZoomOut, keys.Whole,
		keys.Up.With(keys.Down, "off it").Doing("to the next mode above or below"),
		keys.PageUp.As("far left").Doing("along the front by a twentieth of it"),
		keys.PageDown.As("far right").Doing("the other way"),
		keys.Limits, keys.Rivals, keys.Filter.Doing("keep modes such as cores<=8: their front, their answer"),
		keys.HalfUp, keys.HalfDown, keys.Home, keys.End, keys.Answer, keys.Recall, keys.Group)
}
