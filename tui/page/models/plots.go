package models

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"jtune/internal/figure"
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

var plotTitles = [...]string{
	"Time, predicted against measured",
	"Power, predicted against measured",
	"Predicted and measured by mode",
	"Error by region, of unseen modes",
	"What each clock alone changes",
	"Learning curve",
	"Repeats, against their median",
	"Training loss",
	"Compared",
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

// plotMsg carries such a plot.
type plotMsg struct {
	plotKey
	figure figure.Figure
}

// worksOut draws the plots that an assessment does not include.
var worksOut = map[modelPlot]func(context.Context, page.Session, models.Info) (figure.Figure, error){
	plotCurve: func(ctx context.Context, _ page.Session, of models.Info) (figure.Figure, error) {
		return plots.LearningFigure(ctx, of.Model)
	},
	plotLoss: func(ctx context.Context, _ page.Session, of models.Info) (figure.Figure, error) {
		return plots.LossFigure(ctx, of.Model)
	},
	plotRepeats: func(_ context.Context, s page.Session, of models.Info) (figure.Figure, error) {
		return s.ModelRepeats(of.Model)
	},
}

// workOut draws one of them in a command.
func workOut(s page.Session, view modelPlot, info models.Info) page.Compute {
	return func(ctx context.Context) tea.Msg {
		f, err := worksOut[view](ctx, s, info)
		if err != nil {
			f = figure.Figure{Lacks: page.Words(err.Error())}
		}
		return plotMsg{plotKey{idOf(info), view}, f}
	}
}

// plotOf draws a plot that an assessment includes.
func plotOf(s outlook.Assessment, view modelPlot) figure.Figure {
	switch view {
	case plotTime:
		return plots.Predicted(s, pareto.Time)
	case plotPower:
		return plots.Predicted(s, pareto.Power)
	case plotBars:
		return plots.Bars(s)
	case plotImportance:
		return plots.Importance(s)
	}
	return plots.ByRegion(s)
}
