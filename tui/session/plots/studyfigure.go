package plots

import (
	"context"
	"fmt"

	"jtune/internal/figure"
	"jtune/internal/stats"
	"jtune/internal/text"
	"jtune/learn"
	"jtune/learn/baseline/nn"
	"jtune/optimize/outlook"
	"jtune/tegra"
	"jtune/tui/session/campaigns"
	"jtune/tui/session/config"
	"jtune/tui/session/fit"
	"jtune/tui/session/models"
)

// leastCurve is the minimum number of points of a learning curve.
const leastCurve = 3

// LearningFigure draws a model's errors by number of training modes. It takes as long as a few dozen fits.
func LearningFigure(ctx context.Context, m *learn.Model) (figure.Figure, error) {
	f := modelFigure("learning", "learning curve", m.Provenance)
	if f.Lacks = outlook.TooSlow(m); f.Lacks != "" {
		return f, nil
	}
	points, err := m.Curve(ctx, outlook.CurveSizes)
	if err != nil {
		return f, err
	}
	if len(points) < leastCurve {
		f.Lacks = "too few measured modes for a learning curve: learning from some must leave others to judge by"
		return f, nil
	}
	f.X = figure.Axis{Key: "modes", Name: "modes learned from"}
	of := func(name string, value func(learn.CurvePoint) (float64, [2]float64)) figure.Series {
		s := figure.Series{Name: name, Shape: figure.Line, Bounds: "the range of its draws"}
		for _, p := range points {
			v, between := value(p)
			s.Points = append(s.Points, figure.At(float64(p.Modes), v).Within(between[0], between[1]))
		}
		return s
	}
	panel := figure.Panel{Axis: figure.Axis{Key: "error_pct", Name: "error", Unit: "%", Zero: true, Text: text.Of}}
	panel.Series = []figure.Series{of("time", func(p learn.CurvePoint) (float64, [2]float64) {
		return p.TimeMAPEPct, p.TimeRange
	})}
	if m.HasPower() {
		panel.Series = append(panel.Series, of("power", func(p learn.CurvePoint) (float64, [2]float64) {
			return p.PowerMAPEPct, p.PowerRange
		}))
	}
	f.Panels = []figure.Panel{panel}
	f.Notes = []string{"medians of five draws, each of which grows by modes; judged by all others"}
	return f, nil
}

// LossFigure draws the loss of a model's networks by passes over its samples. It takes as long as training them.
func LossFigure(ctx context.Context, m *learn.Model) (figure.Figure, error) {
	f := modelFigure("loss", "training loss", m.Provenance)
	if m.Method != learn.NN && m.Method != learn.PowerTrain {
		f.Lacks = fmt.Sprintf("method %s has no training loss: the networks of nn and powertrain have one", m.Method)
		return f, nil
	}
	nets, err := m.Losses(ctx)
	if err != nil {
		return f, err
	}
	f.X = figure.Axis{Key: "epoch", Name: "passes"}
	for _, of := range []struct {
		name, unit, key string
		net             *nn.Net
	}{{"time", "ms²", "ms2", nets.Time}, {"power", "W²", "w2", nets.Power}} {
		if of.net == nil {
			continue
		}
		report := of.net.Report
		name := of.name + ", " + of.net.Config.Loss.String()
		panel := figure.Panel{Axis: figure.Axis{Key: of.name + "_loss", Name: name, Log: true}}
		if of.net.Config.RawTarget && of.net.Config.Loss == nn.MSE {
			panel.Axis.Key, panel.Axis.Unit = panel.Axis.Key+"_"+of.key, of.unit
		}
		training := figure.Series{Name: "training", Shape: figure.Line}
		held := figure.Series{Name: "held out", Shape: figure.Line}
		for _, l := range report.Curve {
			x := float64(l.Pass)
			training.Points = append(training.Points, figure.At(x, l.Training))
			held.Points = append(held.Points, figure.At(x, l.Held))
		}
		panel.Series = []figure.Series{training, held}
		if report.Validated == 0 {
			panel.Series = panel.Series[:1]
		}
		best := figure.At(float64(report.BestEpoch), report.BestLoss)
		panel.Marks = []figure.Mark{{Point: best, Glyph: '◆', Name: "kept"}}
		f.Panels = append(f.Panels, panel)
	}
	if saved, ok := m.Networks(); !ok || saved.Time != nets.Time {
		f.Notes = []string{"trained once more from the model's own samples and seed: its file has no curves"}
	}
	return f, nil
}

// leastBoxed is the minimum number of readings for a box.
const leastBoxed = 2

// RepeatsFigure draws the deviation of readings from the median of their setting, setting by setting.
func RepeatsFigure(readings []tegra.Measured, from learn.Provenance) figure.Figure {
	f := modelFigure("box", "repeats, against their median", from)
	f.RowKey = "mode"
	panels := []figure.Panel{
		{Axis: figure.Axis{Key: "time_off_pct", Name: "time", Unit: "%", Text: text.Of}},
		{Axis: figure.Axis{Key: "power_off_pct", Name: "power", Unit: "%", Text: text.Of}},
	}
	for i := range panels {
		panels[i].Series = []figure.Series{{Name: "quartiles", Shape: figure.Boxes},
			{Name: "readings", Shape: figure.Marks}}
	}
	power := true
	for _, g := range tegra.BySetting(readings) {
		if len(g.TimesMS) < leastBoxed {
			continue
		}
		row := len(f.Rows)
		name := fmt.Sprintf("%s ×%d", g.Mode, len(g.TimesMS)) + text.IfAny(" bs %d", g.Batch)
		f.Rows = append(f.Rows, name)
		for i, values := range [][]float64{g.TimesMS, g.PowersW} {
			off, median := make([]float64, len(values)), stats.Median(values)
			for j, v := range values {
				off[j] = 100 * (v/median - 1)
				panels[i].Series[1].Points = append(panels[i].Series[1].Points, figure.In(row, off[j]))
			}
			box := figure.In(row, 0).Within(stats.Quantile(off, 0), stats.Quantile(off, 1))
			box.Q1, box.Q3 = stats.Quantile(off, 0.25), stats.Quantile(off, 0.75)
			panels[i].Series[0].Points = append(panels[i].Series[0].Points, box)
		}
		power = power && tegra.Measured{PowerW: g.PowersW[0]}.HasPower()
	}
	if len(f.Rows) == 0 {
		f.Lacks = "no mode was measured more than once: measure with repeats, or verify a mode again"
		return f
	}
	if f.Panels = panels; !power {
		f.Panels = panels[:1]
	}
	f.Notes = []string{"box: the middle half of the readings; whiskers: all of them"}
	return f
}

// Repeats is RepeatsFigure for samples.
func Repeats(s *fit.Samples) figure.Figure { return RepeatsFigure(s.Readings, s.Provenance) }

// ModelRepeats is RepeatsFigure for all campaigns that a model learned from.
func ModelRepeats(o config.Paths, m *learn.Model) (figure.Figure, error) {
	if m.Provenance.Pool == "" {
		f := modelFigure("box", "repeats, against their median", m.Provenance)
		f.Lacks = "the model has no record of its campaigns: jtune lab plot box FOLDER draws one of them"
		return f, nil
	}
	list, err := campaigns.List(o)
	if err != nil {
		return figure.Figure{}, err
	}
	for _, c := range list {
		if !c.Pools() {
			continue
		}
		for _, sizes := range [][]int{nil, {c.Header.Workload.Batch}} {
			if models.NamePool(list, c.Header.Workload, c.Board, sizes).String() == m.Provenance.Pool {
				pool := models.CollectPool(list, c.Header.Workload, c.Board, sizes)
				return RepeatsFigure(pool.Rows(), m.Provenance), nil
			}
		}
	}
	return RepeatsFigure(nil, m.Provenance), nil
}
