package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"

	"github.com/spf13/cobra"

	"jtune/internal/text"
	"jtune/optimize"
	"jtune/tui/export"
	"jtune/tui/session"
)

func (a *app) front() *cobra.Command {
	var model, samples, x, y, svg string
	var limit optimize.Limit
	var serving session.Serving
	strict := false
	var v verification
	cmd := &cobra.Command{
		Use:   "front (--model MODEL | --samples FILE)",
		Short: "Print the Pareto front of time and power",
		Example: "  jtune front --model resnet.model --svg front.svg\n" +
			"  jtune front --model resnet.model --verify 10 --refit resnet.model",
		Long: "Prints the Pareto front: the modes that no other mode beats in both time and power (or in another\n" +
			"two of time, power and energy). They are predicted by a model, or taken from measured samples.",
		Args: takes(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			plane, err := frontPlane(x, y)
			if err != nil {
				return err
			}
			if (model == "") == (samples == "") {
				return usagef("give exactly one of --model MODEL and --samples FILE")
			}
			if err := checkLimits(limit, cmd.Flags().Changed); err != nil {
				return err
			}
			if err := v.check(cmd, model); err != nil {
				return err
			}
			served, err := underLoad(serving, cmd.Flags().Changed)
			if err != nil {
				return err
			}
			var o *session.Outlook
			var checks session.VerifyResult
			words := !a.asCSV && !a.asJSON
			if samples != "" {
				o, err = a.measuredOutlook(samples, strict)
			} else {
				o, checks, err = a.predictedOutlook(cmd.Context(), model, v)
			}
			if err != nil {
				return err
			}
			if model != "" && !cmd.Flags().Changed("x") && v.most == 0 {
				var own bool
				serving, own = withConfigured(serving, a.listed(o.Workload), cmd.Flags().Changed)
				served = served || own
			}
			if served {
				return a.frontServed(o, limit, serving, y == "energy", svg)
			}
			points := export.Points{Known: o.Known, Standings: o.Standings(limit), Virtual: o.Model.Provenance.Virtual}
			c := export.NewCloud(points, o.Front(plane))
			if svg != "" {
				if err := writeFile(svg, export.FigureSVG(o.Cloud(plane, limit))); err != nil {
					return err
				}
				a.note("%s: %s, %s on the Pareto front", svg, text.Count(len(c.Known), "point"),
					text.Thousands(len(c.Front)))
			}
			if svg == "" || !words {
				if err := a.printFront(c, o.Model.Provenance.Origin()); err != nil {
					return err
				}
			}
			if words && len(checks.Measured) > 0 { // last, for a front may be hundreds of lines
				fmt.Fprintln(a.out)
				return a.printVerified(checks)
			}
			return nil
		},
	}
	f := cmd.Flags()
	modelFlag(f, &model, ": the predicted Pareto front")
	f.StringVar(&samples, "samples", "", "sweep `FILE` or campaign folder: the measured Pareto front")
	f.StringVar(&x, "x", "time", "x axis: time, or power with --y energy")
	f.StringVar(&y, "y", "power", "y axis: power or energy")
	limitFlags(f, &limit)
	servingFlags(f, &serving)
	limitFlag(f, &serving, func(l optimize.Limit) { limit.PowerW, limit.TimeMS = l.PowerW, l.TimeMS })
	f.BoolVar(&a.asCSV, "csv", false, "as CSV")
	a.jsonListFlag(f)
	f.StringVar(&svg, "svg", "", "draw the cloud of modes and the front into `FILE`")
	countFlag(f, &v.most, "verify",
		"first measure up to `N` modes along it on this device, and update the model with them (try 10)")
	f.StringVar(&v.workload, "workload", "", "`NAME` of the workload to measure with --verify (default the model's)")
	f.StringVar(&v.budgets, "budgets", "",
		"power limits `FROM:TO:STEP` in watts that --verify measures for (default: 34 along the whole front)")
	f.StringVar(&v.request.Dir, "out", "",
		"new campaign `DIR` for the measurements of --verify (default: in the data directory)")
	countFlag(f, &v.request.Settings.Minibatches, "minibatches",
		"clean minibatches per mode with --verify (default 40)")
	f.StringVar(&v.refit, "refit", "", "write the model updated by --verify to `FILE`")
	f.BoolVar(&strict, "strict", false, "a bad row of --samples is an error")
	return cmd
}

// frontPlane finds the plane of two different axes, in either order.
func frontPlane(x, y string) (int, error) {
	i := slices.IndexFunc(session.Planes[:], func(p session.Plane) bool {
		return p.Across.String() == x && p.Up.String() == y || p.Across.String() == y && p.Up.String() == x
	})
	if i < 0 {
		return 0, usagef("--x %s --y %s: want time against power or energy, or power against energy", x, y)
	}
	return i, nil
}

// measuredOutlook is what samples hold.
func (a *app) measuredOutlook(samples string, strict bool) (*session.Outlook, error) {
	s, err := session.ReadSamples(samples, a.options.Batches, strict)
	if err != nil {
		return nil, err
	}
	if s.Batches != nil && len(a.options.Batches) == 0 && !a.options.AllSizes {
		return nil, usagef("%s holds batch sizes %s: choose with --batch N, or several for one front by time "+
			"per sample", samples, listed(s.Batches))
	}
	a.notes(s.Notes)
	if !s.HasPower() {
		return nil, noPower("front", samples)
	}
	return s.Outlook(), nil
}

// predictedOutlook is all modes by a model, after it was verified where that is
// asked for.
func (a *app) predictedOutlook(ctx context.Context, model string,
	v verification) (*session.Outlook, session.VerifyResult, error) {
	var checks session.VerifyResult
	m, err := a.loadPowered("front", model)
	if err != nil {
		return nil, checks, err
	}
	if v.most > 0 {
		if checks, err = a.verifyFront(ctx, m, v); err != nil {
			return nil, checks, err
		}
		m = checks.Fitted
	}
	list, err := a.settings(m, m.Space.Modes())
	if err != nil {
		return nil, checks, err
	}
	a.doubts(m)
	return session.OutlookOf(m, list), checks, nil
}

func (a *app) printFront(c *export.Cloud, origin string) error {
	switch {
	case a.asJSON:
		return printJSON(a.out, c.Listed())
	case a.asCSV:
		return c.WriteCSV(a.out)
	}
	sized := c.Sized()
	rows := [][]string{withSize(sized, []string{"mode", "ms", "W", "J", ""}, "batch", "ms per sample")}
	for _, k := range c.Front {
		p, mark := c.Known[k], c.Standings[k].String()
		rows = append(rows, withSize(sized, []string{p.Mode.String(), text.Of(p.TimeMS), text.Of(p.PowerW),
			text.Of(p.EnergyJ()), mark},
			strconv.Itoa(p.Batch), text.Of(p.Measured.SampleMS())))
	}
	return errors.Join(table(a.out, rows...), a.printOrigin(origin))
}

// writeFile replaces a file that the user named.
func writeFile(path, text string) error {
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		return fmt.Errorf("%w: choose another file", err)
	}
	return nil
}
