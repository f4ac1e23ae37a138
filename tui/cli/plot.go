package cli

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/sys/unix"

	"jtune/internal/figure"
	"jtune/internal/text"
	"jtune/learn"
	"jtune/optimize/outlook"
	"jtune/optimize/pareto"
	"jtune/tegra"
	"jtune/tegra/metric"
	"jtune/tui/export"
	"jtune/tui/session/campaigns"
	"jtune/tui/session/plots"
	"jtune/tui/session/savedanswers"
	"jtune/tui/widget"
)

// plotRequest describes a plot.
type plotRequest struct {
	Model, Samples, X, Y, Of, Over, At, Out, Size string
	With                                          []string // other models, for front
	Observed                                      string   // a sweep of measurements, for front
	limit                                         metric.Goal
	Strict                                        bool
}

// plotKinds lists the plots, and what each shows.
var plotKinds = []struct {
	name, does string
	samples    bool // can also be drawn from samples
	draw       plotDrawer
}{
	{"front", "all modes by two quantities, and their Pareto front", true, (*plotCmd).plotFront},
	{"heat", "a quantity over two clocks, or a clock and the cores, its least value marked", true, (*plotCmd).plotHeat},
	{"curves", "time, power and energy over one clock or the cores", true, (*plotCmd).plotCurves},
	{"box", "readings of modes that were measured more than once", true, (*plotCmd).plotBox},
	{"violin", "how minibatches and power readings of each mode scatter", true, (*plotCmd).plotViolin},
	{"predicted", "each measured mode against its prediction", false, (*plotCmd).plotPredicted},
	{"bars", "predicted and measured values side by side", false, ofAssessment(plots.Bars)},
	{"regions", "the error by the values of each clock and the cores", false, ofAssessment(plots.ByRegion)},
	{"importance", "what each clock and the cores alone change", false, ofAssessment(plots.Importance)},
	{"learning", "the error by the number of modes learned from", false, ofModel(plots.LearningFigure)},
	{"loss", "training loss of the networks by passes", false, ofModel(plots.LossFigure)},
}

// plotCmd is `jtune lab plot`.
type plotCmd struct {
	onModels
	plotRequest
}

func newPlot(a *app) *cobra.Command {
	var kinds, lines []string
	for _, k := range plotKinds {
		kinds = append(kinds, k.name)
		lines = append(lines, fmt.Sprintf("  %-11s %s", k.name, k.does))
	}
	x := &plotCmd{onModels: onModels{a}}
	c := a.command("plot", cobra.ExactArgs(1), x.run, x, theLimits(&x.limit.Limits))
	c.Long, c.ValidArgs = strings.Replace(c.Long, "{plots}", strings.Join(lines, "\n"), 1), kinds
	one := c.Args
	c.Args = func(cmd *cobra.Command, args []string) error {
		if err := one(cmd, args); err != nil {
			return err
		}
		if !slices.Contains(kinds, args[0]) {
			return usagef("plot %s: want one of %s", text.Clip(args[0]), strings.Join(kinds, ", "))
		}
		return nil
	}
	return c
}

func (c *plotCmd) check() error {
	if c.Out != "" && filepath.Ext(c.Out) != ".svg" {
		return usagef("--out %s: want a name that ends in .svg; --csv and --json print", c.Out)
	}
	return nil
}

func (c *plotCmd) run(ctx context.Context) error {
	f, err := plotKinds[slices.Index(c.cmd.ValidArgs, c.args[0])].draw(c, ctx)
	if err != nil {
		return err
	}
	return printFigure(c.app, f, c.plotRequest)
}

// printFigure writes a figure in the requested format.
func printFigure(a *app, f figure.Figure, r plotRequest) error {
	f.Lacks = flagged(f.Lacks)
	if r.Out != "" {
		if err := writeFile(r.Out, export.FigureSVG(f)); err != nil {
			return err
		}
		a.note("%s: %s", r.Out, f.Title)
	}
	switch {
	case a.asJSON:
		return export.FigureJSON(a.out, f)
	case a.asCSV:
		if f.Lacks != "" {
			a.note("%s", f.Lacks)
		}
		return export.FigureCSV(a.out, f)
	case r.Out != "":
		return nil
	}
	glyphs, err := widget.ParseGlyphs(a.glyphs)
	if err != nil {
		return usagef("--%v", err)
	}
	if glyphs == widget.GlyphsAuto {
		glyphs = widget.GlyphsOf(os.Getenv)
	}
	w, h, err := plotSize(a.out, r.Size)
	if err != nil {
		return err
	}
	text := widget.Wrap(f.Title, w)
	text += "\n" + widget.Figure(f, w, h-1-strings.Count(text, "\n"), widget.Unpainted)
	for line := range strings.Lines(strings.TrimRight(glyphs.Redraw(text), " \n")) {
		fmt.Fprintln(a.out, strings.TrimRight(line, " \n"))
	}
	return nil
}

// Minimum and maximum size of a drawing as text.
const (
	leastPlotW, leastPlotH = 20, 8
	mostPlotW, mostPlotH   = 500, 200
)

// plotSize returns the requested size, the terminal's minus a line for the prompt, or 80x24.
func plotSize(out io.Writer, asked string) (w, h int, err error) {
	if asked != "" {
		if n, err := fmt.Sscanf(asked, "%dx%d", &w, &h); n != 2 || err != nil || w < leastPlotW || h < leastPlotH ||
			w > mostPlotW || h > mostPlotH {
			return 0, 0, usagef("--size %s: want COLSxROWS, %dx%d to %dx%d", asked, leastPlotW, leastPlotH, mostPlotW,
				mostPlotH)
		}
		return w, h, nil
	}
	w, h = cmp.Or(columnsOf(out), helpWidth), 24
	if isTerminal(out) {
		if size, err := unix.IoctlGetWinsize(int(os.Stdout.Fd()), unix.TIOCGWINSZ); err == nil && size.Row > 0 {
			h = int(size.Row) - 1
		}
	}
	return min(max(w, leastPlotW), mostPlotW), min(max(h, leastPlotH), mostPlotH), nil
}

// plotOutlook returns the outlook of a model or of samples.
func (c *plotCmd) plotOutlook(ctx context.Context) (*outlook.Outlook, error) {
	if c.Samples != "" {
		return c.measuredOutlook(c.Samples, c.Strict)
	}
	o, _, err := c.predictedOutlook(ctx, c.Model, verification{})
	return o, err
}

// held returns the outlook, and the mode whose values the other knobs keep.
func (c *plotCmd) held(ctx context.Context) (o *outlook.Outlook, at tegra.Mode, err error) {
	if o, err = c.plotOutlook(ctx); err != nil {
		return nil, at, err
	}
	if c.At == "" {
		return o, plots.Largest(o), nil
	}
	if at, err = plots.ParseMode(o, c.At); err != nil {
		err = usagef("--at %w", err)
	}
	return o, at, err
}

func knobFlag(flag, name, usual string) (tegra.Knob, error) {
	name = cmp.Or(name, usual)
	k, ok := plots.KnobOf(name)
	if !ok {
		return 0, usagef("--%s %s: want cores, cpu, gpu or mem", flag, name)
	}
	return k, nil
}

func quantityFlag(name, usual string) (pareto.Axis, error) {
	name = cmp.Or(name, usual)
	for _, of := range []pareto.Axis{pareto.Time, pareto.Power, pareto.Energy} {
		if of.String() == name {
			return of, nil
		}
	}
	return 0, usagef("--of %s: want time, power or energy", name)
}

func (c *plotCmd) plotFront(ctx context.Context) (figure.Figure, error) {
	plane, err := frontPlane(cmp.Or(c.X, "time"), cmp.Or(c.Y, "power"))
	if err != nil {
		return figure.Figure{}, err
	}
	o, err := c.plotOutlook(ctx)
	if err != nil {
		return figure.Figure{}, err
	}
	if c.With == nil {
		return plots.Cloud(o, plane, c.limit), nil
	}
	return c.plotRivals(o, plane)
}

// plotRivals draws several models over one cloud.
func (c *plotCmd) plotRivals(o *outlook.Outlook, plane int) (figure.Figure, error) {
	if known, err := campaigns.List(c.options.Paths); err == nil {
		o.Found = savedanswers.Answered(known, o.Model.Provenance)
	}
	rivals := []plots.Rival{plots.Own(o)}
	for _, name := range c.With {
		m, err := c.loadPowered("plot front", name)
		if err != nil {
			return figure.Figure{}, err
		}
		rivals = append(rivals, plots.RivalOf(strings.TrimSuffix(filepath.Base(name), ".model"), m, o))
	}
	others, err := readSamples(c.app, c.Observed, c.Strict)
	if err != nil {
		return figure.Figure{}, err
	}
	return plots.RivalCloud(o, plane, c.limit, rivals, plots.Observed(o, rivals, others.Measured)), nil
}

func (c *plotCmd) plotHeat(ctx context.Context) (figure.Figure, error) {
	x, badX := knobFlag("x", c.X, "cpu")
	y, badY := knobFlag("y", c.Y, "gpu")
	of, badOf := quantityFlag(c.Of, "energy")
	if err := cmp.Or(badX, badY, badOf); err != nil {
		return figure.Figure{}, err
	}
	if x == y {
		return figure.Figure{}, usagef("--x and --y: want two different ones of cores, cpu, gpu and mem")
	}
	o, at, err := c.held(ctx)
	if err != nil {
		return figure.Figure{}, err
	}
	return plots.HeatMap(o, of, x, y, at, false), nil
}

func (c *plotCmd) plotCurves(ctx context.Context) (figure.Figure, error) {
	over, err := knobFlag("over", c.Over, "gpu")
	if err != nil {
		return figure.Figure{}, err
	}
	o, at, err := c.held(ctx)
	if err != nil {
		return figure.Figure{}, err
	}
	return plots.Curves(o, over, at, c.limit, false), nil
}

func (c *plotCmd) plotBox(context.Context) (figure.Figure, error) {
	if c.Model != "" {
		m, err := c.loadModel(c.Model)
		if err != nil {
			return figure.Figure{}, err
		}
		return plots.ModelRepeats(c.options.Paths, m)
	}
	s, err := readSamples(c.app, c.Samples, c.Strict)
	if err != nil {
		return figure.Figure{}, err
	}
	return plots.Repeats(&s), nil
}

func (c *plotCmd) plotViolin(context.Context) (figure.Figure, error) {
	s, err := readSamples(c.app, c.Samples, c.Strict)
	if err != nil {
		return figure.Figure{}, err
	}
	return plots.Violins(&s)
}

// plotDrawer draws a kind of plot.
type plotDrawer = func(*plotCmd, context.Context) (figure.Figure, error)

// ofModel makes a plotDrawer from a function on a model.
func ofModel(draw func(context.Context, *learn.Model) (figure.Figure, error)) plotDrawer {
	return func(c *plotCmd, ctx context.Context) (figure.Figure, error) {
		m, err := c.loadModel(c.Model)
		if err != nil {
			return figure.Figure{}, err
		}
		return draw(ctx, m)
	}
}

// ofAssessment makes a plotDrawer from a function on a model's assessment.
func ofAssessment(draw func(outlook.Assessment) figure.Figure) plotDrawer {
	return ofModel(func(ctx context.Context, m *learn.Model) (figure.Figure, error) {
		return draw(outlook.Assess(ctx, m)), ctx.Err()
	})
}

func (c *plotCmd) plotPredicted(ctx context.Context) (figure.Figure, error) {
	of, err := quantityFlag(c.Of, "time")
	if err != nil {
		return figure.Figure{}, err
	}
	draw := ofAssessment(func(s outlook.Assessment) figure.Figure { return plots.Predicted(s, of) })
	return draw(c, ctx)
}
