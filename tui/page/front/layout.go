package front

import (
	"fmt"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"jtune/internal/text"
	"jtune/tegra"
	"jtune/tui/page"
	"jtune/tui/widget"
	"jtune/tui/widget/chart"
)

// Render draws the cloud, the card of the mode under the cursor, and the open input.
func (c *cloudView) Render(w, h int) string {
	c.dots.Hide()
	if h < 5 {
		return c.panels(w, h)
	}
	c.filter.passing()
	line := c.filter.Render(c.read, w)
	if line == "" {
		return c.panels(w, h)
	}
	rows := min(strings.Count(line, "\n")+1, h/2)
	return widget.Under(c.panels(w, h-rows), widget.Fit(line, w, rows))
}

// card returns the card of the mode under the cursor.
func (c *cloudView) card() card { return card{c.modes, c.cursor, c.answer()} }

// panels arranges the plot and the card for the available room.
func (c *cloudView) panels(w, h int) string {
	head, here := c.head(w), c.card()
	rest := h - 1
	switch {
	case h < 4: // only the mode and its numbers
		return widget.Fit(widget.Wrap(ansi.Strip(here.line()), w), w, h)
	case h < 10 || w < 44:
		high := 5
		if c.read.Served() != nil {
			high++
		}
		body := widget.Fit(here.lines(w, true), w, min(rest, high))
		if rest > high {
			body = widget.Under(body, c.drawn(w, rest-high, high+1))
		}
		return widget.Fit(widget.Under(head, body), w, h)
	case c.large:
		return widget.Under(head, widget.Cut(" "+here.line(), w), c.drawn(w, rest-2, 2),
			widget.Cut(" "+strings.ReplaceAll(c.legend(1000), "\n", "  "), w))
	case w < 70:
		low := min(8, rest/2)
		return widget.Under(head, c.drawn(w, rest-low, 1), widget.Box(here.title(), "", here.lines(w-4, false), w, low))
	}
	side := 34
	if w >= 110 {
		side = 44
	}
	return widget.Under(head, widget.Beside(c.drawn(w-side-1, rest, 1), widget.Fit("", 1, rest), c.side(side, rest)))
}

// drawn renders the plot, its table twin, the map or the curves; y is its first row on the page.
func (c *cloudView) drawn(w, h, y int) string {
	if c.picture.drawn != drawCloud {
		f := c.figure()
		f.Lacks = page.Words(f.Lacks)
		return widget.Figure(f, w, h, widget.Paint)
	}
	if c.asTab || w < chart.MinPlotW+8 || h < chart.MinPlotH+1 {
		return c.table(w, h)
	}
	c.top = y
	return c.plot(w, h)
}

// side renders the column beside the plot: the card, the legend and, if there is room, the front around the cursor as a
// table.
func (c *cloudView) side(w, h int) string {
	if len(c.rivals.drawn()) > 0 {
		return c.rivalSide(w, h)
	}
	here := c.card()
	body := here.lines(w-4, false)
	high := min(h, strings.Count(body, "\n")+3)
	right, legend := widget.Box(here.title(), "", body, w, high), "\n"+c.legend(w)
	rows := strings.Count(legend, "\n") + 2 // with a blank line
	if list := h - high - rows; list >= 8 && !c.asTab {
		_, at := c.listed()
		c.tab.Top = max(0, at-list/2+1) // the cursor is in the middle
		return widget.Under(right, widget.Fit(legend, w, rows),
			widget.Box("front", fmt.Sprintf("%d modes", len(c.front())), c.table(w-4, list-2), w, list))
	}
	if h == high {
		return right
	}
	return widget.Under(right, widget.Fit(legend, w, h-high))
}

// rivalSide is side with other models: a short card, and what each model chooses.
func (c *cloudView) rivalSide(w, h int) string {
	here := c.card()
	body, choices := here.lines(w-4, true), c.rivals.readout(w-4)
	high := min(h, strings.Count(body, "\n")+3)
	rest := min(h-high, strings.Count(choices, "\n")+3)
	right := widget.Box(here.title(), "", body, w, high)
	if rest < 4 {
		return widget.Fit(right, w, h)
	}
	right = widget.Under(right, widget.Box("choices", page.GoalText(c.read.Goal()), choices, w, rest))
	if left := h - high - rest; left > 0 {
		right = widget.Under(right, widget.Fit("\n"+c.legend(w), w, left))
	}
	return right
}

// head renders the title: subject, accuracy, visible part, and the limit, which is never cut off.
func (c *cloudView) head(w int) string {
	limit := "limit " + page.GoalText(c.read.Goal())
	if c.dots.Zoom.Steps > 0 {
		limit = fmt.Sprintf("zoom ×%.1f  %s", c.dots.Zoom.Factor(), limit)
	}
	words := c.about()
	for len(words) > 1 && ansi.StringWidth(" "+strings.Join(words, "  ")+" "+limit) > w {
		words = words[:len(words)-1]
	}
	left := " " + strings.Join(words, "  ")
	if room := w - ansi.StringWidth(limit) - 1; room >= 12 {
		left = strings.TrimRight(widget.Cut(left, min(room, ansi.StringWidth(left))), " ")
	}
	return widget.Ends(widget.StyleBold.Render(left), limit, w)
}

// about returns the parts of the title, most important first.
func (c *cloudView) about() []string {
	v := c.read.Outlook()
	words := []string{v.Workload + page.BatchText(v.Batch) + c.loadTitle()}
	if c.picture.drawn == drawCloud && c.asTab {
		at := c.trade()
		words = append(words, fmt.Sprintf("front of %s and %s", at.Across.Word, at.Up.Word))
	}
	if c.picture.drawn != drawCloud {
		words = append(words, c.picture.text())
	} else if pass := c.filter.passing(); pass != nil && c.group == 0 {
		words = append(words, fmt.Sprintf("%s of %s", text.Thousands(len(pass)), text.Count(len(v.Known), "mode")))
	} else if c.group > 0 {
		k := tegra.Knob(c.group - 1)
		setting := page.KnobText(v.Known[c.cursor].Mode, k)
		words = append(words, fmt.Sprintf("%s %s: %d modes", k, setting, len(c.grouped())))
	}
	if m := v.Model; m != nil {
		words = append(words, "from "+m.Learned())
		if weak := m.Weakness(); weak != "" {
			words[len(words)-1] += ", " + weak
		}
		if sizes := tegra.Among(v.Batches()); sizes != nil {
			words = append(words, "sizes "+strings.Trim(fmt.Sprint(sizes), "[]"))
		}
	}
	return words
}
