package cli

import (
	"context"

	"github.com/spf13/cobra"

	"jtune/tegra"
	"jtune/tegra/guard"
	"jtune/tui/session"
)

func (a *app) revert() *cobra.Command {
	asJSON := false
	cmd := &cobra.Command{
		Use:   "revert",
		Short: "Put back the state before the last apply",
		Args:  takes(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.onDevice(func(s *session.Session) error {
				applied, err := doRevert(cmd.Context(), s)
				if err != nil {
					return err
				}
				if asJSON {
					out := toAppliedJSON(applied)
					out.Kept, out.Reverted = true, true
					return printJSON(a.out, out)
				}
				return a.printApplied(s.Device.Space(), applied)
			})
		},
	}
	jsonFlag(cmd.Flags(), &asJSON)
	return cmd
}

// doRevert puts back what a killed run left changed, else the state before the
// last mode that was applied.
func doRevert(ctx context.Context, s *session.Session) (tegra.Applied, error) {
	g, err := s.Guard(ctx)
	if err != nil {
		return tegra.Applied{}, err
	}
	if c, ok := g.(*guard.Client); ok && c.HasPending() {
		return c.RestorePending(ctx)
	}
	applied, err := g.Revert(ctx)
	if err != nil {
		return applied, err
	}
	return applied, g.Keep(ctx)
}
