package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"jtune/internal/text"
	"jtune/profiles/imports"
	"jtune/profiles/record"
	"jtune/tegra"
	"jtune/tui/session"
)

func (a *app) importLogs() *cobra.Command {
	out, mode, strict := "", "", false
	var log imports.Log
	cmd := &cobra.Command{
		Use:   "import PATH --out DIR",
		Short: "Make a campaign folder from a sweep, raw runs or a power log",
		Long: "PATH is a sweep file; a folder or .tar.gz of published runs, one folder pm_<cores>_<CPU kHz>_<GPU " +
			"Hz>_<memory Hz>\n" +
			"per mode; or the power log of one run, of tegrastats or jtop, with the times of its minibatches from " +
			"--epochs.",
		Example: "  jtune import sweep.csv --out campaign\n  jtune import runs.tar.gz --out campaign\n" +
			"  jtune import tegrastats.log --epochs epoch_stats.csv --out campaign",
		Args: takes(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			if out == "" {
				return usagef("import: --out DIR is missing: the new campaign folder")
			}
			if mode != "" {
				m, err := imports.ModeOfName(mode)
				if err != nil {
					return usagef("--mode %v", err)
				}
				log.Mode = tegra.Some(m)
			}
			notes, err := session.Import(a.options, args[0], out, log, strict)
			return a.printFolder(out, notes, err)
		},
	}
	cmd.Flags().StringVar(&out, "out", "", "campaign `DIR`, new")
	cmd.Flags().BoolVar(&strict, "strict", false, "a bad row is an error")
	cmd.Flags().StringVar(&log.Times, "epochs", "",
		"of a power log: CSV `FILE` with epoch and epochtime_ms or time_ms, a row per minibatch or epoch")
	countFlag(cmd.Flags(), &log.PerEpoch, "per-epoch", "an epoch is one row of its log and has `N` minibatches")
	cmd.Flags().StringVar(&mode, "mode", "",
		"of a power log: `MODE` as cores,CPU kHz,GPU Hz,memory Hz (default: the clocks it shows)")
	cmd.Flags().DurationVar(&log.Every, "every", 0,
		"`TIME` between lines of tegrastats without timestamps (default 1s)")
	return cmd
}

func (a *app) merge() *cobra.Command {
	out := ""
	cmd := &cobra.Command{
		Use:   "merge DIR DIR… --out DIR",
		Short: "Join what several devices measured of one plan",
		Args:  takes(cobra.MinimumNArgs(2)),
		RunE: func(_ *cobra.Command, args []string) error {
			if out == "" {
				return usagef("merge: --out DIR is missing: the new campaign folder")
			}
			notes, err := session.Merge(args, out)
			return a.printFolder(out, notes, err)
		},
	}
	cmd.Flags().StringVar(&out, "out", "", "campaign `DIR`, new")
	return cmd
}

// printFolder prints what a campaign folder holds that was made, with notes, or why it was not.
func (a *app) printFolder(dir string, notes []string, err error) error {
	a.notes(notes)
	if err != nil {
		return err
	}
	head, rows, err := record.Read(dir)
	if err != nil {
		return err
	}
	from := " on " + orDash(head.Device.Name)
	if head.Plan.Kind == imports.Kind {
		from = ", imported: the board is not known"
	}
	_, err = fmt.Fprintf(a.out, "%s: %s of %s%s%s\n", dir, text.Count(len(rows), "row"),
		orDash(head.Workload.Name), from, originOf(head.Device.Board()))
	return err
}
