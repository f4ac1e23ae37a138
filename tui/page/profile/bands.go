package profile

import (
	"fmt"

	"jtune/optimize/outlook"
	"jtune/tui/page"
	"jtune/tui/widget"
	"jtune/tui/widget/chart"
)

// bandsText shows the width of the bands and how they shrank.
func bandsText(j *page.Task, w int) string {
	if len(j.Bands) == 0 {
		if len(j.Measured()) >= outlook.LeastPreview {
			return widget.StyleDim.Render("bands: computing")
		}
		return widget.StyleDim.Render(fmt.Sprintf("bands from %d modes on", outlook.LeastPreview))
	}
	text := fmt.Sprintf("±%.0f %% ms, ±%.0f %% W", j.Preview.TimePct, j.Preview.PowerPct)
	if w >= 28 {
		text = "bands " + text
	}
	if room := w - len([]rune(text)) - 1; len(j.Bands) > 1 && room >= 2 {
		most := 0.0
		for _, b := range j.Bands {
			most = max(most, b)
		}
		text += " " + chart.Spark(j.Bands, most, min(room, len(j.Bands)))
	}
	return text
}
