package cli

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"jtune/internal/text"
	"jtune/profiles"
	"jtune/profiles/record"
	"jtune/profiles/workload"
	"jtune/tegra"
	"jtune/tegra/sweep"
	"jtune/tui/session"
)

func (a *app) profile() *cobra.Command {
	var r session.ProfileRequest
	var list, part string
	dvfs, retries, trust, join := "", 1, false, joinFlags{}
	cmd := &cobra.Command{
		Use:   "profile WORKLOAD (--modes N | --sample N [--grid] | --grid | --filter EXPR | --list FILE)",
		Short: "Measure power modes with a training job and record them",
		Example: "  jtune profile resnet --modes 50 --out campaign\n" +
			"  jtune profile resnet --modes 50 --out campaign --resume\n" +
			"  jtune profile resnet --sample 20 --filter 'cores>=8' --repeat 3\n" +
			"  jtune profile resnet --grid --shard 1/3 --out part1",
		Args: takes(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			err := selectsOnce(r, list)
			if err != nil {
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
			if err := checkResume(r.Dir, r.Resume, r.RedoFailed); err != nil {
				return err
			}
			if trust && !r.Resume {
				return usagef("--trust-command needs --resume and --out DIR")
			}
			job := a.withSizedJob
			if trust {
				job = a.withRecordedJob(r.Dir)
			}
			return job(args[0], func(s *session.Session, w workload.Workload, sizes []int) error {
				var err error
				if r.Workload, err = join.join(s, w); err != nil {
					return err
				}
				if r.Batches = sizes; join.given() && len(sizes) > 0 {
					return usagef("a training that runs already has one batch size: give one --batch")
				}
				if list != "" {
					if err := s.EnsureFullSpace(cmd.Context()); err != nil {
						return err
					}
				}
				modes, err := a.readModes(list, s.Device.Space())
				if err != nil {
					return err
				}
				r.List = tegra.Settings(modes, sizes)
				r.ListName = list
				return a.doProfile(cmd.Context(), s, r)
			})
		},
	}
	f := cmd.Flags()
	countFlag(f, &r.Choose, "modes", "measure `N` modes, each chosen from the results so far")
	countFlag(f, &r.Repeats, "repeat", "measure each mode `N` times: all of them once, then all again")
	countFlag(f, &r.Sample, "sample", "measure `N` modes drawn at random, each with one of the batch sizes of --batch")
	f.BoolVar(&r.Grid, "grid", false, "measure the evenly spaced subset: all GPU and memory clocks, every second "+
		"count of cores and CPU clock (on an AGX Orin PowerTrain's grid); with --sample N, N modes of it")
	f.StringVar(&r.Filter, "filter", "", "measure all modes that match `EXPR`, such as 'cores>=8 gpu<900MHz'; with "+
		"--modes, --sample or --grid, modes of those")
	f.StringVar(&list, "list", "", "measure the modes of a `FILE`: CSV, or one per line such as 12c/1.65C/0.62G/3.19M")
	f.StringVar(&part, "shard", "", "measure only part `i/n`, to share the work among devices")
	f.StringVar(&r.Dir, "out", "", "new campaign `DIR` (default: in the data directory)")
	f.BoolVar(&r.Resume, "resume", false, "continue the same plan in --out DIR")
	f.BoolVar(&r.RedoFailed, "redo-failed", false, "with --resume: measure the failed modes again")
	f.BoolVar(&trust, "trust-command", false, "with --resume: run the command that the campaign's file names, though "+
		"your configuration has another")
	perModeFlag(f, &r.Settings.Minibatches)
	a.weightsFlag(f)
	join.add(f)
	f.DurationVar(&r.Settings.FixedWait, "wait", 0, "wait `TIME` in each new mode instead of until power is steady")
	f.DurationVar(&r.Settings.ModeTimeout, "mode-timeout", 0, "longest `TIME` for a mode (default 20m)")
	f.IntVar(&retries, "retries", 1, "retry a failed mode `N` times")
	f.StringVar(&dvfs, "dvfs", "", "`on` lets the governor scale clocks below those of a mode (default off: locked)")
	f.BoolVar(&r.Force, "force", false, "start although no fan was found that can be set to maximum")
	f.BoolVar(&r.Settings.KeepFan, "keep-fan", false, "leave the fan unchanged (default: at maximum while measuring)")
	return cmd
}

func selectsOnce(r session.ProfileRequest, list string) error {
	n := 0
	for _, given := range []bool{r.Choose > 0, r.Sample > 0, r.Grid && r.Sample == 0, list != ""} {
		if given {
			n++
		}
	}
	if n > 1 || n == 0 && r.Filter == "" {
		return usagef("give exactly one of --modes N, --sample N, --grid, --filter EXPR and --list FILE, or --sample " +
			"N --grid, or --filter EXPR with one of the first three")
	}
	return nil
}

func parseShard(text string) ([2]int, error) {
	if text == "" {
		return [2]int{}, nil
	}
	var i, n int
	if got, err := fmt.Sscanf(text, "%d/%d", &i, &n); err != nil || got != 2 || fmt.Sprintf("%d/%d", i, n) != text ||
		i < 1 || i > n {
		return [2]int{}, usagef("--shard %q: want i/n with 1 ≤ i ≤ n, such as 2/3", text)
	}
	return [2]int{i, n}, nil
}

// readModes reads the modes to measure from a file. Modes that the device lacks, as
// after an update of its software, are noted and left out.
func (a *app) readModes(path string, space *tegra.Space) ([]tegra.Mode, error) {
	if path == "" {
		return nil, nil
	}
	t, err := sweep.ReadFile(path, sweep.Options{ModesOnly: true, Space: space})
	if err != nil {
		return nil, err
	}
	for _, p := range t.Problems {
		a.note("%s: %s: row skipped", path, p)
	}
	if slices.Contains(t.Extra, "bs") {
		a.note("%s: each mode is measured once, column bs is ignored: --batch N,M measures them with several batch "+
			"sizes", path)
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
		a.note("%s: %d of %d modes are not of this board and left out; the first: %v", path, len(lost),
			len(lost)+len(modes), lost[0])
	}
	return modes, nil
}

func (a *app) doProfile(ctx context.Context, s *session.Session, r session.ProfileRequest) error {
	rep := a.reporter(s.Device)
	ctx, orders := s.Obey(ctx, session.TaskSpec{Kind: session.Tuning, Workload: r.Workload}, r.Dir != "", rep.line)
	defer orders.End()
	r.Gate = orders.Gate
	res, err := s.Profile(ctx, r, orders.Observing(rep.observe))
	rep.wipe()
	all, usable := map[tegra.Setting]bool{}, map[tegra.Setting]bool{} // one that was measured again has several rows
	misset := map[tegra.Setting]bool{}
	for _, row := range res.Rows {
		at := row.Measured.Setting
		all[at], misset[at] = true, row.Status == record.Misset
		if row.Status.Usable() {
			usable[at] = true
		}
	}
	thing := "mode"
	if r.Batches != nil {
		thing = "setting"
	}
	recorded := text.Count(len(all), thing)
	if res.Dir != "" {
		fmt.Fprintf(a.out, "%s: %s recorded, %s usable, %s new in %s%s\n", res.Dir, recorded,
			text.Thousands(len(usable)), text.Thousands(res.New), res.Elapsed.Round(time.Second),
			originOf(s.Device.Board()))
	}
	maps.DeleteFunc(misset, func(_ tegra.Setting, still bool) bool { return !still })
	if len(misset) > 0 {
		a.note("%s misset: a clock read otherwise than set while the job ran, twice; not learned from, column why "+
			"says which", text.Count(len(misset), thing))
	}
	if res.Kept != "" {
		a.note("the model of all that is known: %s", res.Kept)
	}
	if ctx.Err() != nil && res.Dir != "" {
		a.note("kept: %s; continue with: jtune profile … --out %s --resume", recorded, res.Dir)
		return context.Cause(ctx)
	}
	if n := len(res.Rows); err == nil && res.End == profiles.Complete && n > 0 &&
		!slices.ContainsFunc(res.Rows, func(r record.Row) bool { return r.Status.Usable() }) {
		return fmt.Errorf("every mode failed; the last: %s; fix this, then resume with --out %s --resume --redo-failed",
			lastWhy(res.Rows), res.Dir)
	}
	return err
}

func lastWhy(rows []record.Row) string {
	return strings.TrimSpace(rows[len(rows)-1].Why)
}
