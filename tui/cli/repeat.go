package cli

import (
	"context"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"jtune/tui/session"
	"jtune/tui/session/campaigns"
	"jtune/tui/session/task"
)

// repeatCmd is `jtune repeat`.
type repeatCmd struct {
	*app
	trust bool
}

func newRepeat(a *app) *cobra.Command {
	return command(&repeatCmd{app: a}, &cobra.Command{
		Use:   "repeat CAMPAIGN",
		Short: "Run a campaign again, into a new folder",
		Long: "Measures again what a search, profile, pair, verification or single run measured: the same workload, " +
			"limit, strategy and seed, on the same board. The workload must be known here with the same settings, " +
			"for a folder never says what to run.",
		Example: "  jtune repeat 20260105-101500-resnet18-tune",
		Args:    cobra.ExactArgs(1),
	})
}

func (c *repeatCmd) flags(f *pflag.FlagSet) {
	f.BoolVar(&c.trust, "trust-command", false, "run the command that the campaign's file names")
	c.jsonFlag(f, asDocument)
}

func (c *repeatCmd) run(ctx context.Context) error {
	old, err := campaigns.Find(c.options.Paths, c.args[0])
	if err != nil {
		return err
	}
	c.options = task.ToRepeat(c.options, old)
	return c.onDevice(func(s *session.Session) error {
		again, err := task.Repeat(s, old, c.trust)
		if err != nil {
			return err
		}
		c.notes(again.Notes)
		switch {
		case again.Tune != nil:
			return (&tuneCmd{jobs: jobs{app: c.app}}).doTune(ctx, s, *again.Tune)
		case again.Pair != nil:
			return (&pairCmd{onModels: onModels{c.app}}).doPair(ctx, s, *again.Pair)
		case again.Profile != nil:
			return (&profileCmd{jobs: jobs{app: c.app}}).doProfile(ctx, s, *again.Profile)
		}
		return (&runCmd{jobs: jobs{app: c.app}}).doRun(ctx, s, *again.Run)
	})
}
