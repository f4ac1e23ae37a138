package cli

import (
	"context"
	"path/filepath"

	"jtune/internal/document"
	"jtune/internal/units"
	"jtune/tui/session"
	"jtune/tui/session/control"
	"jtune/tui/session/lab/experiments"
	"jtune/tui/session/task"
)

// studyCmd is what `jtune lab experiment NAME` and `jtune lab experiment energy` share: they run an
// experiment and print its findings.
type studyCmd struct {
	*app
	r         experiments.ExperimentRequest
	svg       string
	shown     int    // number of figures drawn in the terminal
	quiet     bool   // does not name the folder
	documents *[]any // receives the JSON document; nil: it is printed
	rep       *reporter
	orders    *control.Orders
}

// onBoard opens the device, completes the request, and runs do as a task that other jtune processes can pause and stop.
func (c *studyCmd) onBoard(ctx context.Context, complete, do func(context.Context, *session.Session) error) error {
	return c.onDevice(func(s *session.Session) error {
		if err := s.EnsureFullSpace(ctx); err != nil {
			return err
		}
		if err := complete(ctx, s); err != nil {
			return err
		}
		c.rep = c.reporter(s.Device)
		spec := task.Spec{Kind: task.Profiling, Workload: c.r.Workload}
		ctx, orders := control.Obey(ctx, s, spec, c.r.Dir != "", c.rep.line)
		defer orders.End()
		c.orders, c.r.Gate = orders, orders.Gate
		return do(ctx, s)
	})
}

// study runs an experiment and prints its findings.
func (c *studyCmd) study(ctx context.Context, s *session.Session) error {
	c.rep.done = 0
	res, err := experiments.Experiment(ctx, s, c.r, c.orders.Observing(c.rep.observe))
	c.rep.wipe()
	if res.Dir == "" {
		return err
	}
	if ctx.Err() != nil {
		c.note("interrupted after %s; continue with: jtune lab experiment %s … --out %s --resume",
			units.Span(res.Elapsed), c.r.Experiment.Name, res.Dir)
		return context.Cause(ctx)
	}
	if err != nil {
		return err
	}
	if !c.quiet {
		c.note("recorded in %s, with report.txt and report.csv", filepath.Clean(res.Dir))
	}
	if err := drawFigures(c.app, c.svg, res.Figures()); err != nil {
		return err
	}
	document := res.Document(s.Device.Board().Name, res.Dir)
	switch {
	case c.asJSON && c.documents != nil:
		*c.documents = append(*c.documents, document)
	case c.asJSON:
		err = printJSON(c.out, document)
	case c.asCSV:
		err = res.CSV(c.out)
	default:
		err = c.print(res)
	}
	if err == nil {
		err = res.Fault()
	}
	return err
}

// print prints an experiment's findings and figures.
func (c *studyCmd) print(res experiments.ExperimentResult) error {
	parts, figures := res.Parts(), res.Figures()
	for _, f := range figures[:min(c.shown, len(figures))] {
		parts = append(parts, document.Break{}, document.Drawing{Figure: f})
	}
	return c.app.print(parts...)
}
