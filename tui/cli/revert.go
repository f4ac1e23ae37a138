package cli

import (
	"github.com/spf13/cobra"

	"jtune/tui/session"
)

func (a *app) revert() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "revert",
		Short: "Undo the last applied mode; again: the one before it",
		Args:  takes(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.onDevice(func(s *session.Session) error {
				applied, err := s.Revert(cmd.Context())
				if err != nil {
					return err
				}
				if a.asJSON {
					out := toAppliedJSON(applied, s.Device.Board())
					out.Kept, out.Reverted, out.Locked = true, true, s.Locked()
					return printJSON(a.out, out)
				}
				return a.printApplied(s, applied)
			})
		},
	}
	a.jsonFlag(cmd.Flags())
	return cmd
}
