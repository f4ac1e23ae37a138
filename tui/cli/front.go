package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"jtune/internal/document"
	"jtune/internal/safefile"
	"jtune/internal/text"
	"jtune/optimize/outlook"
	"jtune/profiles/workload"
	"jtune/tegra/metric"
	"jtune/tui/export"
	"jtune/tui/session/measure"
	"jtune/tui/session/plots"
)

// frontCmd is `jtune ask front`.
type frontCmd struct {
	onModels
	Model, Samples, X, Y, SVG string
	plane                     int // selected by X and Y
	goal                      metric.Question
	Strict                    bool
	v                         verification
}

func newFront(a *app) *cobra.Command {
	c := &frontCmd{onModels: onModels{a}}
	return a.command("front", nil, c.run, c, &c.v, &c.v.request, &c.v.request.Settings,
		places{"limit": oneGoal(&c.goal), "out": &c.v.request.Dir},
		theLimits(&c.goal.Limit.Limits), theLoad(&c.goal.Load))
}

func (c *frontCmd) check() (err error) {
	c.plane, err = frontPlane(c.X, c.Y)
	return err
}

func (c *frontCmd) run(ctx context.Context) error {
	var err error
	var o *outlook.Outlook
	var checks measure.VerifyResult
	words := words(c.app)
	if c.Samples != "" {
		o, err = c.measuredOutlook(c.Samples, c.Strict)
	} else {
		o, checks, err = c.predictedOutlook(ctx, c.Model, c.v)
	}
	if err != nil {
		return err
	}
	w := workload.Workload{}
	if c.Model != "" && !c.given("x") && c.v.Verify == 0 {
		w = listedWorkload(c.app, o.Workload)
	}
	if c.goal.Load = loadOf(c.goal.Load, w, c.given); c.goal.Load.Any() {
		return c.underLoad(o)
	}
	points := export.Points{Known: o.Known, Standings: o.Standings(c.goal.Limit), Virtual: o.Model.Provenance.Virtual}
	cloud := export.NewCloud(points, o.Front(c.plane))
	if c.SVG != "" {
		if err := writeFile(c.SVG, export.FigureSVG(plots.Cloud(o, c.plane, c.goal.Limit))); err != nil {
			return err
		}
		c.note("%s: %s, %s on the Pareto front", c.SVG, text.Count(len(cloud.Known), "point"),
			text.Thousands(len(cloud.Front)))
	}
	if c.SVG == "" || !words {
		err := printTable(c.app, cloud.Columns(), cloud.Front)
		if err = errors.Join(err, c.printOrigin(o.Model.Provenance.Origin())); err != nil {
			return err
		}
	}
	if words && len(checks.Measured) > 0 { // printed last, because a front may have hundreds of lines
		return c.print(document.Break{}, verifiedTable(checks))
	}
	return nil
}

// frontPlane returns the plane of two different axes, in either order.
func frontPlane(x, y string) (int, error) {
	i := slices.IndexFunc(outlook.Planes[:], func(p outlook.Plane) bool {
		return p.Across.String() == x && p.Up.String() == y || p.Across.String() == y && p.Up.String() == x
	})
	if i < 0 {
		return 0, usagef("--x %s --y %s: want time against power or energy, or power against energy", x, y)
	}
	return i, nil
}

// measuredOutlook returns the outlook of measured samples.
func (a onModels) measuredOutlook(samples string, strict bool) (*outlook.Outlook, error) {
	s, err := readSamples(a.app, samples, strict)
	if err != nil {
		return nil, err
	}
	if !s.HasPower() {
		return nil, noPower("front", samples)
	}
	return s.Outlook(), nil
}

// predictedOutlook returns the outlook of a model, verified on request.
func (a onModels) predictedOutlook(ctx context.Context, model string,
	v verification) (*outlook.Outlook, measure.VerifyResult, error) {
	var checks measure.VerifyResult
	m, err := a.loadPowered("front", model)
	if err != nil {
		return nil, checks, err
	}
	if v.Verify > 0 {
		if checks, err = a.verifyFront(ctx, m, v); err != nil {
			return nil, checks, err
		}
		m = checks.Fitted
	}
	a.doubts(m)
	return a.outlook(m, a.settings(m, m.Space.Modes())), checks, nil
}

// writeFile replaces a file that the user named.
func writeFile(path, text string) error {
	if err := safefile.ReplaceNamed(path, []byte(text)); err != nil {
		return fmt.Errorf("%w: choose another file", err)
	}
	return nil
}
