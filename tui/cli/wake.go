package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"jtune/tui/session"
)

func (a *app) wake() *cobra.Command {
	to := session.WakeAddress
	cmd := &cobra.Command{
		Use:   "wake MAC",
		Short: "Wake a board on the local network (Wake-on-LAN)",
		Long: "wake sends the packet that wakes a board whose network card was told to listen (on the board: " +
			"sudo ethtool -s eth0 wol g, then sudo jtune suspend). Nothing answers; whether a board supports " +
			"it shows in whether it comes up.",
		Args: takes(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.say(session.Wake(cmd.Context(), args[0], to), "sent to %s through %s", args[0], to)
		},
	}
	cmd.Flags().StringVar(&to, "to", to, "`ADDR` and port that the packet goes to")
	return cmd
}

func (a *app) suspend() *cobra.Command {
	dry := false
	cmd := &cobra.Command{
		Use:   "suspend",
		Short: "Put the board to sleep until it is woken",
		Long: "suspend lists the network cards and whether the kernel lets them wake the board, then puts the board " +
			"to sleep through systemd. It refuses while a campaign is measured. jtune wake MAC on another machine, " +
			"or the power button, wakes the board, where board, supply and network support it: not verified on a " +
			"Jetson.",
		Args: takes(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.onDevice(func(s *session.Session) error {
				if err := s.MaySuspend(); err != nil {
					return err
				}
				for _, c := range session.Cards(s.FS()) {
					says := "may not be able to wake the board"
					switch {
					case c.Wakes.V:
						says = "may wake the board: jtune wake " + c.MAC
					case c.Wakes.OK:
						says = "wakes nothing before: sudo ethtool -s " + c.Name + " wol g"
					}
					fmt.Fprintf(a.out, "%s  %s  %s\n", c.Name, c.MAC, says)
				}
				if dry {
					return nil
				}
				return s.Suspend(cmd.Context())
			})
		},
	}
	cmd.Flags().BoolVar(&dry, "dry-run", false, "only list the cards")
	return cmd
}
