package tui

import (
	"context"
	"fmt"

	tea "charm.land/bubbletea/v2"

	"jtune/learn"
	"jtune/optimize"
	"jtune/tegra"
	"jtune/tegra/quantile"
	"jtune/tui/chart"
)

// leastSketch is how many modes it takes before guessing at all others is
// worth a look.
const leastSketch = 4

// sketch is what the modes measured so far say about all of them: the front,
// before a campaign's end, and how wide its 95 % bands still are.
type sketch struct {
	of                int // measured modes that it was made of
	timeMS            []float64
	powerW, low, high []float64
	timePct, powerPct float64 // half the width of the bands along the front, the median
}

// sketchMsg brings the sketch of a job.
type sketchMsg struct {
	job    *job
	sketch sketch
}

// sketchNext works out the next sketch of a job off the screen's goroutine,
// one at a time; nil when there is nothing new or nobody looks: it costs a tenth
// of a second of a core that the campaign could use.
func (sh *shared) sketchNext(j *job) tea.Cmd {
	if j == nil || j.sketching || sh.page != pageProfile {
		return nil
	}
	samples, space := j.measured(), j.spaceOr(sh.space)
	if len(samples) < leastSketch || j.sketch.of == len(samples) {
		return nil
	}
	j.sketching = true
	ctx := sh.ctx
	return sh.computed(func() tea.Msg { return sketchMsg{j, newSketch(ctx, samples, space)} })
}

// newSketch fits and predicts; without an answer only the count is set.
func newSketch(ctx context.Context, samples []tegra.Measured, space *tegra.Space) sketch {
	s := sketch{of: len(samples)}
	m, err := learn.Fit(ctx, samples, learn.Options{Space: space, SkipCV: true})
	if err != nil {
		return s
	}
	preds := m.PredictSettings(learn.Settings(space.Modes(), m.Batches))
	points := make([]optimize.Point, len(preds))
	for i, p := range preds {
		if points[i] = optimize.PredictedPoint(p); m.Batches == nil {
			points[i].Batch = samples[0].Batch // that of all of them, or none
		}
	}
	var times, powers []float64
	for _, i := range optimize.Front(points, optimize.Power) {
		p := preds[i]
		s.timeMS, s.powerW = append(s.timeMS, points[i].SampleMS()), append(s.powerW, p.PowerW)
		s.low, s.high = append(s.low, p.PowerLoW), append(s.high, p.PowerHiW)
		times = append(times, 50*(p.TimeHiMS-p.TimeLoMS)/p.TimeMS)
		powers = append(powers, 50*(p.PowerHiW-p.PowerLoW)/p.PowerW)
	}
	s.timePct, s.powerPct = quantile.Median(times).V, quantile.Median(powers).V
	return s
}

// bandsText tells how wide the bands are and how they shrank.
func (j *job) bandsText(w int) string {
	if len(j.bands) == 0 {
		return styleDim.Render("bands from 4 modes on")
	}
	text := fmt.Sprintf("±%.0f %% ms, ±%.0f %% W", j.sketch.timePct, j.sketch.powerPct)
	if w >= 28 {
		text = "bands " + text
	}
	if room := w - len([]rune(text)) - 1; len(j.bands) > 1 && room >= 2 {
		most := 0.0
		for _, b := range j.bands {
			most = max(most, b)
		}
		text += " " + chart.Spark(j.bands, most, min(room, len(j.bands)))
	}
	return text
}
