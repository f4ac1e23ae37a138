package cli

import (
	"context"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"jtune/tui/session/fleet"
)

// fleetApplyCmd is `jtune fleet apply`.
type fleetApplyCmd struct {
	onBoards
	yes       bool
	keepAfter time.Duration
}

func newFleetApply(u onBoards) *cobra.Command {
	return command(&fleetApplyCmd{onBoards: u, keepAfter: defaultKeepAfter}, "fleet apply", cobra.ExactArgs(1))
}

func (c *fleetApplyCmd) flags(f *pflag.FlagSet) {
	c.selected(f)
	bind(f, "fleet apply", places{"yes": &c.yes, "keep-after": &c.keepAfter})
	c.jsonFlag(f, asDocument)
}

func (c *fleetApplyCmd) run(ctx context.Context) error {
	boards, err := c.boards()
	if err != nil {
		return err
	}
	trial := fleet.Trial{Boards: boards, Line: c.reports(),
		Args: []string{"apply", c.args[0], "--json", "--keep-after", (c.keepAfter + fleetPatience).String()},
		Asks: func(line string) bool { return strings.HasPrefix(line, keepQuestion) },
		Keep: func(set []fleet.Board) bool { return c.yes || c.keepOn(ctx, set, c.keepAfter) },
	}
	list := trial.Run(ctx)
	for i := range list {
		if list[i].Code == exitReverted {
			list[i].Err = nil // n or no answer: not a failure
		}
	}
	return c.printFleet(list, func(doc []byte) string {
		if fieldsOf[struct{ Kept bool }](doc).Kept {
			return c.args[0] + " is set, read back and kept"
		}
		return "reverted"
	})
}

// fleetPatience is how much longer than the user a board waits for the answer: other boards may take longer to set the
// mode.
const fleetPatience = 2 * time.Minute

// keepOn asks whether to keep the mode on these boards.
func (u onBoards) keepOn(ctx context.Context, set []fleet.Board, limit time.Duration) bool {
	var names []string
	for _, b := range set {
		names = append(names, b.Name)
	}
	return ask(ctx, u.app, keepQuestion+" on "+strings.Join(names, ", ")+"?", limit, nil) == nil
}

// fleetInstallCmd is `jtune fleet install`.
type fleetInstallCmd struct{ onBoards }

func newFleetInstall(u onBoards) *cobra.Command {
	return command(&fleetInstallCmd{u}, "fleet install", cobra.ExactArgs(1))
}

func (c *fleetInstallCmd) flags(f *pflag.FlagSet) {
	c.selected(f)
	c.jsonFlag(f, asDocument)
}

func (c *fleetInstallCmd) run(ctx context.Context) error {
	if st, err := os.Stat(c.args[0]); err != nil || !st.Mode().IsRegular() {
		return usagef("fleet install: %s is no file", c.args[0])
	}
	boards, err := c.boards()
	if err != nil {
		return err
	}
	line := c.reports()
	list := fleet.Each(ctx, boards, func(ctx context.Context, b fleet.Board) fleet.Result {
		return fleet.Install(ctx, b, c.args[0], line(b))
	})
	return c.printFleet(list, func([]byte) string { return "" })
}
