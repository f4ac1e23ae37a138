package cli

import (
	"errors"
	"slices"

	"github.com/spf13/cobra"

	"jtune/learn"
	"jtune/optimize"
	"jtune/profiles"
	"jtune/tegra"
	"jtune/tui/export"
	"jtune/tui/session"
)

// defaultMargin is how many standard deviations of a prediction are kept from
// a limit (recipe, section 7).
const defaultMargin = 1

func (a *app) choose() *cobra.Command {
	var f limitFlags
	model, margin, asJSON := "", float64(defaultMargin), false
	cmd := &cobra.Command{
		Use:     "choose --model MODEL (--power-limit W | --time-limit MS | --energy | --throughput | --max-slowdown PCT | --knee)",
		Short:   "Choose one mode from the predictions of a model",
		Example: "  jtune fit --samples campaign --out resnet.model\n  jtune choose --model resnet.model --power-limit 30",
		Args:    takes(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			limit, err := f.limit(cmd.Flags().Changed)
			if err != nil {
				return err
			}
			if limit.Margin = margin; !(margin >= 0) {
				return usagef("--margin %g: want 0 or a positive number", margin)
			}
			m, err := a.loadPowered("choose", model)
			if err != nil {
				return err
			}
			return a.doChoose(m, limit, asJSON)
		},
	}
	fl := cmd.Flags()
	modelFlag(fl, &model, "")
	f.goalFlags(fl)
	fl.Float64Var(&f.slowdown, "max-slowdown", 0, "mode of least power at most `PCT` percent slower than the fastest")
	fl.BoolVar(&f.throughput, "throughput", false, "fastest mode, also within --time-limit; where the model knows several minibatch sizes, the most samples per second, as --power-limit asks for too")
	fl.BoolVar(&f.knee, "knee", false, "knee of the time-power front")
	fl.Float64Var(&margin, "margin", margin, "keep `Z` standard deviations of the prediction from a limit")
	jsonFlag(fl, &asJSON)
	return cmd
}

func (a *app) doChoose(m *learn.Model, limit optimize.Limit, asJSON bool) error {
	list, asked := learn.Settings(m.Space.Modes(), m.Batches), limit
	if m.Batches == nil || len(a.options.Batches) > 0 {
		var err error
		if list, err = a.settings(m, m.Space.Modes(), ""); err != nil {
			return err
		}
	}
	if m.Batches != nil && limit.PowerW > 0 {
		limit.Throughput = true // within a time limit too, which is one on the latency
	}
	choice, err := optimize.Choose(optimize.Known(m.PredictSettings(list), m.Trusted()), limit)
	chosen := choice.Measured()
	var infeasible *optimize.InfeasibleError
	if errors.As(err, &infeasible) {
		n := infeasible.Nearest
		chosen = tegra.Measured{Mode: n.Mode, Batch: n.Batch, TimeMS: n.TimeMS, PowerW: n.PowerW}
	} else if err != nil {
		return err
	}
	if doubt := m.Doubt(); doubt != "" {
		a.note("%s", doubt)
	}
	if m.Batches != nil {
		m = m.At(chosen.Batch)
	}
	predicted := m.Predict([]tegra.Mode{chosen.Mode})[0]
	presets, present := a.boardOf(m)
	x := answer{space: m.Space, mode: chosen.Mode, batch: chosen.Batch, origin: originMark(m.Provenance.Origin()), predicted: &predicted, feasible: err == nil,
		suspicious: slices.Contains(m.Suspicious, learn.SettingOf(chosen))}
	x.versus = session.Compare(chosen, m, m.Trusted(), m.Space, presets, present)
	for _, s := range m.Samples {
		if s.Mode == chosen.Mode {
			x.measured = &s
		}
	}
	if !asJSON {
		x.advice = optimize.Advice(m, optimize.Situation{Mode: x.mode, Present: present, Presets: presets, Minibatches: a.minibatches(m.Provenance.Workload)})
		return errors.Join(err, x.print(a.out))
	}
	return errors.Join(err, printJSON(a.out, a.answerJSON(x, m, asked)))
}

func (a *app) answerJSON(x answer, m *learn.Model, limit optimize.Limit) answerJSON {
	mode, bands := export.ModeOf(x.mode), export.BandsOf(*x.predicted)
	out := answerJSON{Device: optionalText(m.Provenance.Device), Virtual: m.Provenance.Virtual, Workload: optionalText(m.Provenance.Workload), Limit: limitJSON(limit),
		Mode: &mode, Predicted: &bands, Feasible: x.feasible, Probes: []probeJSON{}, ProfilingS: notKnown, Versus: toVersusJSON(x.versus), Size: x.size()}
	if x.measured != nil {
		out.Measured = toMeasuredJSON(*x.measured)
		out.Measured.Suspicious = x.suspicious
	}
	return out
}

// boardOf gives presets and present mode of the device that is open to us, if
// it is the one that the model speaks of.
func (a *app) boardOf(m *learn.Model) ([]tegra.Preset, tegra.Val[tegra.Mode]) {
	s, err := session.Open(a.options)
	if err != nil {
		return nil, tegra.Val[tegra.Mode]{}
	}
	defer s.Close()
	if s.Device.Board().Name != m.Provenance.Device {
		return nil, tegra.Val[tegra.Mode]{}
	}
	return s.Device.Presets(), s.PresentMode()
}

// minibatches counts those of a whole training of a workload; 0 when it is
// not known.
func (a *app) minibatches(workload string) int {
	list, err := a.options.Workloads()
	if err != nil {
		return 0
	}
	w, err := profiles.Find(list, workload)
	if err != nil {
		return 0
	}
	return w.MinibatchesPerEpoch() * w.Epochs
}
