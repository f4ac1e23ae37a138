package plots

import (
	"fmt"

	"jtune/internal/figure"
	"jtune/internal/stats"
	"jtune/internal/text"
	"jtune/profiles/record"
	"jtune/tui/session/fit"
)

// mostViolins caps the modes drawn.
const mostViolins = 60

// leastViolin is the minimum number of values for a distribution.
const leastViolin = 5

// Violins draws how the minibatches and power readings of each mode scatter about their medians. It needs a campaign
// folder.
func Violins(s *fit.Samples) (figure.Figure, error) {
	f := modelFigure("violin", "minibatches and power readings, against their median", s.Provenance)
	f.RowKey = "mode"
	if s.Folder == "" {
		f.Lacks = "a sweep file has only medians: name a campaign folder of jtune lab profile"
		return f, nil
	}
	raw, notes, err := record.ReadEntries(s.Folder, s.Size)
	if err != nil {
		return f, err
	}
	s.Notes = append(s.Notes, notes...)
	panels := []figure.Panel{
		{Axis: figure.Axis{Key: "time_off_pct", Name: "time", Unit: "%", Text: text.Of}},
		{Axis: figure.Axis{Key: "power_off_pct", Name: "power", Unit: "%", Text: text.Of}},
	}
	for i, name := range []string{"minibatches", "power readings"} {
		panels[i].Series = []figure.Series{{Name: name, Shape: figure.Violins}}
	}
	left := 0
	for _, m := range s.Measured {
		e := raw[m.Mode]
		if len(e.TimesMS) < leastViolin {
			continue
		}
		row := len(f.Rows)
		if row == mostViolins {
			left++
			continue
		}
		f.Rows = append(f.Rows, m.Mode.String())
		for i, values := range [][]float64{e.TimesMS, e.PowersW} {
			median, series := stats.Median(values), &panels[i].Series[0]
			for _, v := range values {
				series.Points = append(series.Points, figure.In(row, 100*(v/median-1)))
			}
		}
	}
	if len(f.Rows) == 0 {
		f.Lacks = fmt.Sprintf("no mode has %d minibatches in the folder's raw files", leastViolin)
		return f, nil
	}
	if f.Panels = panels; len(panels[1].Series[0].Points) == 0 {
		f.Panels = panels[:1]
	}
	f.Notes = []string{"the darker or higher, the more values; a line at the median"}
	if left > 0 {
		f.Notes = append(f.Notes, text.Count(left, "mode")+" more not drawn")
	}
	return f, nil
}
