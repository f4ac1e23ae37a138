package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"jtune/tegra/metric"
	"jtune/tui/session"
	"jtune/tui/session/handover"
)

// verifyCmd is `jtune verify`.
type verifyCmd struct {
	jobs
	trust bool
	limit metric.Question
}

func newVerify(a *app) *cobra.Command {
	c := &verifyCmd{jobs: jobs{app: a}}
	return command(c, "verify", c.own.args(func(args []string) bool { return len(args) < 2 }, cobra.MaximumNArgs(1)))
}

func (c *verifyCmd) flags(f *pflag.FlagSet) {
	c.own.add(f)
	bind(f, "verify", places{"limit": &limitLine{to: func(list []metric.Question) { c.limit = list[0] }},
		"trust-command": &c.trust})
	c.jsonFlag(f, asDocument)
}

func (c *verifyCmd) run(ctx context.Context) error {
	r := handover.VerifyRequest{Trust: c.trust, Campaign: strings.Join(c.own.before(c.args), "")}
	if c.limit.Loaded() {
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
		if c.asJSON {
			err = printJSON(c.out, &v)
		} else {
			_, err = fmt.Fprintf(c.out, "%s %v%s\n%s\n", s.Device.Space().Format(v.Mode), &v,
				originOf(s.Device.Board()), v.Says)
		}
		switch {
		case err != nil || v.Holds():
			return err
		case v.Undecided():
			return exitError(exitFailed)
		}
		return exitError(exitInfeasible)
	})
}
