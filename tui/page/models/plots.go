package models

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"jtune/internal/figure"
	"jtune/optimize"
	"jtune/optimize/outlook"
	"jtune/tui/page"
	"jtune/tui/session/models"
	"jtune/tui/session/plots"
)

// modelPlot is what the panel beside a model's description shows.
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
	"Error by region, of modes left out",
	"What each knob alone changes",
	"Learning curve",
	"Repeats, against their median",
	"Training loss",
	"Compared",
}

// Assessed brings the assessment of a model.
type Assessed struct {
	Of models.Info
	outlook.Assessment
}

// assess works a model's assessment out, off the screen's goroutine.
func assess(info models.Info) page.Compute {
	return func(ctx context.Context) tea.Msg { return Assessed{info, outlook.Assess(ctx, info.Model)} }
}

// plotKey is a plot that is worked out for a model alone.
type plotKey struct {
	of   modelID
	view modelPlot
}

// plotMsg brings it.
type plotMsg struct {
	plotKey
	figure figure.Figure
}

// worksOut draws the plots that an assessment does not hold.
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

// workOut draws one of them, off the screen's goroutine.
func workOut(s page.Session, view modelPlot, info models.Info) page.Compute {
	return func(ctx context.Context) tea.Msg {
		f, err := worksOut[view](ctx, s, info)
		if err != nil {
			f = figure.Figure{Lacks: page.Words(err.Error())}
		}
		return plotMsg{plotKey{idOf(info), view}, f}
	}
}

// plotOf draws what an assessment holds.
func plotOf(s outlook.Assessment, view modelPlot) figure.Figure {
	switch view {
	case plotTime:
		return plots.Predicted(s, optimize.Time)
	case plotPower:
		return plots.Predicted(s, optimize.Power)
	case plotBars:
		return plots.Bars(s)
	case plotImportance:
		return plots.Importance(s)
	}
	return plots.ByRegion(s)
}
