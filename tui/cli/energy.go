package cli

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"jtune/profiles/lab/experiment"
	"jtune/tegra"
	"jtune/tui/session"
	"jtune/tui/session/lab/experiments"
	"jtune/tui/session/workloads"
)

// energyCmd is `jtune lab experiment energy`.
type energyCmd struct {
	studyCmd
	infer       inferFlags
	governors   []string
	against     string
	latencyCost float64
}

func newEnergy(a *app) *cobra.Command {
	c := &energyCmd{studyCmd: studyCmd{app: a, shown: 2}}
	c.r.Experiment = experiment.Energy()
	return a.command("experiment energy", cobra.ExactArgs(1), c.run, places{"governor": &c.governors,
		"latency-cost": &c.latencyCost, "against": &c.against, "interval": &c.r.Every, "svg": &c.svg,
		"out": &c.r.Dir}, &c.r.Energy, &c.r, c, the("job", &c.infer), theServer(&a.options))
}

func (c *energyCmd) check() error {
	c.r.Energy.Governors = nil
	for _, word := range c.governors {
		g, err := readGovernors(word)
		if err != nil {
			return err
		}
		c.r.Energy.Governors = append(c.r.Energy.Governors, g)
	}
	c.r.Energy.LatencyCost = tegra.Val[float64]{V: c.latencyCost, OK: c.given("latency-cost")}
	return nil
}

func (c *energyCmd) run(ctx context.Context) error { return c.onBoard(ctx, c.complete, c.study) }

// readGovernors parses cpu=NAME,gpu=NAME.
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

// complete resolves the workloads of a study and their batch sizes.
func (c *energyCmd) complete(_ context.Context, s *session.Session) error {
	w, _, err := workloads.FindSized(s, c.args[0])
	if err != nil {
		return err
	}
	if w, err = c.infer.over(w); err != nil {
		return err
	}
	var others []int
	if given := c.options.Batches; len(given) > 0 {
		w, others = w.AtBatch(given[0]), given[1:]
	} else if experiments.TakesBatches(s, w) {
		w = w.AtBatch(1)
	}
	c.r.Workload, c.r.Energy.Batches = w, experiments.OtherBatches(s, w, others)
	if c.against != "" {
		other, _, err := workloads.FindSized(s, c.against)
		if err != nil {
			return err
		}
		other = other.AtBatch(w.Batch)
		if other.Name == w.Name || !other.Infers() {
			return usagef("--against %s: want another workload of inference", c.against)
		}
		c.r.Energy.Against = &other
	}
	return nil
}
