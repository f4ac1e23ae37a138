package models

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"jtune/internal/figure"
	"jtune/learn"
	"jtune/optimize/outlook"
	"jtune/optimize/pareto"
	"jtune/tui/page"
	"jtune/tui/session/models"
	"jtune/tui/session/plots"
)

// modelPlot is the content of the panel beside a model's description.
type modelPlot int

const (
	plotTime modelPlot = iota
	plotPower
	plotBars
	plotRegions
	plotImportance
	plotCurve
	plotRepeats
	plotLoss
	plotCompare
	numModelPlots
)

// drawing is a plot of an assessment, or one that is worked out for it alone; neither: the comparison.
type drawing struct {
	title    string
	assessed func(outlook.Assessment) figure.Figure
	works    func(context.Context, page.Session, *learn.Model) (figure.Figure, error)
}

var drawings = [numModelPlots]drawing{
	plotTime: {title: "Time, predicted against measured", assessed: func(s outlook.Assessment) figure.Figure {
		return plots.Predicted(s, pareto.Time)
	}},
	plotPower: {title: "Power, predicted against measured", assessed: func(s outlook.Assessment) figure.Figure {
		return plots.Predicted(s, pareto.Power)
	}},
	plotBars:       {title: "Predicted and measured by mode", assessed: plots.Bars},
	plotRegions:    {title: "Error by region, of unseen modes", assessed: plots.ByRegion},
	plotImportance: {title: "What each clock alone changes", assessed: plots.Importance},
	plotCurve: {title: "Learning curve",
		works: func(ctx context.Context, _ page.Session, m *learn.Model) (figure.Figure, error) {
			return plots.LearningFigure(ctx, m)
		}},
	plotRepeats: {title: "Repeats, against their median",
		works: func(_ context.Context, s page.Session, m *learn.Model) (figure.Figure, error) {
			return s.ModelRepeats(m)
		}},
	plotLoss: {title: "Training loss",
		works: func(ctx context.Context, _ page.Session, m *learn.Model) (figure.Figure, error) {
			return plots.LossFigure(ctx, m)
		}},
	plotCompare: {title: "Compared"},
}

// Assessed carries the assessment of a model.
type Assessed struct {
	Of models.Info
	outlook.Assessment
}

// assess assesses a model in a command.
func assess(info models.Info) page.Compute {
	return func(ctx context.Context) tea.Msg { return Assessed{info, outlook.Assess(ctx, info.Model)} }
}

// plotKey identifies a plot that is computed for one model.
type plotKey struct {
	of   modelID
	view modelPlot
}

// workOut draws such a plot in a command.
func (p *Page) workOut(key plotKey, m *learn.Model) page.Compute {
	s := p.read.Session()
	return func(ctx context.Context) tea.Msg {
		f, err := drawings[key.view].works(ctx, s, m)
		if err != nil {
			f = figure.Figure{Lacks: page.Words(err.Error())}
		}
		return page.Then(func() page.Intent { p.plots[key] = &f; return nil })
	}
}
