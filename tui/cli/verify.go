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
	return command(c, &cobra.Command{
		Use:   "verify [CAMPAIGN] [-- COMMAND [ARG…]]",
		Short: "Measure a search's answer again, and test its limit",
		Long: "Measures the answer of a search again with its job until the readings show that it is within the " +
			"limit " +
			"of the search or over it, six times at most, and compares them with those of the search. Without a name " +
			"it takes the answer that was kept last on this board, else the answer of the newest search. For a " +
			"search with a command, give the command again; a search under a load sends its requests again. " +
			"Afterwards the board is restored.\n\n" +
			"Exit code 0: within the limit, neither time nor power rose by more than readings differ, and nothing " +
			"slowed the module; 5: one of these fails; 1: still at the limit after the last reading, a reading is " +
			"missing, or there is no answer to verify.",
		Example: "  jtune verify\n  jtune verify 20260105-101500-resnet18-tune --json\n" +
			"  jtune verify 20260105-101500-train-tune -- python3 train.py",
		Args: c.own.args(func(args []string) bool { return len(args) < 2 }, cobra.MaximumNArgs(1)),
	})
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
