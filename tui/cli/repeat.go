package cli

import (
	"context"

	"github.com/spf13/cobra"

	"jtune/tui/session"
	"jtune/tui/session/campaigns"
	"jtune/tui/session/task"
	"jtune/tui/session/workloads"
)

// repeatCmd is `jtune campaigns repeat`.
type repeatCmd struct {
	*app
	TrustCommand bool
	own          commandFlags
}

func newRepeat(a *app) *cobra.Command {
	c := &repeatCmd{app: a}
	return a.command("campaigns repeat", c.own.args(one, cobra.ExactArgs(1)), c.run, c, c.own.typed())
}

func (c *repeatCmd) run(ctx context.Context) error {
	old, err := campaigns.Find(c.options.Paths, c.args[0])
	if err != nil {
		return err
	}
	c.options = task.ToRepeat(c.options, old)
	return c.onDevice(func(s *session.Session) error {
		var typed *workloads.Typed
		if c.own.given() {
			typed = &c.own.Typed
		}
		again, err := task.Repeat(s, old, c.TrustCommand, typed)
		if err != nil {
			return err
		}
		if c.own.given() {
			if _, err := (jobs{app: c.app, own: c.own}).startedOften(s); err != nil {
				return err
			}
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
