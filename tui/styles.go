package tui

import (
	"charm.land/lipgloss/v2"

	"jtune/tui/chart"
)

// The sixteen terminal colours follow the user's own theme, on light and on
// dark ground. Nothing is told by colour alone: each has a word or a glyph.
const (
	red    = "1"
	green  = "2"
	yellow = "3"
	blue   = "4"
	pink   = "5"
	cyan   = "6"
	grey   = "8"
)

// style is how a piece of text is meant.
type style = lipgloss.Style

var (
	stylePlain  = lipgloss.NewStyle()
	styleBold   = lipgloss.NewStyle().Bold(true)
	styleDim    = lipgloss.NewStyle().Foreground(lipgloss.Color(grey))
	styleTitle  = lipgloss.NewStyle().Bold(true).Foreground(lipgloss.Color(cyan))
	styleTab    = lipgloss.NewStyle().Foreground(lipgloss.Color(grey))
	styleTabOn  = lipgloss.NewStyle().Bold(true).Reverse(true)
	styleBadge  = lipgloss.NewStyle().Bold(true).Foreground(lipgloss.Color(yellow))
	styleKey    = lipgloss.NewStyle().Bold(true).Foreground(lipgloss.Color(cyan))
	styleGood   = lipgloss.NewStyle().Foreground(lipgloss.Color(green))
	styleWarn   = lipgloss.NewStyle().Foreground(lipgloss.Color(yellow))
	styleBad    = lipgloss.NewStyle().Bold(true).Foreground(lipgloss.Color(red))
	styleCursor = lipgloss.NewStyle().Reverse(true)
	styleFrame  = lipgloss.NewStyle().Foreground(lipgloss.Color(grey))
	styleAsk    = lipgloss.NewStyle().Bold(true).Foreground(lipgloss.Color(yellow))
)

var inkStyles = [...]style{
	chart.InkNone:     stylePlain,
	chart.InkCloud:    lipgloss.NewStyle().Foreground(lipgloss.Color(grey)),
	chart.InkAxis:     lipgloss.NewStyle().Foreground(lipgloss.Color(grey)),
	chart.InkLimit:    lipgloss.NewStyle().Foreground(lipgloss.Color(red)),
	chart.InkSeries:   lipgloss.NewStyle().Foreground(lipgloss.Color(cyan)),
	chart.InkBand:     lipgloss.NewStyle().Foreground(lipgloss.Color(blue)),
	chart.InkFront:    lipgloss.NewStyle().Foreground(lipgloss.Color(green)),
	chart.InkMeasured: lipgloss.NewStyle().Foreground(lipgloss.Color(pink)),
	chart.InkPreset:   lipgloss.NewStyle().Bold(true).Foreground(lipgloss.Color(yellow)),
	chart.InkCursor:   lipgloss.NewStyle().Bold(true).Reverse(true),
}

// paint gives chart marks their style.
func paint(ink chart.Ink, text string) string {
	if ink == chart.InkNone {
		return text
	}
	return inkStyles[ink].Render(text)
}
