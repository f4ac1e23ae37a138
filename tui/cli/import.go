package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"jtune/profiles"
	"jtune/tui/session"
)

func (a *app) importLogs() *cobra.Command {
	out, strict := "", false
	cmd := &cobra.Command{
		Use:   "import PATH --out DIR",
		Short: "Make a campaign folder of a sweep or of published raw runs",
		Args:  takes(cobra.ExactArgs(1)),
		RunE: func(_ *cobra.Command, args []string) error {
			if out == "" {
				return usagef("import: --out DIR is missing: the new campaign folder")
			}
			notes, err := session.Import(a.options, args[0], out, strict)
			for _, n := range notes {
				a.note("%s", n)
			}
			if err != nil {
				return err
			}
			return a.printFolder(out)
		},
	}
	cmd.Flags().StringVar(&out, "out", "", "campaign `DIR`, new")
	cmd.Flags().BoolVar(&strict, "strict", false, "a bad row is an error")
	return cmd
}

func (a *app) merge() *cobra.Command {
	out := ""
	cmd := &cobra.Command{
		Use:   "merge DIR… --out DIR",
		Short: "Join what several devices measured of one plan",
		Args:  takes(cobra.MinimumNArgs(2)),
		RunE: func(_ *cobra.Command, args []string) error {
			if out == "" {
				return usagef("merge: --out DIR is missing: the new campaign folder")
			}
			notes, err := session.Merge(args, out)
			for _, n := range notes {
				a.note("%s", n)
			}
			if err != nil {
				return err
			}
			return a.printFolder(out)
		},
	}
	cmd.Flags().StringVar(&out, "out", "", "campaign `DIR`, new")
	return cmd
}

// printFolder tells what a campaign folder holds.
func (a *app) printFolder(dir string) error {
	head, rows, err := profiles.Read(dir)
	if err != nil {
		return err
	}
	from := " on " + orDash(head.Device.Name)
	if head.Plan.Kind == profiles.ImportKind {
		from = ", imported: the board is not known"
	}
	_, err = fmt.Fprintf(a.out, "%s: %d rows of %s%s\n", dir, len(rows), orDash(head.Workload.Name), from)
	return err
}
