package cli

import (
	"context"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"jtune/profiles/experiment"
	"jtune/tegra"
	"jtune/tui/session"
)

// energyFlags are the flags of experiment energy that are no part of its request.
type energyFlags struct {
	infer       inferFlags
	governors   []string
	against     string
	latencyCost float64
	svg         string
}

func (a *app) energy() *cobra.Command {
	r := session.ExperimentRequest{Experiment: experiment.Energy()}
	var f energyFlags
	cmd := &cobra.Command{
		Use:   "energy WORKLOAD",
		Short: "Find the clocks that answer a request at the least energy",
		Long: "Measures pairs of CPU and GPU clocks, cores and memory at their maxima, and compares the energy of a " +
			"request with that under the default governors, all clocks free, which is measured first, in the " +
			"middle and last.\n\n" +
			"A model screens the pairs: 24 evenly spread ones, the 5 of least energy that it predicts, the " +
			"neighbours of the best, and a few settings with fewer cores or slower memory; those that may be the " +
			"answer are read three times. --full measures every pair, ten times with 3,200 inferences each: days. " +
			"--out DIR --resume continues an interrupted study. A reading that disagrees with all others is never " +
			"the answer.\n\n" +
			"--batch 1,4,16 studies the first size and measures the others beside the baseline. At the end the " +
			"board is restored, governors included.",
		Example: "  jtune experiment energy mobilenet-infer --batch 1\n" +
			"  jtune experiment energy mobilenet-infer --full --repeat 10 --out study\n" +
			"  jtune experiment energy mobilenet-infer --governor cpu=performance,gpu=simple_ondemand\n" +
			"  jtune experiment energy mobilenet-infer --latency-cost 20 --svg plots",
		Args: takes(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := f.check(cmd.Flags().Changed("latency-cost"), &r); err != nil {
				return err
			}
			return a.onDevice(func(s *session.Session) error {
				if err := s.EnsureFullSpace(cmd.Context()); err != nil {
					return err
				}
				if err := a.energyJobs(s, args[0], f, &r); err != nil {
					return err
				}
				if cmd.Flags().Changed("latency-cost") {
					r.Energy.LatencyCost = tegra.Some(f.latencyCost)
				}
				return a.obeying(cmd.Context(), s, r, drawing{shown: 2, svg: f.svg},
					func(ctx context.Context, by obeying) error { return a.doExperiment(ctx, s, r, by) })
			})
		},
	}
	fl := cmd.Flags()
	fl.BoolVar(&r.Energy.Full, "full", false, "measure every pair of clocks; says before how long that takes")
	countFlag(fl, &r.Repeat, "repeat", "read each pair that may be the answer `N` times; with --full every pair "+
		"(default 3, or 10)")
	countFlag(fl, &r.Energy.Inferences, "inferences",
		"answer `N` in each reading (default 40 batches and 3 s; with --full 3200)")
	fl.StringArrayVar(&f.governors, "governor", nil, "another baseline: `NAMES` such as "+
		"cpu=performance,gpu=simple_ondemand; may be repeated")
	fl.Float64Var(&f.latencyCost, "latency-cost", 0, "also the least energy whose latency is at most `PCT` percent "+
		"above the baseline's")
	fl.StringVar(&f.against, "against", "", "compare with workload `NAME`: the same requests, in the baseline and at the "+
		"best pair")
	f.infer.addJob(fl)
	fl.DurationVar(&r.Every, "interval", 100*time.Millisecond, "time between two power samples")
	fl.StringVar(&f.svg, "svg", "", "draw the heat map and the curves as SVG files in `DIR`")
	fl.StringVar(&r.Dir, "out", "", "record `DIR`, new (default below the data directory)")
	fl.BoolVar(&r.Resume, "resume", false, "continue the same study in --out DIR")
	fl.BoolVar(&r.RedoFailed, "redo-failed", false, "with --resume: repeat the readings that failed")
	fl.BoolVar(&a.asCSV, "csv", false, "every point as CSV")
	a.weightsFlag(fl)
	a.jsonFlag(fl)
	return cmd
}

func (f *energyFlags) check(capped bool, r *session.ExperimentRequest) error {
	r.Energy.Governors = nil
	for _, word := range f.governors {
		g, err := readGovernors(word)
		if err != nil {
			return err
		}
		r.Energy.Governors = append(r.Energy.Governors, g)
	}
	switch {
	case capped && !(f.latencyCost >= 0 && f.latencyCost <= 1000):
		return usagef("--latency-cost %g: want 0 to 1000 percent", f.latencyCost)
	case r.Every < time.Millisecond || r.Every > time.Second:
		return usagef("--interval %s: want 1ms to 1s", r.Every)
	}
	return checkResume(r.Dir, r.Resume, r.RedoFailed)
}

// readGovernors reads cpu=NAME,gpu=NAME.
func readGovernors(word string) (g tegra.Governors, err error) {
	for part := range strings.SplitSeq(word, ",") {
		what, name, _ := strings.Cut(part, "=")
		to := map[string]*string{"cpu": &g.CPU, "gpu": &g.GPU}[what]
		if to == nil || name == "" || *to != "" {
			return g, usagef("--governor %s: want cpu=NAME, gpu=NAME, or both with a comma", word)
		}
		*to = name
	}
	return g, nil
}

// energyJobs finds the workloads of a study and their batch sizes.
func (a *app) energyJobs(s *session.Session, name string, f energyFlags, r *session.ExperimentRequest) error {
	w, _, err := s.SizedWorkload(name)
	if err != nil {
		return err
	}
	if w, err = f.infer.over(w); err != nil {
		return err
	}
	var others []int
	if given := a.options.Batches; len(given) > 0 {
		w, others = w.AtBatch(given[0]), given[1:]
	} else if s.TakesBatches(w) {
		w = w.AtBatch(1)
	}
	r.Workload, r.Energy.Batches = w, s.OtherBatches(w, others)
	if f.against != "" {
		other, _, err := s.SizedWorkload(f.against)
		if err != nil {
			return err
		}
		other = other.AtBatch(w.Batch)
		if other.Name == w.Name || !other.Infers() {
			return usagef("--against %s: want another workload of inference", f.against)
		}
		r.Energy.Against = &other
	}
	return nil
}
