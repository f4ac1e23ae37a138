package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"jtune/tegra/metric"
	"jtune/tui/session"
	"jtune/tui/session/handover"
)

// verifyCmd is `jtune verify`.
type verifyCmd struct {
	jobs
	TrustCommand bool
	limit        metric.Question
}

func newVerify(a *app) *cobra.Command {
	c := &verifyCmd{jobs: jobs{app: a}}
	few := func(args []string) bool { return len(args) < 2 }
	return a.command("verify", c.own.args(few, cobra.MaximumNArgs(1)), c.run, c, c.own.typed(),
		places{"limit": oneGoal(&c.limit)})
}

func (c *verifyCmd) run(ctx context.Context) error {
	r := handover.VerifyRequest{Trust: c.TrustCommand, Campaign: strings.Join(c.own.before(c.args), "")}
	if c.limit.Load.Any() {
		return usagef("--limit: want watts or milliseconds")
	}
	r.Limit = c.limit.Limit
	if c.own.given() {
		r.Typed = &c.own.Typed
	}
	return c.onDevice(func(s *session.Session) error {
		rep := c.reporter(s.Device)
		v, err := handover.Verify(ctx, s, r, rep.observe)
		rep.wipe()
		if err != nil {
			return err
		}
		err = c.show(&v, linesOf(fmt.Sprintf("%s %v%s", s.Device.Space().Format(v.Mode), &v,
			originOf(s.Device.Board())), v.Says)...)
		switch {
		case err != nil || v.Holds():
			return err
		case v.Undecided():
			return exitError(exitFailed)
		}
		return exitError(exitInfeasible)
	})
}
