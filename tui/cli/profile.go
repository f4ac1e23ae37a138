package cli

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"jtune/internal/report"
	"jtune/internal/text"
	"jtune/internal/units"
	"jtune/profiles"
	"jtune/profiles/record"
	"jtune/profiles/workload"
	"jtune/tegra"
	"jtune/tegra/sweep"
	"jtune/tui/session"
	"jtune/tui/session/control"
	"jtune/tui/session/measure"
	"jtune/tui/session/task"
)

// profileCmd is `jtune lab profile`.
type profileCmd struct {
	jobs
	r          measure.ProfileRequest
	list, part string
	dvfs       string
	retries    int
	trust      bool
	join       joinFlags
	reboot     bool // also measure the presets of the list that need a reboot
	rebooted   bool // this is the trial of one of them
}

func newProfile(a *app) *cobra.Command {
	c := &profileCmd{jobs: jobs{app: a}, retries: 1}
	return a.command("profile", c.own.args(none, cobra.ExactArgs(1)), c.run, places{"modes": &c.r.Choose,
		"repeat": &c.r.Repeats, "list": &c.list, "reboot": &c.reboot, "rebooted": &c.rebooted, "shard": &c.part,
		"out": &c.r.Dir, "trust-command": &c.trust, "wait": &c.r.Settings.FixedWait, "retries": &c.retries,
		"dvfs": &c.dvfs, "no-device": new(bool)}, c, &c.r, &c.r.Settings, theServer(&a.options), c.join.named(),
		c.own.typed())
}

func (c *profileCmd) check() (err error) {
	if c.r.Retries = c.retries; c.retries == 0 {
		c.r.Retries = -1
	}
	c.r.Settings.DVFS, c.r.ListName = c.dvfs == "on", c.list
	c.r.Shard, err = parseShard(c.part)
	return err
}

func (c *profileCmd) run(ctx context.Context) error {
	if err := errors.Join(c.withoutModes(), c.join.alone(&c.own)); err != nil {
		return err
	}
	if c.own.given() {
		c.args = []string{""}
	}
	trusted := ""
	if c.trust {
		trusted = c.r.Dir
	}
	return c.withSizedJob(c.args[0], trusted, func(s *session.Session, w workload.Workload, sizes []int) error {
		tried, err := c.inTrial(s)
		if err != nil {
			return err
		}
		if w, err = c.again(ctx, s, w, c.r.Dir, c.r.Resume); err != nil {
			return err
		}
		if c.r.Workload, err = c.join.join(s, w, sizes); err != nil {
			return err
		}
		if c.list != "" {
			if err := s.EnsureFullSpace(ctx); err != nil {
				return err
			}
		}
		modes, gated, err := c.readModes(c.list, s.Device, tried)
		if err != nil {
			return err
		}
		c.r.Batches, c.r.List = sizes, tegra.Settings(modes, tegra.Sizes(sizes...))
		if len(gated) > 0 {
			return c.profileTried(ctx, s, gated)
		}
		return c.doProfile(ctx, s, c.r)
	})
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

// readModes reads the modes to measure from a file: those of the preset tried, if one is on trial; else all but the
// presets for which it is to reboot, which it returns too. Modes that the device does not have, for example after a
// software update, are noted and skipped.
func (c *profileCmd) readModes(path string, d tegra.Device, tried tegra.Val[int]) (modes []tegra.Mode,
	gated []tegra.Preset, err error) {
	if path == "" {
		return nil, nil, nil
	}
	space := d.Space()
	t, err := sweep.ReadFile(path, sweep.Options{ModesOnly: true, Space: space, Presets: d.Presets()})
	if err != nil {
		return nil, nil, err
	}
	for _, p := range t.Problems {
		c.note("%s: %s: row skipped", path, p)
	}
	if slices.Contains(t.Extra, "bs") {
		c.note("%s: each mode is measured once, column bs is ignored: --batch N,M measures them with several batch "+
			"sizes", path)
	}
	var lost []error
	for _, row := range t.Rows {
		p, named := tegra.FindPreset(strconv.Itoa(row.Preset.V), d.Presets())
		switch named = named && row.Preset.OK; {
		case tried.OK && row.Preset != tried:
			continue
		case named && p.NeedsReboot && c.reboot:
			if !slices.Contains(gated, p) {
				gated = append(gated, p)
			}
			continue
		case named && p.NeedsReboot:
			c.note("%s: %s needs a reboot: its cores and clocks are measured without one; --reboot measures the preset",
				path, p.Name)
		}
		m, err := space.Snap(row.Mode)
		if err != nil {
			lost = append(lost, err)
			continue
		}
		modes = append(modes, m)
	}
	switch all := len(modes) + len(lost) + len(gated); {
	case all == 0:
		return nil, nil, usagef("--list %s: header only, no mode to measure", path)
	case all == len(lost):
		return nil, nil, usagef("--list %s: %v", path, lost[0])
	case len(lost) > 0:
		c.note("%s: %d of %d modes are not of this board and left out; the first: %v", path, len(lost), all, lost[0])
	}
	return modes, gated, nil
}

func (c *profileCmd) doProfile(ctx context.Context, s *session.Session, r measure.ProfileRequest) error {
	rep := c.reporter(s.Device)
	ctx, orders := control.Obey(ctx, s, task.Spec{Kind: task.Tuning, Workload: r.Workload}, r.Dir != "", rep.line)
	defer orders.End()
	r.Gate = orders.Gate
	res, err := measure.Profile(ctx, s, r, orders.Observing(rep.observe))
	rep.wipe()
	all, usable := len(record.Modes(res.Rows)), len(tegra.OncePerSetting(record.Usable(res.Rows)))
	misset := map[tegra.Setting]bool{} // by its last row
	for _, row := range res.Rows {
		misset[row.Setting] = row.Status == record.Misset
	}
	recorded := text.Count(all, tegra.NameOfSettings(r.Batches))
	if res.Dir != "" {
		b := s.Device.Board()
		if err := did(c.app, nil, report.Object{{"path", res.Dir}, {"workload", r.Workload.Name}, {"device", b.Name},
			{"virtual", b.Virtual}, {"modes", all}, {"usable", usable}, {"new", res.New},
			{"elapsed_s", res.Elapsed.Seconds()}, {"model", text.Optional(res.Kept)}},
			"%s: %s recorded, %s usable, %s new in %s%s", res.Dir, recorded, text.Thousands(usable),
			text.Thousands(res.New), units.Span(res.Elapsed), originOf(b)); err != nil {
			return err
		}
	}
	maps.DeleteFunc(misset, func(_ tegra.Setting, still bool) bool { return !still })
	if len(misset) > 0 {
		c.note("%s misset: while the job ran, a clock differed from its setting twice; no model learns from them; "+
			"column why names the clock", text.Count(len(misset), tegra.NameOfSettings(r.Batches)))
	}
	if res.Kept != "" {
		c.note("the model of all that is known: %s", res.Kept)
	}
	if ctx.Err() != nil && res.Dir != "" {
		c.note("kept: %s; continue with: jtune lab profile … --out %s --resume", recorded, res.Dir)
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
