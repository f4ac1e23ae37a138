package cli

import (
	"cmp"
	"encoding/csv"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"jtune/internal/text"
	"jtune/learn"
	"jtune/learn/baseline/nn"
	"jtune/optimize"
	"jtune/tegra"
	"jtune/tegra/sweep"
	"jtune/tui/export"
	"jtune/tui/session"
)

// fitJSON is `jtune fit --json`.
type fitJSON struct {
	Method    learn.Method  `json:"method"`
	Samples   int           `json:"samples"`
	CV        learn.Errors  `json:"cv"`
	Reference text.Optional `json:"reference"`
	Warnings  []string      `json:"warnings"`
	Batches   []int         `json:"batches,omitempty"` // where the batch size is an input
	Virtual   bool          `json:"virtual"`
	// Networks are those of powertrain and nn, time first; left out for other methods.
	Networks []learn.Network `json:"networks,omitempty"`
}

func (a *app) fit() *cobra.Command {
	var r session.FitRequest
	var method, out, entries string
	loss, freeze := "mse", false
	var hyper []string
	cmd := &cobra.Command{
		Use:   "fit --samples FILE|DIR --out MODEL",
		Short: "Fit a model of time and power of all modes to measured modes",
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
			if err := networkFlags(cmd, &r, loss, freeze, hyper); err != nil {
				return err
			}
			r.Training = func() {
				if r.SkipCV {
					a.note("training networks")
				} else {
					a.note("training networks, and five times more for the cross-validation: --no-cv leaves that out")
				}
			}
			var replicated []session.Replicated
			r.Replicated = func(list []session.Replicated) { replicated = list }
			m, notes, err := session.Fit(cmd.Context(), a.options, r)
			a.notes(notes)
			if err != nil {
				return err
			}
			if entries != "" {
				if err := writeFile(entries, replicatedCSV(replicated, m.Provenance.Virtual)); err != nil {
					return err
				}
				a.note("%s: %s", entries, session.ReplicatedText(replicated))
			}
			if err := m.Save(out); err != nil {
				return fmt.Errorf("%w: choose another file with --out", err)
			}
			return a.printFit(m)
		},
	}
	f := cmd.Flags()
	f.StringVar(&r.Samples, "samples", "", "sweep `FILE` or campaign folder")
	referenceFlag(f, &r.Reference)
	f.StringVar(&method, "method", string(learn.Auto), "auto, gp, powertrain, nn, linear, tree, forest or mlp")
	f.StringVar(&out, "out", "", "model `FILE`, replaced if it exists")
	f.StringVar(&loss, "loss", loss,
		"loss of the networks of powertrain and nn: mse, or mape (the paper's for a transfer to an Orin Nano)")
	f.BoolVar(&freeze, "freeze", false, "powertrain: train only the new last layer")
	f.StringArrayVar(&hyper, "hyper", nil, "`KEY=VALUE`: a setting of the networks of powertrain and nn, repeatable: "+
		strings.Join(nn.Settings(), ", "))
	countFlag(f, &r.Minibatches, "minibatches", "learn from the first `N` recorded minibatches of each mode "+
		"(default all)")
	f.StringVar(&r.Phase, "phase", "", "of a language model: `PHASE` prefill or decode, time and energy of one token of it")
	f.StringVar(&entries, "entries", "", "list how often the networks of powertrain and nn see each mode in `FILE`, as CSV")
	f.BoolVar(&r.SkipCV, "no-cv", false, "no cross-validation: faster, and the model does not know its own error")
	f.BoolVar(&r.Strict, "strict", false, "a bad row is an error")
	a.jsonFlag(f)
	return cmd
}

// replicatedCSV lists the rows that networks learn from, mode by mode.
func replicatedCSV(list []session.Replicated, virtual bool) string {
	var b strings.Builder
	w := csv.NewWriter(&b)
	w.Write(append(slices.Clone(sweep.Columns[:tegra.NumKnobs]), "minibatches", "time_rows", "power_readings",
		"power_rows", export.VirtualColumn))
	for _, r := range list {
		row := sweep.ModeFields(r.Mode)
		for _, n := range []int{r.Times, r.TimeRows, r.Powers, r.PowerRows} {
			row = append(row, strconv.Itoa(n))
		}
		w.Write(append(row, strconv.FormatBool(virtual)))
	}
	w.Flush()
	return b.String()
}

// networkFlags puts --loss, --hyper and --freeze into the request.
func networkFlags(cmd *cobra.Command, r *session.FitRequest, loss string, freeze bool,
	hyper []string) error {
	var l nn.Loss
	if err := l.UnmarshalText([]byte(strings.ToUpper(loss))); err != nil {
		return usagef("--loss %q: want mse or mape", loss)
	}
	switch networks := r.Method == learn.PowerTrain || r.Method == learn.NN; {
	case cmd.Flags().Changed("loss") && !networks:
		return usagef("--loss is for networks: it needs --method powertrain or nn")
	case freeze && r.Method != learn.PowerTrain:
		return usagef("--freeze keeps the transferred layers: it needs --method powertrain")
	case cmd.Flags().Changed("entries") && !networks:
		return usagef("--entries lists what networks learn from: it needs --method powertrain or nn")
	case len(hyper) > 0 && !networks:
		return usagef("--hyper sets networks: it needs --method powertrain or nn")
	}
	var trial nn.Config
	for _, h := range hyper {
		if err := trial.Set(h); err != nil {
			return usagef("--hyper %s: %v", h, err)
		}
	}
	r.Network = func(c *nn.Config) {
		c.Loss, c.Freeze = l, freeze
		for _, h := range hyper {
			_ = c.Set(h) // tried above
		}
	}
	return nil
}

func (a *app) printFit(m *learn.Model) error {
	if a.asJSON {
		return printJSON(a.out, fitJSON{
			Method:    m.Method,
			Samples:   len(m.Samples),
			CV:        m.CV,
			Reference: text.Optional(m.Reference),
			Warnings:  listOf(m.Warnings),
			Batches:   m.Batches,
			Virtual:   m.Provenance.Virtual,
			Networks:  learn.NetworksOf(m),
		})
	}
	a.notes(m.Warnings)
	pct := func(v float64) string {
		switch {
		case !m.CV.Known() && len(m.Samples) >= learn.LeastJudged:
			return "not known: it was not cross-validated"
		case !m.CV.Known():
			return "not known, " + m.Weakness()
		case math.IsNaN(v):
			return "–"
		}
		return fmt.Sprintf("%.1f %%", v)
	}
	covers := text.Thousands(m.Space.Len()) + " modes"
	if m.Batches != nil {
		covers += " at batch sizes " + listed(m.Batches)
	}
	rows := [][]string{
		{"method", string(m.Method) + originMark(m.Provenance.Origin())},
		{"samples", text.Thousands(len(m.Samples))},
		{"covers", covers},
		{"time error", pct(m.CV.TimeMAPEPct)},
		{"power error", pct(m.CV.PowerMAPEPct)},
		{"cross-validated", orDash(m.CV.How)},
		{"reference", orDash(m.Reference)},
	}
	if err := table(a.out, append(rows, networkRows(learn.NetworksOf(m))...)...); err != nil {
		return err
	}
	if m.Batches != nil {
		largest := slices.Max(m.Batches)
		fmt.Fprintf(a.out, "\nat batch size %d:\n", largest)
		m = m.At(largest)
	}
	about := optimize.Situation{Mode: m.Space.Max(), Minibatches: a.options.Minibatches(m)}
	return printAdvice(a.out, optimize.Advice(m, about))
}

// withSize adds fields to a row where the batch size is an input.
func withSize(sized bool, row []string, fields ...string) []string {
	if sized {
		row = append(row, fields...)
	}
	return row
}

func (a *app) predict() *cobra.Command {
	var model, modes, estimates, measured string
	var limit optimize.Limit
	strict, epoch := false, 0
	cmd := &cobra.Command{
		Use:   "predict --model MODEL [MODE...]",
		Short: "Predict time, power and energy of any or all modes",
		Long: "Predicts with a model of jtune fit or tune. MODE is a mode such as 12c/1.65C/0.62G/3.19M, or a filter " +
			"such as cores=2,4,6 for all that match; clocks also take 900MHz, 0.9GHz or just 900. A line of the " +
			"text is a mode with its time, power and energy per minibatch and their 95 % bands, its time and energy " +
			"per epoch where its minibatches are known, and where it stands against a limit. Values are the model's, " +
			"also of modes that it has learned from; where a mode stands is decided by its readings if there are any.",
		Example: "  jtune predict --model resnet.model 12c/1.65C/0.62G/3.19M\n" +
			"  jtune predict --model resnet.model 'cores=8,12 gpu>=0.9GHz'\n" +
			"  jtune predict --model resnet.model --csv",
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := checkLimits(limit, cmd.Flags().Changed); err != nil {
				return err
			}
			m, err := a.loadModel(model)
			if err != nil {
				return err
			}
			if estimates != "" {
				if modes != "" || len(args) > 0 {
					return usagef("predict --estimates FILE names the modes itself: leave --modes and MODE away")
				}
				return a.compareEstimates(m, estimates, measured)
			}
			if measured != "" {
				return usagef("predict: --measured goes with --estimates")
			}
			list := m.Space.Modes()
			switch {
			case modes != "" && len(args) > 0:
				return usagef("predict: give either MODE or --modes FILE")
			case modes != "":
				if list, err = a.modesToPredict(modes, m.Space, strict); err != nil {
					return err
				}
			case len(args) > 0:
				list = nil
				for _, text := range args {
					some, err := m.Space.Select(text)
					if err != nil {
						return usagef("predict: %v", err)
					}
					list = append(list, some...)
				}
			}
			settings, err := a.settings(m, list)
			if err != nil {
				return err
			}
			perEpoch := a.options.PerEpoch(m)
			if m.Batches != nil { // an epoch of another batch size has other minibatches
				perEpoch = 0
			}
			return a.printPredictions(session.OutlookOf(m, settings), limit, cmp.Or(epoch, perEpoch))
		},
	}
	f := cmd.Flags()
	modelFlag(f, &model, "")
	f.StringVar(&modes, "modes", "",
		"`FILE` with the modes to predict, as CSV or one MODE per line; - for standard input (default: all of the "+
			"model)")
	limitFlags(f, &limit)
	f.StringVar(&estimates, "estimates", "", "compare with another estimator, such as the vendor's: `FILE` of CSV with "+
		"the header mode,power_w; a mode may be a preset")
	f.StringVar(&measured, "measured", "", "with --estimates: sweep `FILE` or campaign folder of further measured modes")
	countFlag(f, &epoch, "per-epoch", "`N` minibatches of an epoch (default: those of the workload, if known)")
	f.BoolVar(&a.asCSV, "csv", false, "as CSV")
	a.jsonListFlag(f)
	f.BoolVar(&strict, "strict", false, "a bad row is an error")
	return cmd
}

// settings are modes at the batch sizes that --batch names.
func (a *app) settings(m *learn.Model, modes []tegra.Mode) ([]tegra.Setting, error) {
	list, notes, err := a.options.SettingsOf(m, modes)
	a.notes(notes)
	return list, err
}

// listed prints batch sizes.
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
	return fmt.Errorf("%s: %s has times only, and every limit and Pareto front needs power: measure it too (column "+
		"power_w)", command, what)
}

// modesToPredict keeps the order and the duplicates of a file.
func (a *app) modesToPredict(path string, space *tegra.Space, strict bool) ([]tegra.Mode, error) {
	o := sweep.Options{ModesOnly: true, Space: space, Strict: strict}
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

func (a *app) printPredictions(o *session.Outlook, limit optimize.Limit, perEpoch int) error {
	m, of := o.Model, export.Points{Known: o.Predicted, Standings: o.Standings(limit), PerEpoch: perEpoch}
	of.Virtual = m.Provenance.Virtual
	switch {
	case a.asJSON:
		return printJSON(a.out, export.List(of).Listed())
	case a.asCSV:
		return export.List(of).WriteCSV(a.out)
	}
	var rows [][]string
	for i, p := range of.Known {
		row := withSize(m.Batches != nil, []string{m.Space.Format(p.Mode), inUnit(p.TimeMS, "ms"),
			"(" + between(p.TimeLoMS, p.TimeHiMS) + ")", inUnit(p.PowerW, "W"),
			"(" + between(p.PowerLoW, p.PowerHiW) + ")", inUnit(p.EnergyJ(), "J")},
			"batch "+strconv.Itoa(p.Batch), inUnit(p.Measured.SampleMS(), "ms per sample"))
		if perEpoch > 0 {
			row = append(row, "epoch "+optimize.Whole(p.Measured, perEpoch).String())
		}
		if s := of.Standings[i]; s.Limited {
			row = append(row, s.String())
		}
		if of.Virtual {
			row = append(row, "VIRTUAL")
		}
		rows = append(rows, row)
	}
	return table(a.out, rows...)
}

func between(lo, hi float64) string {
	if math.IsNaN(lo) {
		return "–"
	}
	return text.Of(lo) + " – " + text.Of(hi)
}

// inUnit prints a value with its unit; a dash when it is not known.
func inUnit(v float64, unit string) string {
	if math.IsNaN(v) {
		return "–"
	}
	return text.Of(v) + " " + unit
}

// networkRows are the lines of a table about the networks of a model.
func networkRows(list []learn.Network) (rows [][]string) {
	for _, n := range list {
		rows = append(rows, []string{n.Of + " network", n.Words()})
	}
	return rows
}
