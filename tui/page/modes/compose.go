package modes

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"jtune/tegra"
	"jtune/tui/page"
	"jtune/tui/widget"
	"jtune/tui/widget/chart"
)

// composer builds a mode knob by knob from the board's values.
type composer struct {
	read  page.Reader
	space *tegra.Space // the board's when it was opened: at are indices of its values
	knob  tegra.Knob
	at    [tegra.NumKnobs]int
}

// newComposer starts from the present mode, or the largest if that is unknown.
func newComposer(read page.Reader) *composer {
	c := &composer{read: read, space: read.Space()}
	from := read.Present().Or(c.space.Max())
	for k := range tegra.NumKnobs {
		for i, v := range c.space.Values(k) {
			if v <= from.Value(k) {
				c.at[k] = i
			}
		}
	}
	return c
}

func (c *composer) mode() tegra.Mode {
	s := c.space
	return tegra.Mode{
		Cores: s.Cores[c.at[tegra.KnobCores]],
		CPU:   s.CPU[c.at[tegra.KnobCPU]],
		GPU:   s.GPU[c.at[tegra.KnobGPU]],
		EMC:   s.EMC[c.at[tegra.KnobEMC]],
	}
}

func (c *composer) key(k tea.KeyPressMsg) bool {
	keys := c.read.Keys()
	values := widget.ListKeys{Up: keys.Left, Down: keys.Right, Home: keys.Home, End: keys.End}
	at, turned := values.Step(k, c.at[c.knob], 0, len(c.space.Values(c.knob))-1)
	c.at[c.knob] = at
	knob, walked := widget.ListKeys{Up: keys.Up, Down: keys.Down}.Step(k, int(c.knob), 0, int(tegra.NumKnobs)-1)
	c.knob = tegra.Knob(knob)
	return turned || walked
}

// Render draws the knobs and what is expected of the mode.
func (c *composer) Render(w, h int) string {
	m := c.mode()
	var lines []string
	for k := range tegra.NumKnobs {
		n := len(c.space.Values(k))
		frac := 1.0
		if n > 1 {
			frac = float64(c.at[k]) / float64(n-1)
		}
		text := fmt.Sprintf("%-6s ‹ %9s ›  %s", k, page.KnobText(m, k), chart.Bar(frac, 16))
		if k == c.knob {
			text = widget.StyleCursor.Render("▸" + text)
		} else {
			text = " " + text
		}
		lines = append(lines, text)
	}
	lines = append(lines, "", c.read.ModeText(m))
	if known := c.read.Outlook().About(m); known.Measured() {
		lines = append(lines, "measured "+page.Takes(page.Job(c.read), known.Reading.Measured))
	} else if known.Predicted.TimeMS > 0 {
		lines = append(lines, "predicted "+page.Takes(page.Job(c.read), known.Predicted.Measured))
	}
	if !c.space.Contains(m) {
		lines = append(lines, widget.StyleWarn.Render("this combination does not exist here"))
	}
	text := strings.Join(lines, "\n")
	return widget.Box("Compose a mode", c.read.Keys().Apply.Label()+" applies", text, min(w, 46), min(h, len(lines)+2))
}
