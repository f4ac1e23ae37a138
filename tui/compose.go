package tui

import (
	"fmt"
	"strings"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"jtune/tegra"
	"jtune/tui/chart"
)

// composer builds a mode knob by knob from the values the board allows.
type composer struct {
	sh   *shared
	knob tegra.Knob
	at   [tegra.NumKnobs]int
}

// newComposer starts from the present mode, else from the largest.
func newComposer(sh *shared) *composer {
	c := &composer{sh: sh}
	from := sh.present().Or(sh.space.Max())
	for k := range tegra.NumKnobs {
		for i, v := range sh.space.Values(k) {
			if v <= from.Value(k) {
				c.at[k] = i
			}
		}
	}
	return c
}

func (c *composer) mode() tegra.Mode {
	s := c.sh.space
	return tegra.Mode{Cores: s.Cores[c.at[tegra.KnobCores]], CPU: s.CPU[c.at[tegra.KnobCPU]], GPU: s.GPU[c.at[tegra.KnobGPU]], EMC: s.EMC[c.at[tegra.KnobEMC]]}
}

func (c *composer) key(k tea.KeyPressMsg) bool {
	last := len(c.sh.space.Values(c.knob)) - 1
	switch {
	case key.Matches(k, keys.Up):
		c.knob = max(0, c.knob-1)
	case key.Matches(k, keys.Down):
		c.knob = min(tegra.NumKnobs-1, c.knob+1)
	case key.Matches(k, keys.Left):
		c.at[c.knob] = max(0, c.at[c.knob]-1)
	case key.Matches(k, keys.Right):
		c.at[c.knob] = min(last, c.at[c.knob]+1)
	case key.Matches(k, keys.Home):
		c.at[c.knob] = 0
	case key.Matches(k, keys.End):
		c.at[c.knob] = last
	default:
		return false
	}
	return true
}

// Render draws the knobs and what the mode is expected to do.
func (c *composer) Render(w, h int) string {
	m := c.mode()
	var lines []string
	for k := range tegra.NumKnobs {
		n := len(c.sh.space.Values(k))
		frac := 1.0
		if n > 1 {
			frac = float64(c.at[k]) / float64(n-1)
		}
		text := fmt.Sprintf("%-6s ‹ %9s ›  %s", k, knobText(m, k), chart.Bar(frac, 16))
		if k == c.knob {
			text = styleCursor.Render("▸" + text)
		} else {
			text = " " + text
		}
		lines = append(lines, text)
	}
	lines = append(lines, "", c.sh.mode(m))
	if known := c.sh.compared(m); known.got.TimeMS > 0 {
		lines = append(lines, fmt.Sprintf("measured %s ms/mb, %.1f W", ms(known.got.TimeMS), known.got.PowerW))
	} else if known.pr.TimeMS > 0 {
		lines = append(lines, fmt.Sprintf("predicted %s ms/mb, %.1f W", ms(known.pr.TimeMS), known.pr.PowerW))
	}
	if !c.sh.space.Contains(m) {
		lines = append(lines, styleWarn.Render("this combination does not exist here"))
	}
	text := strings.Join(lines, "\n")
	return box("Compose a mode", keys.Apply.Help().Key+" applies", text, min(w, 46), min(h, len(lines)+2))
}
