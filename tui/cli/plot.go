package cli

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/sys/unix"

	"jtune/internal/figure"
	"jtune/learn"
	"jtune/optimize"
	"jtune/tegra"
	"jtune/tui/export"
	"jtune/tui/session"
	"jtune/tui/widget"
)

// plotRequest is what a plot is to show.
type plotRequest struct {
	model, samples, x, y, of, over, at, out, size string
	with                                          []string // other models, for front
	observed                                      string   // a sweep of what was measured, for front
	limit                                         optimize.Limit
	strict                                        bool
}

// plotKinds are the plots, and what each shows.
var plotKinds = []struct {
	name, does string
	samples    bool // made of samples too
	draw       plotDrawer
}{
	{"front", "all modes by two quantities, and their Pareto front", true, (*app).plotFront},
	{"heat", "a quantity over two knobs, its least value marked", true, (*app).plotHeat},
	{"curves", "time, power and energy over one knob", true, (*app).plotCurves},
	{"box", "readings of modes that were measured more than once", true, (*app).plotBox},
	{"violin", "how minibatches and power readings of each mode scatter", true, (*app).plotViolin},
	{"predicted", "each measured mode against its prediction", false, (*app).plotPredicted},
	{"bars", "predicted and measured values side by side", false, ofAssessment(session.Assessment.Bars)},
	{"regions", "the error by the values of each knob", false, ofAssessment(session.Assessment.ByRegion)},
	{"importance", "what each knob alone changes", false, ofAssessment(session.Assessment.Importance)},
	{"learning", "the error by the number of modes learned from", false, ofModel(session.LearningFigure)},
	{"loss", "training loss of the networks by passes", false, ofModel(session.LossFigure)},
}

func (a *app) plot() *cobra.Command {
	var r plotRequest
	var kinds, lines []string
	for _, k := range plotKinds {
		kinds = append(kinds, k.name)
		lines = append(lines, fmt.Sprintf("  %-11s %s", k.name, k.does))
	}
	cmd := &cobra.Command{
		Use:   "plot KIND (--model MODEL | --samples FILE)",
		Short: "Draw one figure in the terminal, or as SVG, CSV or JSON",
		Example: "  jtune plot heat --model resnet.model --x cpu --y gpu --of energy\n" +
			"  jtune plot curves --model resnet.model --over gpu --out gpu.svg",
		Long: "Draws one figure, the same as the screens show:\n\n" + strings.Join(lines, "\n") + "\n\n" +
			"The first four are made of a model or of measured samples, violin of a campaign folder, the " +
			"others of a model.",
		Args:      takes(cobra.ExactArgs(1)),
		ValidArgs: kinds,
		RunE: func(cmd *cobra.Command, args []string) error {
			i := slices.Index(kinds, args[0])
			switch {
			case i < 0:
				return usagef("plot %s: want one of %s", args[0], strings.Join(kinds, ", "))
			case !plotKinds[i].samples && r.samples != "":
				return usagef("plot %s: takes --model MODEL alone; jtune fit makes one of samples", args[0])
			case (r.model == "") == (r.samples == ""):
				return usagef("give exactly one of --model MODEL and --samples FILE")
			case (r.with != nil || r.observed != "") && (args[0] != "front" || r.model == ""):
				return usagef("--with and --observed are for plot front --model MODEL")
			case r.observed != "" && r.with == nil:
				return usagef("--observed goes with --with MODEL")
			case r.out != "" && filepath.Ext(r.out) != ".svg":
				return usagef("--out %s: want a name that ends in .svg; --csv and --json print", r.out)
			}
			if err := checkLimits(r.limit, cmd.Flags().Changed); err != nil {
				return err
			}
			f, err := plotKinds[i].draw(a, cmd.Context(), &r)
			if err != nil {
				return err
			}
			return a.printFigure(f, r)
		},
	}
	f := cmd.Flags()
	modelFlag(f, &r.model, "")
	f.StringVar(&r.samples, "samples", "", "sweep `FILE` or campaign folder, for front, heat, curves, box and violin")
	f.StringArrayVar(&r.with, "with", nil, "front: the predicted front of another `MODEL` over the same cloud, repeatable, "+
		"and what each chooses for a limit")
	f.StringVar(&r.observed, "observed", "", "with --with: sweep `FILE` or campaign folder of what was measured")
	f.StringVar(&r.x, "x", "", "`KNOB` across of heat: cores, cpu, gpu or mem (default cpu); of front as in jtune front")
	f.StringVar(&r.y, "y", "", "`KNOB` upward of heat (default gpu); of front as in jtune front")
	f.StringVar(&r.of, "of", "", "`QUANTITY` of heat and predicted: time, power or energy (default energy, time)")
	f.StringVar(&r.over, "over", "gpu", "`KNOB` of curves: cores, cpu, gpu or mem")
	f.StringVar(&r.at, "at", "", "hold the other knobs as in `MODE` (default the largest values)")
	limitFlags(f, &r.limit)
	f.StringVar(&r.out, "out", "", "draw into `FILE`, as SVG")
	f.StringVar(&r.size, "size", "", "`COLSxROWS` of the drawing as text (default that of the terminal, or 80x24)")
	f.BoolVar(&a.asCSV, "csv", false, "the points as CSV")
	a.jsonFlag(f)
	f.BoolVar(&r.strict, "strict", false, "a bad row of --samples is an error")
	return cmd
}

// printFigure writes a figure as it was asked for.
func (a *app) printFigure(f figure.Figure, r plotRequest) error {
	if r.out != "" {
		if err := writeFile(r.out, export.FigureSVG(f)); err != nil {
			return err
		}
		a.note("%s: %s", r.out, f.Title)
	}
	switch {
	case a.asJSON:
		return export.FigureJSON(a.out, f)
	case a.asCSV:
		if f.Lacks != "" {
			a.note("%s", f.Lacks)
		}
		return export.FigureCSV(a.out, f)
	case r.out != "":
		return nil
	}
	glyphs, err := widget.ParseGlyphs(a.glyphs)
	if err != nil {
		return usagef("--%v", err)
	}
	if glyphs == widget.GlyphsAuto {
		glyphs = widget.GlyphsOf(os.Getenv)
	}
	w, h, err := a.plotSize(r.size)
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

// Least and largest size of a drawing as text.
const (
	leastPlotW, leastPlotH = 20, 8
	mostPlotW, mostPlotH   = 500, 200
)

// plotSize is the size asked for, that of the terminal but for the prompt's line, or 80x24.
func (a *app) plotSize(asked string) (w, h int, err error) {
	if asked != "" {
		if n, err := fmt.Sscanf(asked, "%dx%d", &w, &h); n != 2 || err != nil || w < leastPlotW || h < leastPlotH ||
			w > mostPlotW || h > mostPlotH {
			return 0, 0, usagef("--size %s: want COLSxROWS, %dx%d to %dx%d", asked, leastPlotW, leastPlotH, mostPlotW,
				mostPlotH)
		}
		return w, h, nil
	}
	w, h = 80, 24
	if isTerminal(a.out) {
		if size, err := unix.IoctlGetWinsize(int(os.Stdout.Fd()), unix.TIOCGWINSZ); err == nil && size.Col > 0 {
			w, h = int(size.Col), int(size.Row)-1
		}
	}
	return min(max(w, leastPlotW), mostPlotW), min(max(h, leastPlotH), mostPlotH), nil
}

// plotOutlook is what is known of every mode, of a model or of samples.
func (a *app) plotOutlook(ctx context.Context, r *plotRequest) (*session.Outlook, error) {
	if r.samples != "" {
		return a.measuredOutlook(r.samples, r.strict)
	}
	o, _, err := a.predictedOutlook(ctx, r.model, verification{})
	return o, err
}

// heldMode is the mode whose values the other knobs keep.
func heldMode(o *session.Outlook, r *plotRequest) (tegra.Mode, error) {
	if r.at == "" {
		return o.Largest(), nil
	}
	m, err := o.ParseMode(r.at)
	if err != nil {
		return m, usagef("--at %w", err)
	}
	return m, nil
}

func knobFlag(flag, name, usual string) (tegra.Knob, error) {
	if name == "" {
		name = usual
	}
	k, ok := session.KnobOf(name)
	if !ok {
		return 0, usagef("--%s %s: want cores, cpu, gpu or mem", flag, name)
	}
	return k, nil
}

func quantityFlag(name, usual string) (optimize.Axis, error) {
	if name == "" {
		name = usual
	}
	for _, of := range []optimize.Axis{optimize.Time, optimize.Power, optimize.Energy} {
		if of.String() == name {
			return of, nil
		}
	}
	return 0, usagef("--of %s: want time, power or energy", name)
}

func (a *app) plotFront(ctx context.Context, r *plotRequest) (figure.Figure, error) {
	x, y := r.x, r.y
	if x == "" {
		x = "time"
	}
	if y == "" {
		y = "power"
	}
	plane, err := frontPlane(x, y)
	if err != nil {
		return figure.Figure{}, err
	}
	o, err := a.plotOutlook(ctx, r)
	if err != nil {
		return figure.Figure{}, err
	}
	if r.with == nil {
		return o.Cloud(plane, r.limit), nil
	}
	return a.plotRivals(o, plane, r)
}

// plotRivals draws several models over one cloud.
func (a *app) plotRivals(o *session.Outlook, plane int, r *plotRequest) (figure.Figure, error) {
	rivals := []session.Rival{o.Own()}
	for _, name := range r.with {
		m, err := a.loadPowered("plot front", name)
		if err != nil {
			return figure.Figure{}, err
		}
		rivals = append(rivals, session.RivalOf(strings.TrimSuffix(filepath.Base(name), ".model"), m, o))
	}
	var others []tegra.Measured
	if r.observed != "" {
		s, err := session.ReadSamples(r.observed, a.options.Batches, r.strict)
		if err != nil {
			return figure.Figure{}, err
		}
		a.notes(s.Notes)
		others = s.Measured
	}
	return o.RivalCloud(plane, r.limit, rivals, o.Observed(rivals, others)), nil
}

func (a *app) plotHeat(ctx context.Context, r *plotRequest) (figure.Figure, error) {
	var none figure.Figure
	x, err := knobFlag("x", r.x, "cpu")
	if err != nil {
		return none, err
	}
	y, err := knobFlag("y", r.y, "gpu")
	if err != nil {
		return none, err
	}
	if x == y {
		return none, usagef("--x and --y: want two different knobs")
	}
	of, err := quantityFlag(r.of, "energy")
	if err != nil {
		return none, err
	}
	o, err := a.plotOutlook(ctx, r)
	if err != nil {
		return none, err
	}
	at, err := heldMode(o, r)
	if err != nil {
		return none, err
	}
	return o.HeatMap(of, x, y, at, false), nil
}

func (a *app) plotCurves(ctx context.Context, r *plotRequest) (figure.Figure, error) {
	over, err := knobFlag("over", r.over, "gpu")
	if err != nil {
		return figure.Figure{}, err
	}
	o, err := a.plotOutlook(ctx, r)
	if err != nil {
		return figure.Figure{}, err
	}
	at, err := heldMode(o, r)
	if err != nil {
		return figure.Figure{}, err
	}
	return o.Curves(over, at, r.limit, false), nil
}

func (a *app) plotBox(_ context.Context, r *plotRequest) (figure.Figure, error) {
	if r.model != "" {
		m, err := a.loadModel(r.model)
		if err != nil {
			return figure.Figure{}, err
		}
		return a.options.ModelRepeats(m)
	}
	s, err := session.ReadSamples(r.samples, a.options.Batches, r.strict)
	if err != nil {
		return figure.Figure{}, err
	}
	a.notes(s.Notes)
	return s.Repeats(), nil
}

func (a *app) plotViolin(_ context.Context, r *plotRequest) (figure.Figure, error) {
	if r.model != "" {
		return figure.Figure{}, usagef("plot violin: takes --samples DIR, a campaign folder: a model keeps medians")
	}
	s, err := session.ReadSamples(r.samples, a.options.Batches, r.strict)
	if err != nil {
		return figure.Figure{}, err
	}
	f, err := s.Violins()
	a.notes(s.Notes)
	return f, err
}

// plotDrawer draws one kind of plot.
type plotDrawer = func(*app, context.Context, *plotRequest) (figure.Figure, error)

// ofModel draws a model.
func ofModel(draw func(context.Context, *learn.Model) (figure.Figure, error)) plotDrawer {
	return func(a *app, ctx context.Context, r *plotRequest) (figure.Figure, error) {
		m, err := a.loadModel(r.model)
		if err != nil {
			return figure.Figure{}, err
		}
		return draw(ctx, m)
	}
}

// ofAssessment draws a model's assessment.
func ofAssessment(draw func(session.Assessment) figure.Figure) plotDrawer {
	return ofModel(func(ctx context.Context, m *learn.Model) (figure.Figure, error) {
		return draw(session.Assess(ctx, m)), ctx.Err()
	})
}

func (a *app) plotPredicted(ctx context.Context, r *plotRequest) (figure.Figure, error) {
	of, err := quantityFlag(r.of, "time")
	if err != nil {
		return figure.Figure{}, err
	}
	draw := ofAssessment(func(s session.Assessment) figure.Figure { return s.Predicted(of) })
	return draw(a, ctx, r)
}
