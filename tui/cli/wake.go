package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"jtune/internal/report"
	"jtune/tui/session"
	"jtune/tui/session/remote"
)

// wakeCmd is `jtune device wake`.
type wakeCmd struct {
	*app
	to string
}

func newWake(a *app) *cobra.Command {
	return command(&wakeCmd{app: a, to: remote.WakeAddress}, &cobra.Command{
		Use:   "wake MAC",
		Short: "Wake a board on the local network (Wake-on-LAN)",
		Long: "Sends a Wake-on-LAN packet to a sleeping board whose network card listens for it (on the board: sudo " +
			"ethtool -s eth0 wol g, then sudo jtune device suspend). The board does not answer: you see that it " +
			"supports this when it wakes up.",
		Args: cobra.ExactArgs(1),
	})
}

func (c *wakeCmd) flags(f *pflag.FlagSet) {
	f.StringVar(&c.to, "to", c.to, "send the packet to `ADDR`, an address with a port")
	c.jsonFlag(f, asDocument)
}

func (c *wakeCmd) run(ctx context.Context) error {
	return did(c.app, remote.Wake(ctx, c.args[0], c.to), report.Object{{"mac", c.args[0]}, {"to", c.to}},
		"sent to %s through %s", c.args[0], c.to)
}

// suspendCmd is `jtune device suspend`.
type suspendCmd struct {
	*app
	dry bool
}

func newSuspend(a *app) *cobra.Command {
	return command(&suspendCmd{app: a}, &cobra.Command{
		Use:   "suspend",
		Short: "Put the board to sleep until it is woken",
		Long: "Lists the network cards and whether the kernel lets them wake the board, then puts the board to sleep " +
			"through systemd. It refuses while a campaign is running. To wake the board, run jtune device wake MAC " +
			"on another machine or press the power button; board, supply and network must support it. Not verified " +
			"on a Jetson.",
	})
}

func (c *suspendCmd) flags(f *pflag.FlagSet) {
	f.BoolVar(&c.dry, "dry-run", false, "only list the cards")
	c.jsonFlag(f, asDocument)
}

func (c *suspendCmd) run(ctx context.Context) error {
	return c.onDevice(func(s *session.Session) error {
		if err := remote.MaySuspend(s); err != nil {
			return err
		}
		if err := c.print(remote.Cards(s.FS())); err != nil || c.dry {
			return err
		}
		return remote.Suspend(ctx, s)
	})
}

// print lists the network cards and whether they may wake the board.
func (c *suspendCmd) print(cards []remote.Card) error {
	if c.asJSON {
		return printJSON(c.out, report.Object{{"cards", listOf(cards)}, {"suspends", !c.dry}})
	}
	for _, card := range cards {
		says := "may not be able to wake the board"
		switch {
		case card.Wakes.V:
			says = "may wake the board: jtune device wake " + card.MAC
		case card.Wakes.OK:
			says = "may wake the board after: sudo ethtool -s " + card.Name + " wol g"
		}
		fmt.Fprintf(c.out, "%s  %s  %s\n", card.Name, card.MAC, says)
	}
	return nil
}
