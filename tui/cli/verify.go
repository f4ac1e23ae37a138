package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"jtune/tui/session"
	"jtune/tui/session/handover"
)

// verifyCmd is `jtune verify`.
type verifyCmd struct{ *app }

func newVerify(a *app) *cobra.Command {
	return command(&verifyCmd{a}, &cobra.Command{
		Use:   "verify [CAMPAIGN]",
		Short: "Measure a search's answer again, and say whether it holds",
		Long: "Measures the answer of a search again with its job and compares: the newest search on this board,\n" +
			"unless one is named. The board is restored.\n\n" +
			"Exit code 0: time and power are within what readings differ by, or less; 5: one of them is more.",
		Example: "  jtune verify\n  jtune verify 20260105-101500-resnet18-tune --json",
		Args:    cobra.MaximumNArgs(1),
	})
}

func (c *verifyCmd) flags(f *pflag.FlagSet) { c.jsonFlag(f, asDocument) }

func (c *verifyCmd) run(ctx context.Context) error {
	return c.onDevice(func(s *session.Session) error {
		name := ""
		if len(c.args) > 0 {
			name = c.args[0]
		}
		rep := c.reporter(s.Device)
		d, err := handover.Verify(ctx, s, name, rep.observe)
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
