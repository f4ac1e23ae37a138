package cli

import (
	"context"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"jtune/tui/session/fleet"
)

func (a *app) fleetApply(f *fleetFlags) *cobra.Command {
	yes, keepAfter := false, defaultKeepAfter
	cmd := &cobra.Command{
		Use:   "apply MODE|PRESET",
		Short: "Set a mode on each board, and keep it after one question",
		Long: "Each board sets the mode, reads it back and waits. One question then names the boards that it is set " +
			"on: y keeps it there; n or silence reverts it. A board that loses its connection meanwhile reverts it " +
			"by itself. With --yes nothing is asked, and a board keeps the mode if it is still connected.",
		Args: takes(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			boards, err := a.boards(f)
			if err != nil {
				return err
			}
			trial := fleet.Trial{Boards: boards, Line: a.reports(),
				Args: []string{"apply", args[0], "--json", "--keep-after", (keepAfter + fleetPatience).String()},
				Asks: func(line string) bool { return strings.HasPrefix(line, keepQuestion) },
				Keep: func(set []fleet.Board) bool { return yes || a.keepOn(cmd.Context(), set, keepAfter) },
			}
			list := trial.Run(cmd.Context())
			for i := range list {
				if list[i].Code == exitReverted {
					list[i].Err = nil // as answered, or as silence is
				}
			}
			return a.printFleet(list, func(doc []byte) string {
				if fieldsOf[struct{ Kept bool }](doc).Kept {
					return args[0] + " is set, read back and kept"
				}
				return "reverted"
			})
		},
	}
	cmd.Flags().BoolVar(&yes, "yes", false, "do not ask")
	cmd.Flags().DurationVar(&keepAfter, "keep-after", keepAfter, "revert after this `TIME` without an answer")
	a.jsonFlag(cmd.Flags())
	return cmd
}

// fleetPatience is how much longer a board waits for the answer than the user is given: others may be slower
// to set the mode.
const fleetPatience = 2 * time.Minute

// keepOn asks whether a mode is kept on these boards.
func (a *app) keepOn(ctx context.Context, set []fleet.Board, limit time.Duration) bool {
	var names []string
	for _, b := range set {
		names = append(names, b.Name)
	}
	return a.ask(ctx, keepQuestion+" on "+strings.Join(names, ", ")+"?", limit, nil) == nil
}

func (a *app) fleetInstall(f *fleetFlags) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "install FILE",
		Short: "Install jtune on each board and check its version",
		Long: "A .deb is installed with apt, through sudo, which must not ask for a password; any other file is " +
			"taken for the program and goes to ~/.local/bin/jtune. The line of each board is the version that " +
			"answers there.",
		Example: "  jtune fleet install jtune_0.1.0_arm64.deb",
		Args:    takes(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			if st, err := os.Stat(args[0]); err != nil || !st.Mode().IsRegular() {
				return usagef("fleet install: %s is no file", args[0])
			}
			boards, err := a.boards(f)
			if err != nil {
				return err
			}
			line := a.reports()
			list := fleet.Each(cmd.Context(), boards, func(ctx context.Context, b fleet.Board) fleet.Result {
				return fleet.Install(ctx, b, args[0], line(b))
			})
			return a.printFleet(list, func([]byte) string { return "" })
		},
	}
	a.jsonFlag(cmd.Flags())
	return cmd
}
