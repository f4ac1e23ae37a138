package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"jtune/tui/session"
	"jtune/tui/session/handover"
)

// verifyCmd is `jtune verify`.
type verifyCmd struct {
	jobs
	trust bool
}

func newVerify(a *app) *cobra.Command {
	c := &verifyCmd{jobs: jobs{app: a}}
	return command(c, &cobra.Command{
		Use:   "verify [CAMPAIGN] [-- COMMAND [ARG…]]",
		Short: "Measure a search's answer again, and report whether it holds",
		Long: "Measures the answer of a search again with its job and compares. Without a name it takes the answer " +
			"that was kept last on this board, else the answer of the newest search. For a search with a command, " +
			"give the command again; a search under a load sends its requests again. Afterwards the board is " +
			"restored.\n\n" +
			"Exit code 0: neither time nor power rose by more than readings differ, nothing slowed the module, and " +
			"under a load the limits are kept; 5: one of these fails; 1: there is no answer to verify.",
		Example: "  jtune verify\n  jtune verify 20260105-101500-resnet18-tune --json\n" +
			"  jtune verify 20260105-101500-train-tune -- python3 train.py",
		Args: c.own.args(func(args []string) bool { return len(args) < 2 }, cobra.MaximumNArgs(1)),
	})
}

func (c *verifyCmd) flags(f *pflag.FlagSet) {
	c.own.add(f)
	f.BoolVar(&c.trust, "trust-command", false, "run the command in the campaign's file")
	c.jsonFlag(f, asDocument)
}

func (c *verifyCmd) run(ctx context.Context) error {
	if err := c.own.idle(c.given); err != nil {
		return err
	}
	r := handover.VerifyRequest{Trust: c.trust, Campaign: strings.Join(c.own.before(c.args), "")}
	if c.own.given() {
		r.Typed = &c.own.Typed
	}
	return c.onDevice(func(s *session.Session) error {
		rep := c.reporter(s.Device)
		d, err := handover.Verify(ctx, s, r, rep.observe)
		rep.wipe()
		if err != nil {
			return err
		}
		if c.asJSON {
			err = printJSON(c.out, d)
		} else {
			word := map[bool]string{true: "holds", false: "does not hold"}[d.Holds]
			_, err = fmt.Fprintf(c.out, "%s%s\n%s\n", s.Device.Space().Format(d.Mode)+" "+word,
				originOf(s.Device.Board()), d.Says)
		}
		if err == nil && !d.Holds {
			err = exitError(exitInfeasible)
		}
		return err
	})
}
