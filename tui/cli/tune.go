package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"jtune/learn"
	"jtune/optimize"
	"jtune/profiles"
	"jtune/tegra/figures"
	"jtune/tui/export"
	"jtune/tui/session"
)

func (a *app) tune() *cobra.Command {
	var f limitFlags
	r := session.TuneRequest{}
	strategy, effort, rotation, asJSON := string(optimize.Auto), optimize.Quick.String(), "", false
	cmd := &cobra.Command{
		Use:   "tune WORKLOAD (--power-limit W | --time-limit MS | --energy)",
		Short: "Find the best mode by measuring: the answer has been measured",
		Example: "  jtune tune resnet --power-limit 30\n  jtune tune resnet --power-limit 30 --speed max --json\n" +
			"  jtune tune job --time-limit 80 --device replay:sweep.csv --speed max\n" +
			"  jtune tune resnet --power-limit 30 --time-limit 150 --batch 8,16,32",
		Args: takes(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			var err error
			if r.Limit, err = f.limit(cmd.Flags().Changed); err != nil {
				return err
			}
			if err := errors.Join(positiveIfGiven(cmd, "probes", r.Probes), positiveIfGiven(cmd, "minibatches", r.Settings.Minibatches)); err != nil {
				return err
			}
			if r.Strategy = optimize.Strategy(strategy); !slices.Contains(optimize.Strategies(), r.Strategy) {
				return usagef("--strategy %q: want one of %v", strategy, optimize.Strategies())
			}
			if r.Rotation, err = optimize.ParseRotation(rotation); err != nil {
				return usagef("--rotation: %v", err)
			}
			switch effort {
			case optimize.Quick.String():
			case optimize.Thorough.String():
				r.Effort = optimize.Thorough
			default:
				return usagef("--effort %q: want quick or thorough", effort)
			}
			return a.withSizedJob(args[0], func(s *session.Session, w profiles.Workload, sizes []int) error {
				r.Workload, r.Batches = w, sizes
				return a.doTune(cmd.Context(), s, r, asJSON)
			})
		},
	}
	fl := cmd.Flags()
	f.goalFlags(fl)
	fl.IntVar(&r.Probes, "probes", 0, "measure at most `N` times, start and verification included")
	fl.StringVar(&strategy, "strategy", strategy, "auto, binary, powertrain (50 random modes, then the one that its networks pick) or random")
	fl.StringVar(&rotation, "rotation", "", "`ORDER` in which binary halves the knobs (default gpu,cpu,mem,cores,batch), widest or one-by-one")
	fl.StringVar(&effort, "effort", effort, "quick or thorough")
	referenceFlag(fl, &r.Reference)
	fl.StringVar(&r.Dir, "out", "", "campaign folder for what is measured, new (default below the data directory)")
	perModeFlag(fl, &r.Settings.Minibatches)
	jsonFlag(fl, &asJSON)
	return cmd
}

func (a *app) doTune(ctx context.Context, s *session.Session, r session.TuneRequest, asJSON bool) error {
	rep := a.reporter(s.Device)
	rep.quietRows = true // each probe tells of itself
	thing := "mode"
	if r.Batches != nil {
		thing = "setting"
		a.note("minibatches of %s: %s", listed(r.Batches), sizedGoal(r.Limit))
	}
	res, err := s.Tune(ctx, r, rep.observe)
	rep.wipe()
	if res.Dir != "" {
		a.note("%s measured, %s in %.0f s, %s; recorded in %s", figures.Count(distinct(res.Probes), thing), figures.Count(len(res.Probes), "measurement"), res.Took.Seconds(), res.Ended, res.Dir)
	}
	for _, h := range res.Trace {
		a.note("%v", h)
	}
	a.notes(res.Warnings)
	if err != nil && !errors.Is(err, optimize.ErrInfeasible) || res.Measured.TimeMS == 0 {
		return err
	}
	if res.Feasible && !res.Verified {
		a.note("the answer was measured once: no measurement was left to repeat it, one may have been luck")
	}
	x := answer{space: s.Device.Space(), mode: res.Mode, batch: res.Batch, origin: originOf(s.Device.Board()), measured: &res.Measured, feasible: res.Feasible, versus: res.Versus}
	if res.Predicted.TimeMS > 0 {
		x.predicted = &res.Predicted
	}
	if !asJSON {
		if m, w := res.Fitted, r.Workload; m != nil {
			if res.Batch > 0 {
				w.Batch = res.Batch
			}
			if m.Batches != nil {
				m = m.At(res.Batch)
			}
			x.advice = optimize.Advice(m, optimize.Situation{Mode: x.mode, Present: s.PresentMode(), Presets: s.Device.Presets(), Minibatches: w.MinibatchesPerEpoch() * w.Epochs})
		}
		return errors.Join(err, x.print(a.out))
	}
	return errors.Join(err, printJSON(a.out, tuneJSON(s, r, res, x)))
}

// sizedGoal says what a limit asks of modes with minibatches of several sizes.
func sizedGoal(l optimize.Limit) string {
	latency := ""
	if l.TimeMS > 0 {
		latency = fmt.Sprintf(" within %s ms a minibatch", figures.Of(l.TimeMS))
	}
	switch {
	case l.Energy:
		return "looking for the least energy per sample"
	case l.PowerW > 0:
		return fmt.Sprintf("looking for the most samples per second at %s W at most%s", figures.Of(l.PowerW), latency)
	}
	return "looking for the least power" + latency + ", however many samples it has"
}

func tuneJSON(s *session.Session, r session.TuneRequest, res session.TuneResult, x answer) answerJSON {
	board, mode := s.Device.Board(), export.ModeOf(x.mode)
	out := answerJSON{Device: optionalText(board.Name), Virtual: board.Virtual, Workload: optionalText(r.Workload.Name), Limit: limitJSON(r.Limit),
		Mode: &mode, Measured: toMeasuredJSON(*x.measured), Feasible: x.feasible, Probes: []probeJSON{}, ProfilingS: number(res.Took.Seconds()), Versus: toVersusJSON(x.versus), Size: x.size()}
	if x.predicted != nil {
		bands := export.BandsOf(*x.predicted)
		out.Predicted = &bands
	}
	for _, p := range res.Probes {
		probe := probeJSON{Mode: export.ModeOf(p.Mode), TimeMS: number(p.TimeMS), PowerW: number(p.PowerW), Why: p.Why, Size: export.SizeOf(optimize.MeasuredPoint(p.Measured))}
		if p.Err != nil {
			probe.TimeMS, probe.PowerW = notKnown, notKnown
		}
		out.Probes = append(out.Probes, probe)
	}
	return out
}

// distinct counts the modes among probes, each with its minibatch size.
func distinct(probes []optimize.Probe) int {
	seen := map[learn.Setting]bool{}
	for _, p := range probes {
		seen[learn.SettingOf(p.Measured)] = true
	}
	return len(seen)
}
