package cli

import (
	"context"

	"github.com/spf13/cobra"

	"jtune/tegra"
	"jtune/tui/session"
	"jtune/tui/session/kept"
)

// newRevert makes `jtune revert`.
func newRevert(a *app) *cobra.Command {
	return a.command("revert", nil, func(ctx context.Context) error {
		return a.onDevice(func(s *session.Session) error {
			applied, err := s.Revert(ctx)
			if err != nil {
				return err
			}
			if err := kept.Remember(s, tegra.Val[tegra.Mode]{}, false); err != nil {
				a.note("verify and the watch over the kept mode will not know that it was reverted: %v", err)
			}
			out := appliedMode{Applied: applied, kept: true, reverted: true, locked: s.Setup().Locked}
			return a.show(out.object(s.Device.Board()), appliedParts(s, applied)...)
		})
	})
}
