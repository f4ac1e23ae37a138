package cli

import (
	"encoding/csv"
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"jtune/learn"
	"jtune/optimize"
	"jtune/tegra"
	"jtune/tui/session"
)

// frontJSON is one point of `jtune front --json`.
type frontJSON struct {
	pointJSON
	Measured bool `json:"measured"`
}

// cloud is all points that a front is taken of.
type cloud struct {
	preds    []learn.Prediction
	measured []bool
	front    []int // indexes, ascending in the axis
	axis     optimize.Axis
	title    string
}

func (a *app) front() *cobra.Command {
	var model, samples, x, y, svg string
	var asCSV, asJSON, strict bool
	cmd := &cobra.Command{
		Use:   "front (--model MODEL | --samples FILE)",
		Short: "Print the modes that no other mode beats in both time and power",
		Args:  takes(cobra.NoArgs),
		RunE: func(*cobra.Command, []string) error {
			axis, err := frontAxis(x, y)
			if err != nil {
				return err
			}
			if asCSV && asJSON {
				return usagef("--csv and --json exclude each other")
			}
			if (model == "") == (samples == "") {
				return usagef("front of what? give exactly one of --model MODEL and --samples FILE")
			}
			c, err := a.cloud(model, samples, strict)
			if err != nil {
				return err
			}
			c.takeFront(axis)
			if svg != "" {
				if err := writeFile(svg, c.svg()); err != nil {
					return err
				}
				a.note("%s: %d points, %d on the front", svg, len(c.preds), len(c.front))
				if !asCSV && !asJSON {
					return nil
				}
			}
			return a.printFront(c, asCSV, asJSON)
		},
	}
	f := cmd.Flags()
	f.StringVar(&model, "model", "", "model `FILE`, or the name of a kept one: the predicted front")
	f.StringVar(&samples, "samples", "", "sweep `FILE` or campaign folder: the measured front")
	f.StringVar(&x, "x", "time", "time")
	f.StringVar(&y, "y", "power", "power or energy")
	f.BoolVar(&asCSV, "csv", false, "as CSV")
	f.BoolVar(&asJSON, "json", false, "as a JSON array")
	f.StringVar(&svg, "svg", "", "draw into `FILE`")
	f.BoolVar(&strict, "strict", false, "a bad row of --samples is an error")
	return cmd
}

// frontAxis takes the two axes in either order.
func frontAxis(x, y string) (optimize.Axis, error) {
	if y == "time" {
		x, y = y, x
	}
	switch {
	case x == "time" && y == "power":
		return optimize.Power, nil
	case x == "time" && y == "energy":
		return optimize.Energy, nil
	}
	return 0, usagef("--x %s --y %s: want time against power or energy", x, y)
}

func (a *app) cloud(model, samples string, strict bool) (*cloud, error) {
	if samples != "" {
		s, err := session.ReadSamples(samples, a.options.Batch, strict)
		if err != nil {
			return nil, err
		}
		for _, n := range s.Notes {
			a.note("%s", n)
		}
		c := &cloud{title: "measured: " + samples}
		c.title += originMark(s.Provenance.Origin())
		for _, m := range s.Measured {
			c.preds, c.measured = append(c.preds, optimize.MeasuredPrediction(m)), append(c.measured, true)
		}
		return c, nil
	}
	m, err := a.loadModel(model)
	if err != nil {
		return nil, err
	}
	c := &cloud{preds: optimize.Known(m.Predict(m.Space.Modes()), m.Samples), title: "predicted: " + m.Provenance.Workload}
	if m.Provenance.Device != "" {
		c.title += " on " + m.Provenance.Device
	}
	c.title += originMark(m.Provenance.Origin())
	known := map[tegra.Mode]bool{}
	for _, s := range m.Samples {
		known[s.Mode] = true
	}
	for _, p := range c.preds {
		c.measured = append(c.measured, known[p.Mode])
	}
	return c, nil
}

func (c *cloud) takeFront(axis optimize.Axis) {
	points := make([]optimize.Point, len(c.preds))
	for i, p := range c.preds {
		points[i] = optimize.PredictedPoint(p)
	}
	c.front, c.axis = optimize.Front(points, axis), axis
}

func (a *app) printFront(c *cloud, asCSV, asJSON bool) error {
	switch {
	case asJSON:
		out := make([]frontJSON, len(c.front))
		for i, k := range c.front {
			out[i] = frontJSON{pointJSON{toModeJSON(c.preds[k].Mode), toBandsJSON(c.preds[k])}, c.measured[k]}
		}
		return printJSON(a.out, out)
	case asCSV:
		w := csv.NewWriter(a.out)
		w.Write(append(strings.Split(predictionColumns, ","), "measured"))
		for _, k := range c.front {
			w.Write(append(predictionFields(c.preds[k]), strconv.FormatBool(c.measured[k])))
		}
		w.Flush()
		return w.Error()
	}
	rows := [][]string{{"mode", "ms", "W", "J", ""}}
	for _, k := range c.front {
		p, mark := c.preds[k], "predicted"
		if c.measured[k] {
			mark = "measured"
		}
		rows = append(rows, []string{p.Mode.String(), short(p.TimeMS), short(p.PowerW), short(p.EnergyJ()), mark})
	}
	return table(a.out, rows...)
}

// writeFile replaces a file that the user named.
func writeFile(path, text string) error {
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		return fmt.Errorf("%w: choose another file", err)
	}
	return nil
}
