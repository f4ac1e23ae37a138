package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"jtune/learn"
	"jtune/profiles"
	"jtune/tegra"
	"jtune/tegra/figures"
	"jtune/tegra/sweep"
	"jtune/tui/session"
)

func (a *app) profile() *cobra.Command {
	var r session.ProfileRequest
	var list, part string
	dvfs, retries := "", 1
	cmd := &cobra.Command{
		Use:   "profile WORKLOAD (--modes N | --sample N | --grid | --list FILE)",
		Short: "Measure power modes with a training job and record them",
		Example: "  jtune profile resnet --modes 50 --out campaign\n  jtune profile resnet --modes 50 --out campaign --resume\n" +
			"  jtune profile resnet --grid --shard 1/3 --out part1",
		Args: takes(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			err := errors.Join(positiveIfGiven(cmd, "modes", r.Choose), positiveIfGiven(cmd, "sample", r.Sample), positiveIfGiven(cmd, "minibatches", r.Settings.Minibatches))
			if err != nil {
				return err
			}
			if err := selectsOnce(r.Choose, r.Sample, r.Grid, list); err != nil {
				return err
			}
			if r.Shard, err = parseShard(part); err != nil {
				return err
			}
			if retries < 0 {
				return usagef("--retries %d: must not be negative", retries)
			}
			if r.Retries = retries; retries == 0 {
				r.Retries = -1
			}
			if r.Settings.FixedWait < 0 || r.Settings.ModeTimeout < 0 {
				return usagef("--wait and --mode-timeout must be positive")
			}
			if dvfs != "" && dvfs != "on" && dvfs != "off" {
				return usagef("--dvfs %q: want on or off", dvfs)
			}
			r.Settings.DVFS = dvfs == "on"
			if r.RedoFailed && !r.Resume {
				return usagef("--redo-failed needs --resume, and the folder to go on with")
			}
			if r.Resume && r.Dir == "" {
				return usagef("--resume needs --out DIR, the folder to go on with")
			}
			return a.withSizedJob(args[0], func(s *session.Session, w profiles.Workload, sizes []int) error {
				r.Workload, r.Batches = w, sizes
				if list != "" {
					if err := s.Whole(cmd.Context()); err != nil {
						return err
					}
				}
				modes, err := a.readModes(list, s.Device.Space())
				if err != nil {
					return err
				}
				r.List = learn.Settings(modes, sizes)
				r.ListName = list
				return a.doProfile(cmd.Context(), s, r)
			})
		},
	}
	f := cmd.Flags()
	f.IntVar(&r.Choose, "modes", 0, "measure `N` modes, chosen as it goes")
	f.IntVar(&r.Sample, "sample", 0, "measure `N` modes drawn at random, each with a minibatch size where --batch gives several")
	f.BoolVar(&r.Grid, "grid", false, "measure the even subset that the paper profiles")
	f.StringVar(&list, "list", "", "measure the modes of a CSV `FILE`")
	f.StringVar(&part, "shard", "", "measure just part `i/n`, to share the work among devices")
	f.StringVar(&r.Dir, "out", "", "campaign folder, new (default below the data directory)")
	f.BoolVar(&r.Resume, "resume", false, "go on with the same plan in --out DIR")
	f.BoolVar(&r.RedoFailed, "redo-failed", false, "with --resume: measure the modes again that failed")
	perModeFlag(f, &r.Settings.Minibatches)
	f.DurationVar(&r.Settings.FixedWait, "wait", 0, "wait `TIME` in each new mode, in place of waiting until power is steady")
	f.DurationVar(&r.Settings.ModeTimeout, "mode-timeout", 0, "longest `TIME` for a mode (default 20m)")
	f.IntVar(&retries, "retries", 1, "measure a mode that fails `N` times more")
	f.StringVar(&dvfs, "dvfs", "", "`on` leaves the clocks free below a mode's (default off)")
	f.BoolVar(&r.Settings.KeepFan, "keep-fan", false, "leave the fan alone; else it is at its maximum meanwhile")
	return cmd
}

// positiveIfGiven checks a count whose default is not for the user to write.
func positiveIfGiven(cmd *cobra.Command, flag string, n int) error {
	if cmd.Flags().Changed(flag) && n < 1 {
		return usagef("--%s %d: 1 at least", flag, n)
	}
	return nil
}

func selectsOnce(choose, sample int, grid bool, list string) error {
	n := 0
	for _, given := range []bool{choose > 0, sample > 0, grid, list != ""} {
		if given {
			n++
		}
	}
	if n != 1 {
		return usagef("which modes? give exactly one of --modes N, --sample N, --grid and --list FILE")
	}
	return nil
}

func parseShard(text string) ([2]int, error) {
	if text == "" {
		return [2]int{}, nil
	}
	var i, n int
	if got, err := fmt.Sscanf(text, "%d/%d", &i, &n); err != nil || got != 2 || fmt.Sprintf("%d/%d", i, n) != text || i < 1 || i > n {
		return [2]int{}, usagef("--shard %q: want i/n with 1 ≤ i ≤ n, such as 2/3", text)
	}
	return [2]int{i, n}, nil
}

// readModes reads the modes to measure from a file. Those that the device has
// not, as after an update of its software, are told and left out.
func (a *app) readModes(path string, space *tegra.Space) ([]tegra.Mode, error) {
	if path == "" {
		return nil, nil
	}
	t, err := sweep.ReadFile(path, sweep.Options{ModesOnly: true})
	if err != nil {
		return nil, err
	}
	for _, p := range t.Problems {
		a.note("%s: %s: row skipped", path, p)
	}
	if slices.Contains(t.Extra, "bs") {
		a.note("%s: its modes are measured once each, column bs is left unread: --batch N,M measures them with several minibatch sizes", path)
	}
	var modes []tegra.Mode
	var lost []error
	for _, m := range t.Modes() {
		if m, err = space.Snap(m); err != nil {
			lost = append(lost, err)
			continue
		}
		modes = append(modes, m)
	}
	switch {
	case len(modes)+len(lost) == 0:
		return nil, usagef("--list %s: header only, no mode to measure", path)
	case len(modes) == 0:
		return nil, usagef("--list %s: %v", path, lost[0])
	case len(lost) > 0:
		a.note("%s: %d of %d modes are none of this board's and left out; the first: %v", path, len(lost), len(lost)+len(modes), lost[0])
	}
	return modes, nil
}

func (a *app) doProfile(ctx context.Context, s *session.Session, r session.ProfileRequest) error {
	rep := a.reporter(s.Device)
	res, err := s.Profile(ctx, r, rep.observe)
	rep.wipe()
	all, usable := map[learn.Setting]bool{}, map[learn.Setting]bool{} // one that was measured again has several rows
	for _, row := range res.Rows {
		at := learn.SettingOf(row.Measured)
		if all[at] = true; row.Status.Usable() {
			usable[at] = true
		}
	}
	thing := "mode"
	if r.Batches != nil {
		thing = "setting"
	}
	recorded := figures.Count(len(all), thing)
	if res.Dir != "" {
		fmt.Fprintf(a.out, "%s: %s recorded, %d of them usable, %d new in %s\n", res.Dir, recorded, len(usable), res.New, res.Elapsed.Round(time.Second))
	}
	if ctx.Err() != nil && res.Dir != "" {
		a.note("kept: %s; go on with: jtune profile … --out %s --resume", recorded, res.Dir)
		return context.Cause(ctx)
	}
	if n := len(res.Rows); err == nil && res.End == profiles.Complete && n > 0 && !slices.ContainsFunc(res.Rows, func(r profiles.Row) bool { return r.Status.Usable() }) {
		return fmt.Errorf("every mode failed; the last: %s; put that right, then go on with --out %s --resume --redo-failed", lastWhy(res.Rows), res.Dir)
	}
	return err
}

func lastWhy(rows []profiles.Row) string {
	return strings.TrimSpace(rows[len(rows)-1].Why)
}
