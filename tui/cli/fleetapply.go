package cli

import (
	"context"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"jtune/tui/session/fleet"
)

// newFleetApply makes `jtune fleet apply`.
func newFleetApply(u onBoards) *cobra.Command {
	c := struct {
		Yes       bool
		KeepAfter time.Duration
	}{KeepAfter: defaultKeepAfter}
	return u.command("fleet apply", cobra.ExactArgs(1), func(ctx context.Context) error {
		boards, err := u.boards()
		if err != nil {
			return err
		}
		trial := fleet.Trial{Boards: boards, Line: u.reports(),
			Args: []string{"apply", u.args[0], "--json", "--keep-after", (c.KeepAfter + fleetPatience).String()},
			Asks: func(line string) bool { return strings.HasPrefix(line, keepQuestion) },
			Keep: func(set []fleet.Board) bool { return c.Yes || u.keepOn(ctx, set, c.KeepAfter) },
		}
		list := trial.Run(ctx)
		for i := range list {
			if list[i].Code == exitReverted {
				list[i].Err = nil // n or no answer: not a failure
			}
		}
		return u.printFleet(list, func(doc []byte) string {
			if fieldsOf[struct{ Kept bool }](doc).Kept {
				return u.args[0] + " is set, read back and kept"
			}
			return "reverted"
		})
	}, &c, u.selected())
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

// newFleetInstall makes `jtune fleet install`.
func newFleetInstall(u onBoards) *cobra.Command {
	return u.command("fleet install", cobra.ExactArgs(1), func(ctx context.Context) error {
		file := u.args[0]
		if st, err := os.Stat(file); err != nil || !st.Mode().IsRegular() {
			return usagef("fleet install: %s is no file", file)
		}
		boards, err := u.boards()
		if err != nil {
			return err
		}
		line := u.reports()
		list := fleet.Each(ctx, boards, func(ctx context.Context, b fleet.Board) fleet.Result {
			return fleet.Install(ctx, b, file, line(b))
		})
		return u.printFleet(list, nil)
	}, u.selected())
}
