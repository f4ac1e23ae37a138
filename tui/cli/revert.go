package cli

import (
	"context"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"jtune/tegra"
	"jtune/tui/session"
	"jtune/tui/session/kept"
)

// revertCmd is `jtune revert`.
type revertCmd struct{ *app }

func newRevert(a *app) *cobra.Command {
	return command(&revertCmd{a}, "revert", nil)
}

func (c *revertCmd) flags(f *pflag.FlagSet) { c.jsonFlag(f, asDocument) }

func (c *revertCmd) run(ctx context.Context) error {
	return c.onDevice(func(s *session.Session) error {
		applied, err := s.Revert(ctx)
		if err != nil {
			return err
		}
		if err := kept.Remember(s, tegra.Val[tegra.Mode]{}, false); err != nil {
			c.note("verify and the watch over the kept mode will not know that it was reverted: %v", err)
		}
		if c.asJSON {
			out := appliedMode{Applied: applied, kept: true, reverted: true, locked: s.Setup().Locked}
			return printJSON(c.out, out.object(s.Device.Board()))
		}
		return printApplied(c.out, s, applied)
	})
}
