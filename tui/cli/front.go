package cli

import (
	"context"
	"fmt"
	"strconv"

	"github.com/spf13/cobra"

	"jtune/optimize"
	"jtune/profiles"
	"jtune/tegra/figures"
	"jtune/tui/export"
	"jtune/tui/session"
)

func (a *app) front() *cobra.Command {
	var model, samples, x, y, svg string
	var asCSV, asJSON, strict bool
	var v verification
	cmd := &cobra.Command{
		Use:   "front (--model MODEL | --samples FILE)",
		Short: "Print the modes that no other mode beats in both time and power",
		Example: "  jtune front --model resnet.model --svg front.svg\n" +
			"  jtune front --model resnet.model --verify 10 --refit resnet.model",
		Args: takes(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			across, up, err := frontAxes(x, y)
			if err != nil {
				return err
			}
			if asCSV && asJSON {
				return usagef("--csv and --json exclude each other")
			}
			if (model == "") == (samples == "") {
				return usagef("front of what? give exactly one of --model MODEL and --samples FILE")
			}
			if err := v.check(cmd, model); err != nil {
				return err
			}
			var c *export.Cloud
			var checks session.VerifyResult
			words := !asCSV && !asJSON
			if samples != "" {
				c, err = a.measuredCloud(samples, strict)
			} else {
				c, checks, err = a.predictedCloud(cmd.Context(), model, v)
			}
			if err != nil {
				return err
			}
			c.TakeFront(across, up)
			if svg != "" {
				if err := writeFile(svg, c.SVG()); err != nil {
					return err
				}
				a.note("%s: %s, %s on the front", svg, figures.Count(len(c.Known), "point"), figures.Thousands(len(c.Front)))
			}
			if svg == "" || !words {
				if err := a.printFront(c, asCSV, asJSON); err != nil {
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
	modelFlag(f, &model, ": the predicted front")
	f.StringVar(&samples, "samples", "", "sweep `FILE` or campaign folder: the measured front")
	f.StringVar(&x, "x", "time", "time, or power with --y energy")
	f.StringVar(&y, "y", "power", "power or energy")
	f.BoolVar(&asCSV, "csv", false, "as CSV")
	jsonListFlag(f, &asJSON)
	f.StringVar(&svg, "svg", "", "draw into `FILE`")
	f.IntVar(&v.most, "verify", 0, "first measure up to `N` modes that power limits choose along the front, on this device, and learn them (10 is the recipe's)")
	f.StringVar(&v.workload, "workload", "", "`NAME` of the workload to measure with --verify (default the model's)")
	f.StringVar(&v.budgets, "budgets", "", "power limits `FROM:TO:STEP` in watts that --verify is for (default 34 along the whole front)")
	f.StringVar(&v.request.Dir, "out", "", "campaign folder for what --verify measures, new (default below the data directory)")
	f.IntVar(&v.request.Settings.Minibatches, "minibatches", 0, "clean minibatches per mode with --verify (default 40)")
	f.StringVar(&v.refit, "refit", "", "write the model that --verify has corrected to `FILE`")
	f.BoolVar(&strict, "strict", false, "a bad row of --samples is an error")
	return cmd
}

// frontAxes takes two different axes in either order: time lies across, of
// power and energy power does.
func frontAxes(x, y string) (across, up optimize.Axis, err error) {
	asked := usagef("--x %s --y %s: want time against power or energy, or power against energy", x, y)
	if x != "time" && (y == "time" || y == "power") {
		x, y = y, x
	}
	switch {
	case x == "time" && y == "power":
		return optimize.Time, optimize.Power, nil
	case x == "time" && y == "energy":
		return optimize.Time, optimize.Energy, nil
	case x == "power" && y == "energy":
		return optimize.Power, optimize.Energy, nil
	}
	return 0, 0, asked
}

func (a *app) measuredCloud(samples string, strict bool) (*export.Cloud, error) {
	s, err := session.ReadSamples(samples, a.options.Batches, strict)
	if err != nil {
		return nil, err
	}
	if s.Batches != nil && len(a.options.Batches) == 0 && !a.options.AllSizes {
		return nil, usagef("%s holds minibatch sizes %s: choose with --batch N, or several for one front by time per sample", samples, listed(s.Batches))
	}
	a.notes(s.Notes)
	if !s.HasPower() {
		return nil, noPower("front", samples)
	}
	c := &export.Cloud{Title: "measured: " + samples}
	c.Title += originMark(s.Provenance.Origin())
	for _, m := range s.Measured {
		c.Known, c.Measured = append(c.Known, optimize.MeasuredPrediction(m)), append(c.Measured, true)
	}
	return c, nil
}

// predictedCloud is all modes by a model, after it was verified where that is
// asked for.
func (a *app) predictedCloud(ctx context.Context, model string, v verification) (*export.Cloud, session.VerifyResult, error) {
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
	list, err := a.settings(m, m.Space.Modes(), "choose with --batch N, or several for one front by time per sample")
	if err != nil {
		return nil, checks, err
	}
	if doubt := m.Doubt(); doubt != "" {
		a.note("%s", doubt)
	}
	c := export.Predicted(m.PredictSettings(list), m.Trusted())
	c.Title = "predicted: " + m.Provenance.Workload
	if m.Provenance.Device != "" {
		c.Title += " on " + m.Provenance.Device
	}
	c.Title += originMark(m.Provenance.Origin())
	return c, checks, nil
}

func (a *app) printFront(c *export.Cloud, asCSV, asJSON bool) error {
	switch {
	case asJSON:
		return printJSON(a.out, c.FrontPoints())
	case asCSV:
		return c.WriteCSV(a.out)
	}
	sized := c.Sized()
	rows := [][]string{withSize(sized, []string{"mode", "ms", "W", "J", ""}, "batch", "ms per sample")}
	for _, k := range c.Front {
		p, mark := c.Known[k], "predicted"
		if c.Measured[k] {
			mark = "measured"
		}
		rows = append(rows, withSize(sized, []string{p.Mode.String(), figures.Of(p.TimeMS), figures.Of(p.PowerW), figures.Of(p.EnergyJ()), mark},
			strconv.Itoa(p.Batch), figures.Of(optimize.PredictedPoint(p).SampleMS())))
	}
	return table(a.out, rows...)
}

// writeFile replaces a file that the user named.
func writeFile(path, text string) error {
	if err := profiles.WriteFile(path, []byte(text)); err != nil {
		return fmt.Errorf("%w: choose another file", err)
	}
	return nil
}
