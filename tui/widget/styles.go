package widget

import (
	"charm.land/lipgloss/v2"

	"jtune/tui/widget/chart"
)

// Style is a text style.
type Style = lipgloss.Style

var (
	StylePlain  = lipgloss.NewStyle()
	StyleBold   = lipgloss.NewStyle().Bold(true)
	StyleDim    = lipgloss.NewStyle().Foreground(dim)
	StyleTitle  = lipgloss.NewStyle().Bold(true).Foreground(accent)
	StyleTab    = lipgloss.NewStyle().Foreground(dim)
	StyleTabOn  = lipgloss.NewStyle().Bold(true).Reverse(true)
	StyleBadge  = lipgloss.NewStyle().Bold(true).Foreground(warn)
	StyleKey    = lipgloss.NewStyle().Bold(true).Foreground(accent)
	StyleGood   = lipgloss.NewStyle().Foreground(good)
	StyleWarn   = lipgloss.NewStyle().Foreground(warn)
	StyleBad    = lipgloss.NewStyle().Bold(true).Foreground(bad)
	StyleCursor = lipgloss.NewStyle().Reverse(true)
	styleFrame  = lipgloss.NewStyle().Foreground(border)
	StyleAsk    = lipgloss.NewStyle().Bold(true).Foreground(warn)
)

var inkStyles = [...]Style{
	chart.InkNone:     StylePlain,
	chart.InkCloud:    lipgloss.NewStyle().Foreground(cloudy),
	chart.InkAxis:     lipgloss.NewStyle().Foreground(dim),
	chart.InkLimit:    lipgloss.NewStyle().Foreground(bad),
	chart.InkSeries:   lipgloss.NewStyle().Foreground(total),
	chart.InkCPU:      lipgloss.NewStyle().Foreground(cpu),
	chart.InkGPU:      lipgloss.NewStyle().Foreground(gpu),
	chart.InkMemory:   lipgloss.NewStyle().Foreground(memory),
	chart.InkOther:    lipgloss.NewStyle().Foreground(other),
	chart.InkWarm:     lipgloss.NewStyle().Foreground(warn),
	chart.InkHot:      lipgloss.NewStyle().Bold(true).Foreground(bad),
	chart.InkBand:     lipgloss.NewStyle().Foreground(band),
	chart.InkFront:    lipgloss.NewStyle().Foreground(good),
	chart.InkMeasured: lipgloss.NewStyle().Foreground(measured),
	chart.InkPreset:   lipgloss.NewStyle().Bold(true).Foreground(warn),
	chart.InkCursor:   lipgloss.NewStyle().Bold(true).Reverse(true),
}

// heatStyles are the styles from the smallest to the largest value. A terminal with fewer colours uses the nearest
// ones; glyphs or positions show the same.
var heatStyles = func() (out [chart.HeatInks]Style) {
	for i, hex := range [...]string{"#3a7bd5", "#2fa4d7", "#2ec4b6", "#57cc71", "#a3d653", "#e8d44d", "#f6a940",
		"#f0743e",
		"#e03b4b"} {
		out[i] = lipgloss.NewStyle().Foreground(lipgloss.Color(hex))
	}
	return out
}()

// Paint applies the style of an ink.
func Paint(ink chart.Ink, text string) string {
	if ink == chart.InkNone {
		return text
	}
	if share, ok := ink.HeatShare(); ok {
		return heatStyles[int(share*(chart.HeatInks-1)+0.5)].Render(text)
	}
	return inkStyles[ink].Render(text)
}
