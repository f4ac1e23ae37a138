package cli

import (
	"github.com/spf13/cobra"

	"jtune/tui/session"
)

func (a *app) repeat() *cobra.Command {
	trust := false
	cmd := &cobra.Command{
		Use:   "repeat CAMPAIGN",
		Short: "Run a campaign again, into a new folder",
		Long: "Measures again what a search, profile, pair, verification or single run measured: the same workload, " +
			"limit, strategy and seed, on the same board. The workload must be known here with the same settings, " +
			"for a folder never says what to run.",
		Example: "  jtune repeat 20260105-101500-resnet18-tune",
		Args:    takes(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := a.options.FindCampaign(args[0])
			if err != nil {
				return err
			}
			a.options = a.options.ToRepeat(c)
			return a.onDevice(func(s *session.Session) error {
				again, err := s.Repeat(c, trust)
				if err != nil {
					return err
				}
				a.notes(again.Notes)
				switch {
				case again.Tune != nil:
					return a.doTune(cmd.Context(), s, *again.Tune)
				case again.Pair != nil:
					return a.doPair(cmd.Context(), s, *again.Pair)
				case again.Profile != nil:
					return a.doProfile(cmd.Context(), s, *again.Profile)
				}
				return a.doRun(cmd.Context(), s, *again.Run)
			})
		},
	}
	cmd.Flags().BoolVar(&trust, "trust-command", false, "run the command that the campaign's file names")
	a.jsonFlag(cmd.Flags())
	return cmd
}
