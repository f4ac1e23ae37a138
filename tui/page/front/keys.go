package front

import (
	"slices"

	"jtune/tegra"
	"jtune/tui/page"
	"jtune/tui/widget"
)

// Acts returns what the keys do with the mode under the cursor and with the drawing, or with the open input.
func (c *cloudView) Acts() page.Acts {
	if c.filter.Typing() {
		return c.filter.Acts(c.read, func() { c.filter.passing() }, func() { c.goTo(c.answer()) })
	}
	keys, drawn := c.read.Keys(), c.picture.drawn
	apply, now := page.Applying(c.read, page.Apply{Mode: c.read.Outlook().Known[c.cursor].Mode,
		Asked: c.read.AskedOfModel()})
	along := page.Both(keys.Left, keys.Right, c.along)
	walk := along.As("along", "walk along the front")
	table := page.On(keys.Table.As("table").Doing("the front as a table"), c.turnTable)
	axes := page.On(keys.Axes, func() { c.nextPlane(); c.goTo(c.cursor) })
	group := page.On(keys.Group, func() { c.group = (c.group + 1) % (int(tegra.NumKnobs) + 1) })
	if drawn == drawCloud && c.asTab {
		table = page.On(keys.Table.As("plot").Doing("the table as a plot"), c.turnTable)
	} else if drawn != drawCloud {
		walk = along.As("value", "the next value of the clock across")
		table = page.On(table.Action, func() { c.picture.drawn, c.asTab = drawCloud, true })
		axes = page.On(keys.Axes, c.picture.nextQuantity)
		group = page.On(keys.Group, c.picture.nextKnobs)
	}
	if drawn == drawCurves {
		axes = page.On(keys.Axes, func() page.Intent {
			return page.Say("axes: curves show time, power and energy; " + keys.Group.Label() + " takes another")
		})
	}
	size := page.Both(keys.SizeBefore, keys.Size, c.toSize)
	first, later := page.Acts{apply, now.As("now")}, size.Unnamed()
	if len(c.read.Outlook().Batches()) > 1 {
		first, later = page.Acts{apply}, append(size.As("size", "the model's batch size before, the next one"), now)
	}
	return slices.Concat(first, walk,
		page.Both(keys.Lower, keys.Higher, c.moveLimit).As("limit", "move the limit and go to its answer"),
		page.Acts{page.On(keys.Verify.Unless(c.read.MayMeasure()), func() page.Intent { return c.verify(c.cursor) })},
		later, page.Acts{
			table,
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
			})},
		page.Both(keys.ZoomIn, keys.ZoomOut, func(by int) page.Intent { return c.zoomBy(-by) }),
		page.Acts{page.On(keys.Whole, func() { c.dots.Zoom = widget.Zoom{} })},
		page.Both(keys.Up, keys.Down, c.off).As("off it", "to the next mode above or below"),
		page.Both(keys.PageUp.As("far left").Doing("along the front by a twentieth of it"),
			keys.PageDown.As("far right").Doing("the other way"), c.stride),
		page.Acts{
			page.On(keys.Limits, func() { c.filter.OpenLimits(c.read) }),
			page.On(keys.Rivals, c.rivals.turn),
			page.On(keys.Filter.Doing("keep modes such as cores<=8: their front, their answer"), c.filter.OpenFilter),
			page.On(keys.Answer, c.toAnswer),
			page.On(keys.Recall, func() page.Intent { return page.Recall{Workload: c.read.Outlook().Workload} }),
			group,
			page.Quiet(keys.Enlarge, true, func() { c.large = !c.large }),
			page.Quiet(keys.Back, c.large, func() { c.large = false }), // it closes what was opened last
			page.Quiet(keys.Back, drawn != drawCloud, func() { c.picture.drawn = drawCloud }),
			page.Quiet(keys.Back, c.dots.Zoom.Steps > 0, func() { c.dots.Zoom = widget.Zoom{} }),
			page.Quiet(keys.Back, c.rivals.on, func() { c.rivals.on = false }),
			page.Quiet(keys.Back, c.filter.Filter != "", func() { c.filter.Filter = ""; c.goTo(c.answer()) })},
		page.Both(keys.HalfUp, keys.HalfDown, c.halfStride), page.Both(keys.Home, keys.End, c.toEnd))
}
