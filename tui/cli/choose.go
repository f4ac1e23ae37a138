package cli

import (
	"errors"

	"github.com/spf13/cobra"

	"jtune/internal/text"
	"jtune/learn"
	"jtune/optimize"
	"jtune/optimize/outlook"
	"jtune/optimize/serving"
	"jtune/profiles/workload"
	"jtune/tegra"
	"jtune/tui/session/fit"
	"jtune/tui/session/workloads"
)

func (a *app) choose() *cobra.Command {
	var limit optimize.Limit
	var serving serving.Serving
	var whole training
	model, maxError, margin := "", 0.0, 0.0
	cmd := &cobra.Command{
		Use: "choose --model MODEL (--power-limit W | --time-limit MS | --energy-limit J | --energy | --throughput | " +
			"--max-slowdown PCT | --knee)",
		Short: "Choose a power mode by the predictions of a model",
		Example: "  jtune fit --samples campaign --out resnet.model\n" +
			"  jtune choose --model resnet.model --power-limit 30\n" +
			"  jtune choose --model resnet.model --power-limit 30 --epochs 120",
		Args: takes(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			served, err := underLoad(serving, cmd.Flags().Changed)
			if err != nil {
				return err
			}
			if !(margin >= 0) {
				return usagef("--margin %g: want 0 or a positive number", margin)
			}
			limit.Margin = optimize.MarginOf(margin)
			if cmd.Flags().Changed("max-error") && !(maxError > 0) {
				return usagef("--max-error %g: must be a positive number of percent", maxError)
			}
			m, err := a.loadPowered("choose", model)
			if err != nil {
				return err
			}
			if !limit.Knee && limit.MaxSlowdownPct == 0 {
				var own bool
				serving, own = withConfigured(serving, a.listed(m.Provenance.Workload), cmd.Flags().Changed)
				served = served || own
			}
			check := checkLimit
			if served { // the load is a goal of its own
				check = checkLimits
			}
			if err := check(limit, cmd.Flags().Changed); err != nil {
				return err
			}
			if err := fit.CheckError(m, maxError); err != nil {
				return err
			}
			if served && whole.epochs > 0 {
				return usagef("choose --epochs is about training, not about a load")
			}
			if served {
				return a.chooseServed(m, limit, serving)
			}
			return a.doChoose(m, limit, whole)
		},
	}
	fl := cmd.Flags()
	modelFlag(fl, &model, "")
	goalFlags(fl, &limit)
	servingFlags(fl, &serving)
	limitFlag(fl, &serving, func(l optimize.Limit) { limit.PowerW, limit.TimeMS = l.PowerW, l.TimeMS })
	fl.Float64Var(&limit.EnergyJ, "energy-limit", 0,
		"fastest mode that takes at most `J` joules per minibatch; with several batch sizes: per sample")
	fl.Float64Var(&limit.MaxSlowdownPct, "max-slowdown", 0,
		"mode of least power that is at most `PCT` percent slower than the fastest")
	fl.BoolVar(&limit.Throughput, "throughput", false,
		"fastest mode, also within --time-limit; with several batch sizes: most samples per second, "+
			"as with --power-limit")
	fl.BoolVar(&limit.Knee, "knee", false, "knee of the Pareto front of time and power")
	fl.Float64Var(&margin, "margin", limit.Margin.Z(),
		"stay `Z` standard deviations of the prediction below a limit")
	fl.Float64Var(&maxError, "max-error", 0,
		"fail with exit code 5 when the model's own cross-validated error is above `PCT` percent, or not known")
	whole.flags(fl)
	a.jsonFlag(fl)
	return cmd
}

// listed is a workload by its name, as far as it is known without a device; the zero one where it is not.
func (a *app) listed(name string) workload.Workload {
	list, _ := workloads.Configured(a.options.Paths)
	w, _ := workload.Find(list, name)
	return w
}

// modelSettings are all settings that a model knows, or those of the batch sizes asked for.
func (a *app) modelSettings(m *learn.Model) ([]tegra.Setting, error) {
	if m.Batches == nil || len(a.options.Batches) > 0 {
		return a.settings(m, m.Space.Modes())
	}
	return tegra.Settings(m.Space.Modes(), m.Batches), nil
}

func (a *app) doChoose(m *learn.Model, limit optimize.Limit, whole training) error {
	list, err := a.modelSettings(m)
	if err != nil {
		return err
	}
	o := outlook.OutlookOf(m, list)
	at, err := o.Choose(limit)
	if err != nil && !errors.Is(err, optimize.ErrInfeasible) {
		return err
	}
	a.doubts(m)
	x := a.chosen(m, o, at, limit, err == nil)
	if whole.epochs > 0 {
		perEpoch, err := whole.minibatches(a, m.At(x.batch))
		if err != nil {
			return err
		}
		projection := o.Project(at, x.versus, limit, whole.epochs, perEpoch)
		x.training = &projection
	}
	if !a.asJSON {
		if x.training != nil {
			x.situation.Minibatches = x.training.Minibatches
		}
		if m.Batches != nil {
			m = m.At(x.batch)
		} else {
			x.situation.Predicted = o.Predicted
		}
		x.advice = optimize.Findings(m, x.situation)
		return errors.Join(err, x.print(a.out))
	}
	return errors.Join(err, printJSON(a.out, a.answerJSON(x, m, limit)))
}

// chosen is setting number at of an outlook as an answer.
func (a *app) chosen(m *learn.Model, o *outlook.Outlook, at int, limit optimize.Limit, feasible bool) answer {
	predicted, about := o.Predicted[at], o.At(at)
	situation := workloads.Situation(a.options, m, predicted.Mode)
	x := answer{space: m.Space, mode: predicted.Mode, batch: predicted.Batch, origin: originMark(m.Provenance.Origin()),
		predicted: &predicted, fitted: about.Fitted, feasible: feasible, standing: o.Standing(at, limit),
		suspicious: about.Doubted.OK, situation: situation, versus: o.Compare(at, situation.Presets,
			situation.Present)}
	switch {
	case about.Measured():
		x.measured = &about.Reading.Measured
	case about.Doubted.OK:
		x.measured = &about.Doubted.V
	}
	return x
}

// doubts notes why what a model predicts is not to be trusted.
func (a *app) doubts(m *learn.Model) {
	if doubt := m.Doubt(); doubt != "" {
		a.note("%s", doubt)
	}
	if weak := m.Weakness(); weak != "" {
		a.note("the model is weak, its choice is a guess: %s", weak)
	}
}

func (a *app) answerJSON(x answer, m *learn.Model, limit optimize.Limit) answerJSON {
	out := x.document(limit)
	out.Device, out.Virtual = text.Optional(m.Provenance.Device), m.Provenance.Virtual
	out.Workload = text.Optional(m.Provenance.Workload)
	return out
}
