package cli

import (
	"encoding/csv"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"jtune/learn"
	"jtune/learn/nn"
	"jtune/optimize"
	"jtune/tegra"
	"jtune/tegra/figures"
	"jtune/tegra/sweep"
	"jtune/tui/export"
	"jtune/tui/session"
)

// fitJSON is `jtune fit --json`.
type fitJSON struct {
	Method    string   `json:"method"`
	Samples   int      `json:"samples"`
	CV        cvJSON   `json:"cv"`
	Reference *string  `json:"reference"`
	Warnings  []string `json:"warnings"`
	Batches   []int    `json:"batches,omitempty"` // minibatch sizes, where they are an input
}

type cvJSON struct {
	Time  number `json:"time_mape_pct"`
	Power number `json:"power_mape_pct"`
}

func (a *app) fit() *cobra.Command {
	var r session.FitRequest
	var method, out string
	loss, freeze, asJSON := "mse", false, false
	cmd := &cobra.Command{
		Use:   "fit --samples FILE|DIR --out MODEL",
		Short: "Learn to predict time and power of every mode from measured ones",
		Args:  takes(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			switch {
			case r.Samples == "":
				return usagef("fit: --samples FILE|DIR is missing: measured modes")
			case out == "":
				return usagef("fit: --out MODEL is missing: the file for the model")
			}
			r.Method = learn.Method(method)
			if !slices.Contains(learn.Methods(), r.Method) {
				return usagef("--method %q: want one of %v", method, learn.Methods())
			}
			if err := networkFlags(cmd, &r, loss, freeze); err != nil {
				return err
			}
			r.Training = func() {
				a.note("networks are trained, and five times more for the cross-validation: a minute or two")
			}
			m, notes, err := session.Fit(cmd.Context(), a.options, r)
			a.notes(notes)
			if err != nil {
				return err
			}
			if err := m.Save(out); err != nil {
				return fmt.Errorf("%w: choose another file with --out", err)
			}
			return a.printFit(m, asJSON)
		},
	}
	f := cmd.Flags()
	f.StringVar(&r.Samples, "samples", "", "sweep `FILE` or campaign folder")
	referenceFlag(f, &r.Reference)
	f.StringVar(&method, "method", string(learn.Auto), "auto, gp, powertrain, nn, linear, tree, forest or mlp")
	f.StringVar(&out, "out", "", "model `FILE`, replaced if it exists")
	f.StringVar(&loss, "loss", loss, "what the networks of powertrain and nn make small: mse, or mape (the paper's for a transfer to an Orin Nano)")
	f.BoolVar(&freeze, "freeze", false, "powertrain: train the fresh last layer alone")
	f.BoolVar(&r.Strict, "strict", false, "a bad row is an error")
	jsonFlag(f, &asJSON)
	return cmd
}

// networkFlags puts what --loss and --freeze say into the request.
func networkFlags(cmd *cobra.Command, r *session.FitRequest, loss string, freeze bool) error {
	var l nn.Loss
	if err := l.UnmarshalText([]byte(strings.ToUpper(loss))); err != nil {
		return usagef("--loss %q: want mse or mape", loss)
	}
	switch networks := r.Method == learn.PowerTrain || r.Method == learn.NN; {
	case cmd.Flags().Changed("loss") && !networks:
		return usagef("--loss is of networks: it needs --method powertrain or nn")
	case freeze && r.Method != learn.PowerTrain:
		return usagef("--freeze keeps the transferred layers: it needs --method powertrain")
	}
	r.Network = func(c *nn.Config) { c.Loss, c.Freeze = l, freeze }
	return nil
}

func (a *app) printFit(m *learn.Model, asJSON bool) error {
	if asJSON {
		cv := cvJSON{notKnown, notKnown}
		if m.CV.Known() {
			cv = cvJSON{number(m.CV.TimeMAPEPct), number(m.CV.PowerMAPEPct)}
		}
		return printJSON(a.out, fitJSON{string(m.Method), len(m.Samples), cv, optionalText(m.Reference), append([]string{}, m.Warnings...), m.Batches})
	}
	a.notes(m.Warnings)
	pct := func(v float64) string {
		switch {
		case !m.CV.Known():
			return "not known"
		case math.IsNaN(v):
			return "–"
		}
		return fmt.Sprintf("%.1f %%", v)
	}
	speaksOf := figures.Thousands(m.Space.Len()) + " modes"
	if m.Batches != nil {
		speaksOf += " with minibatches of " + listed(m.Batches)
	}
	if err := table(a.out,
		[]string{"method", string(m.Method)}, []string{"samples", figures.Thousands(len(m.Samples))}, []string{"speaks of", speaksOf},
		[]string{"time error", pct(m.CV.TimeMAPEPct)}, []string{"power error", pct(m.CV.PowerMAPEPct)},
		[]string{"cross-validated", orDash(m.CV.How)}, []string{"reference", orDash(m.Reference)}); err != nil {
		return err
	}
	if m.Batches != nil {
		largest := slices.Max(m.Batches)
		fmt.Fprintf(a.out, "\nwith minibatches of %d:\n", largest)
		m = m.At(largest)
	}
	return printAdvice(a.out, optimize.Advice(m, optimize.Situation{Mode: m.Space.Max(), Minibatches: a.minibatches(m.Provenance.Workload)}))
}

// withSize adds fields to a row where there is something to tell of sizes.
func withSize(sized bool, row []string, fields ...string) []string {
	if sized {
		row = append(row, fields...)
	}
	return row
}

func (a *app) predict() *cobra.Command {
	var model, modes string
	var asCSV, asJSON, strict bool
	cmd := &cobra.Command{
		Use:   "predict --model MODEL",
		Short: "Predict time, power and energy of any or all modes",
		Args:  takes(cobra.NoArgs),
		RunE: func(*cobra.Command, []string) error {
			if asCSV && asJSON {
				return usagef("--csv and --json exclude each other")
			}
			m, err := a.loadModel(model)
			if err != nil {
				return err
			}
			list := m.Space.Modes()
			if modes != "" {
				if list, err = a.modesToPredict(modes, strict); err != nil {
					return err
				}
			}
			settings, err := a.settings(m, list, "choose with --batch N, or several with commas")
			if err != nil {
				return err
			}
			return a.printPredictions(m, m.PredictSettings(settings), asCSV, asJSON)
		},
	}
	f := cmd.Flags()
	modelFlag(f, &model, "")
	f.StringVar(&modes, "modes", "", "CSV `FILE` with the modes to predict, - for standard input (default: all that the model speaks of)")
	f.BoolVar(&asCSV, "csv", false, "as CSV")
	jsonListFlag(f, &asJSON)
	f.BoolVar(&strict, "strict", false, "a bad row is an error")
	return cmd
}

// settings are modes with the minibatch sizes that --batch gives, size by size;
// without one it says what to do. Where the model has no size as an input, they
// are the modes.
func (a *app) settings(m *learn.Model, modes []tegra.Mode, todo string) ([]learn.Setting, error) {
	asked := a.options.Batches
	if a.options.AllSizes {
		asked = m.Batches
	}
	switch {
	case m.Batches == nil && len(asked) > 0:
		a.note("the model knows one minibatch size, its samples': --batch is not heeded")
		fallthrough
	case m.Batches == nil:
		return learn.Settings(modes, nil), nil
	case len(asked) == 0:
		return nil, usagef("the model holds minibatch sizes %s: %s", listed(m.Batches), todo)
	}
	var out []learn.Setting
	for _, b := range asked {
		if !slices.Contains(m.Batches, b) {
			how := "between measured ones"
			if b < m.Batches[0] || b > m.Batches[len(m.Batches)-1] {
				how = "beyond all measured ones, so its values are extrapolated"
			}
			a.note("minibatches of %d were not measured, only %s: it lies %s", b, listed(m.Batches), how)
		}
		out = append(out, learn.Settings(modes, []int{b})...)
	}
	return out, nil
}

// listed prints minibatch sizes.
func listed(list []int) string { return strings.Trim(fmt.Sprint(list), "[]") }

func (a *app) loadModel(name string) (*learn.Model, error) {
	if name == "" {
		return nil, usagef("--model MODEL is missing: jtune fit makes one")
	}
	return a.options.LoadModel(name)
}

// loadPowered is loadModel for commands that need power too.
func (a *app) loadPowered(command, name string) (*learn.Model, error) {
	m, err := a.loadModel(name)
	if err == nil && !m.HasPower() {
		return nil, noPower(command, "model "+name)
	}
	return m, err
}

// noPower is why a command has nothing to do with measured times alone.
func noPower(command, what string) error {
	return fmt.Errorf("%s: %s knows time alone, and every limit and front needs power: measure it too (column power_w)", command, what)
}

// modesToPredict keeps the order and the duplicates of a file.
func (a *app) modesToPredict(path string, strict bool) ([]tegra.Mode, error) {
	o := sweep.Options{ModesOnly: true, Strict: strict}
	var t *sweep.Table
	var err error
	if path == "-" {
		t, err = sweep.Read(a.in, "standard input", o)
	} else {
		t, err = sweep.ReadFile(path, o)
	}
	if err != nil {
		return nil, err
	}
	for _, p := range t.Problems {
		a.note("%s: %s: row skipped", path, p)
	}
	out := make([]tegra.Mode, len(t.Rows))
	for i, r := range t.Rows {
		out[i] = r.Mode
	}
	return out, nil
}

func (a *app) printPredictions(m *learn.Model, preds []learn.Prediction, asCSV, asJSON bool) error {
	sized := m.Batches != nil
	switch {
	case asJSON:
		out := make([]export.Point, len(preds))
		for i, p := range preds {
			out[i] = export.PointOf(p)
		}
		return printJSON(a.out, out)
	case asCSV:
		w := csv.NewWriter(a.out)
		w.Write(withSize(sized, strings.Split(export.Columns, ","), export.SizeColumn))
		for _, p := range preds {
			w.Write(withSize(sized, export.Fields(p), strconv.Itoa(p.Batch)))
		}
		w.Flush()
		return w.Error()
	}
	rows := [][]string{withSize(sized, []string{"mode", "ms", "95 %", "W", "95 %", "J"}, "batch", "ms per sample")}
	for _, p := range preds {
		rows = append(rows, withSize(sized, []string{m.Space.Format(p.Mode), figures.Of(p.TimeMS), between(p.TimeLoMS, p.TimeHiMS), figures.Of(p.PowerW), between(p.PowerLoW, p.PowerHiW), figures.Of(p.EnergyJ())},
			strconv.Itoa(p.Batch), figures.Of(optimize.PredictedPoint(p).SampleMS())))
	}
	return table(a.out, rows...)
}

func between(lo, hi float64) string {
	if math.IsNaN(lo) {
		return "–"
	}
	return figures.Of(lo) + " – " + figures.Of(hi)
}
