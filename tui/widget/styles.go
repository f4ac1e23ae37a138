package widget

import (
	"strings"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"

	"jtune/tui/widget/chart"
)

// Colours of the middle of the 256-colour cube, that can be read on light and
// on dark ground. Terminals with 16 colours get their theme's own (toSixteen).
// Nothing is said by colour alone: each has a word or a glyph.
const (
	red    ansi.IndexedColor = 160
	green  ansi.IndexedColor = 28
	yellow ansi.IndexedColor = 130
	blue   ansi.IndexedColor = 32
	pink   ansi.IndexedColor = 133
	cyan   ansi.IndexedColor = 30
	grey   ansi.IndexedColor = 244
)

// toSixteen writes the colours as those of a terminal's theme: the nearest ones
// that a terminal with 16 colours would pick make red of yellow and white of
// grey.
var Sixteen = strings.NewReplacer(
	"38;5;160", "31",
	"38;5;28", "32",
	"38;5;130", "33",
	"38;5;32", "34",
	"38;5;133", "35",
	"38;5;30", "36",
	"38;5;244", "90",
)

// Style is how a piece of text is meant.
type Style = lipgloss.Style

var (
	StylePlain  = lipgloss.NewStyle()
	StyleBold   = lipgloss.NewStyle().Bold(true)
	StyleDim    = lipgloss.NewStyle().Foreground(grey)
	StyleTitle  = lipgloss.NewStyle().Bold(true).Foreground(cyan)
	StyleTab    = lipgloss.NewStyle().Foreground(grey)
	StyleTabOn  = lipgloss.NewStyle().Bold(true).Reverse(true)
	StyleBadge  = lipgloss.NewStyle().Bold(true).Foreground(yellow)
	StyleKey    = lipgloss.NewStyle().Bold(true).Foreground(cyan)
	StyleGood   = lipgloss.NewStyle().Foreground(green)
	StyleWarn   = lipgloss.NewStyle().Foreground(yellow)
	StyleBad    = lipgloss.NewStyle().Bold(true).Foreground(red)
	StyleCursor = lipgloss.NewStyle().Reverse(true)
	StyleFrame  = lipgloss.NewStyle().Foreground(grey)
	StyleAsk    = lipgloss.NewStyle().Bold(true).Foreground(yellow)
)

var inkStyles = [...]Style{
	chart.InkNone:     StylePlain,
	chart.InkCloud:    lipgloss.NewStyle().Foreground(grey),
	chart.InkAxis:     lipgloss.NewStyle().Foreground(grey),
	chart.InkLimit:    lipgloss.NewStyle().Foreground(red),
	chart.InkSeries:   lipgloss.NewStyle().Foreground(cyan),
	chart.InkBand:     lipgloss.NewStyle().Foreground(blue),
	chart.InkFront:    lipgloss.NewStyle().Foreground(green),
	chart.InkMeasured: lipgloss.NewStyle().Foreground(pink),
	chart.InkPreset:   lipgloss.NewStyle().Bold(true).Foreground(yellow),
	chart.InkCursor:   lipgloss.NewStyle().Bold(true).Reverse(true),
}

// Paint styles the marks of a chart.
func Paint(ink chart.Ink, text string) string {
	if ink == chart.InkNone {
		return text
	}
	return inkStyles[ink].Render(text)
}
