package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"jtune/internal/document"
	"jtune/internal/report"
	"jtune/internal/text"
	"jtune/tegra"
	"jtune/tegra/boot"
	"jtune/tegra/guard"
	"jtune/tegra/metric"
	"jtune/tui/session"
	"jtune/tui/session/campaigns"
	"jtune/tui/session/kept"
	"jtune/tui/session/measure"
	"jtune/tui/session/savedanswers"
)

// appliedMode is what became of a mode that was set, for `jtune apply` and `jtune revert`.
type appliedMode struct {
	tegra.Applied
	kept, reverted bool
	locked         tegra.Val[bool] // read back: min = max and the memory clock is locked
	// Module power of the idle board; absent if it was not idle.
	idleBeforeW, idleAfterW tegra.Val[float64]
	atBoot                  report.Object // only with --at-boot
}

// knobFiles are the columns of the files that were written; JSON leaves out the knob.
func knobFiles() report.Table[tegra.KnobFile] {
	type f = tegra.KnobFile
	return report.Table[f]{
		{Title: "setting", Text: func(x f) string { return x.Knob }},
		{Key: "asked", Title: "requested", Of: func(x f) any { return x.Asked }},
		{Key: "actual", Title: "actual", Of: func(x f) any { return x.Actual }},
		{Text: func(x f) string { return map[bool]string{true: "differs"}[x.Asked != x.Actual] }},
		{Key: "path", Title: "file", Of: func(x f) any { return x.Path }},
	}
}

// object is the JSON document.
func (o appliedMode) object(b tegra.Board) report.Object {
	return report.Object{
		{"asked", tegra.Val[tegra.Mode]{V: o.Asked, OK: o.Asked != (tegra.Mode{})}},
		{"actual", o.Actual},
		{"kept", o.kept},
		{"reverted", o.reverted},
		{"locked", o.locked},
		{"idle_before_w", o.idleBeforeW},
		{"idle_after_w", o.idleAfterW},
		{"virtual", b.Virtual},
		{"files", knobFiles().Objects(o.Files)},
		{"at_boot", report.IfAny(o.atBoot)},
	}
}

// applyCmd is `jtune apply`.
type applyCmd struct {
	*app
	KeepAfter                 time.Duration
	Yes, AtBoot, Reboot, Keep bool
	DVFS, Fan                 string
	goal                      metric.Question // of the search whose answer is applied; zero: the newest search
}

func newApply(a *app) *cobra.Command {
	c := &applyCmd{app: a, KeepAfter: defaultKeepAfter, DVFS: "off"}
	return a.command("apply", func(cmd *cobra.Command, args []string) error {
		if c.Keep {
			return cobra.NoArgs(cmd, args)
		}
		return cobra.ExactArgs(1)(cmd, args)
	}, c.run, c, places{"limit": oneGoal(&c.goal)})
}

func (c *applyCmd) check() error {
	if c.given("limit") && (c.Keep || c.args[0] != measure.JobBest) {
		return usagef("apply: --limit chooses among the answers of searches: give %s in place of the mode",
			measure.JobBest)
	}
	return nil
}

func (c *applyCmd) run(ctx context.Context) error {
	return c.onDevice(func(s *session.Session) error {
		switch {
		case c.Keep:
			return c.keepTried(s)
		case c.AtBoot && c.args[0] == bootOff:
			return c.endBoot(s)
		case c.Reboot && c.args[0] == bootOff:
			return c.endTrial(s)
		}
		if p, ok := tegra.FindPreset(c.args[0], s.Device.Presets()); ok && p.NeedsReboot && c.Reboot {
			return c.try(ctx, s, p)
		}
		r, err := c.request(ctx, s)
		if err != nil {
			return err
		}
		scaled := text.Said(tegra.LabelNote(c.args[0], s.Device.Space()))
		defer func() { c.notes(scaled) }()
		r.DVFS = c.DVFS == "on"
		r.Fan = map[string]tegra.FanPolicy{"auto": tegra.FanAuto, "max": tegra.FanMax}[c.Fan]
		return c.apply(ctx, s, r)
	})
}

// request returns what to set on the board. The answer of a search is named with its job, which it holds for.
func (c *applyCmd) request(ctx context.Context, s *session.Session) (r tegra.Request, err error) {
	if c.args[0] != measure.JobBest {
		return s.FindRequest(ctx, c.args[0])
	}
	list, err := campaigns.OnBoard(s.Options.Paths, s.Board())
	if err != nil {
		return r, err
	}
	for of, a := range savedanswers.Bests(list, c.goal) {
		c.note("%s for %s, found by %s", s.Device.Space().Setting(a.Setting), a.Workload, of.Name)
		return tegra.Request{Mode: a.Mode}, nil
	}
	return r, fmt.Errorf("no search on this board has found a mode: search with jtune tune, for %s",
		cmp.Or(c.goal.String(), "a limit"))
}

// trial is a guard that reverts a mode unless it is kept in time, even if this process is stopped.
type trial interface {
	tegra.Applier
	ApplyFor(ctx context.Context, r tegra.Request, keepAfter time.Duration) (tegra.Applied, error)
	OnRevert(f func(tegra.Applied, error))
}

var _ trial = (*guard.Client)(nil)

// hasty is a countdown too short for a reading of idle power.
const hasty = 10 * time.Second

// grace is how long after the countdown to wait for the guard's answer.
const grace = 5 * time.Second

func (c *applyCmd) apply(ctx context.Context, s *session.Session, r tegra.Request) error {
	unit, err := c.unitAtBoot(s, r.Mode)
	if err != nil {
		return err
	}
	applier, err := s.Guard(ctx)
	if err != nil {
		return err
	}
	g, ok := applier.(trial)
	if !ok {
		panic("cli: guard without a countdown")
	}
	before := s.Setup()
	before.IdleW = s.IdleW(ctx, false)
	if now, err := s.Device.Read(); err == nil && now.Hot() != "" {
		c.note("warning: the board is hot: %s", now.Hot())
	}
	reverted := make(chan struct{})
	g.OnRevert(func(tegra.Applied, error) { close(reverted) })
	var applied tegra.Applied
	if c.Yes {
		applied, err = g.Apply(ctx, r)
	} else {
		applied, err = g.ApplyFor(ctx, r, c.KeepAfter)
	}
	if err != nil {
		return errors.Join(err, c.notApplied(s, applied, before.Mode))
	}
	if c.Yes {
		err = g.Keep(ctx) // before it prints: a closed output must not undo it
	}
	after := s.Setup()
	if c.Yes || c.KeepAfter > hasty {
		after.IdleW = s.IdleW(ctx, true)
	}
	say := func() error { return c.sayApplied(s, r, applied, before, after) }
	if !c.Yes {
		if err := say(); err != nil {
			return fmt.Errorf("%w: the mode is reverted", err)
		}
		err = c.decide(ctx, g, reverted)
	}
	if err != nil && !errors.Is(err, guard.ErrReverted) {
		return err
	}
	out := appliedMode{Applied: applied, kept: err == nil, reverted: err != nil, locked: after.Locked,
		idleBeforeW: before.IdleW, idleAfterW: after.IdleW}
	if out.kept {
		if err := kept.Remember(s, tegra.Some(r.Mode), r.DVFS); err != nil {
			c.note("verify will not know that this mode was kept: %v", err)
		}
	}
	if unit != nil {
		if out.kept {
			err = c.installBoot(unit)
		}
		out.atBoot = report.Object{{"unit", boot.Path}, {"text", unit.Text}, {"written", out.kept && err == nil}}
	}
	if now, rerr := s.Device.Read(); rerr == nil && out.kept && now.Heat.Or(false) {
		c.note("a thermal limit caps the clocks now: they return to the mode once the board has cooled")
	}
	if c.Yes {
		if said := say(); said != nil {
			return errors.Join(err, said)
		}
	}
	return errors.Join(err, c.sayKept(s, out))
}

// unitAtBoot shows and returns the unit that sets the mode at every boot; nil if there is none.
func (c *applyCmd) unitAtBoot(s *session.Session, m tegra.Mode) (*session.BootUnit, error) {
	if !c.AtBoot {
		return nil, nil
	}
	unit, err := c.planBoot(s, m)
	if err != nil {
		return nil, err
	}
	w := c.out
	if c.asJSON {
		w = c.err
	}
	c.showBoot(unit, w)
	return unit, nil
}

// sayApplied prints what was read back, and how the board was set before and after.
func (c *applyCmd) sayApplied(s *session.Session, r tegra.Request, applied tegra.Applied,
	before, after tegra.Setup) error {
	if c.asJSON {
		return nil
	}
	parts := append(appliedParts(s, applied),
		document.Line(fmt.Sprintf("clocks     %s → %s", before.Clocks(), after.Clocks())),
		document.Line(fmt.Sprintf("idle       %s → %s", dash(before.IdleW, "%.1f W"), dash(after.IdleW, "%.1f W"))))
	switch name := s.NameOf(r.Mode); { // whether a preset was also set as nvpmodel's, or only its limits were
	case !r.Preset.OK:
	case applied.PresetSet():
		parts = append(parts, document.Line(fmt.Sprintf("preset     %s, nvpmodel's id %d, also at boot", name,
			r.Preset.V)))
	default:
		c.note("only the limits of %s are set: without %s nvpmodel's id stays", name, tegra.PresetFile)
	}
	return c.print(parts...)
}

// sayKept prints whether the mode is kept.
func (c *applyCmd) sayKept(s *session.Session, out appliedMode) error {
	kept := ""
	switch {
	case out.kept && s.Virtual != nil:
		kept = "kept for as long as the virtual board lives: it ends with this command"
	case out.kept:
		kept = "kept"
	}
	return c.show(out.object(s.Device.Board()), linesOf(text.Said(kept)...)...)
}

// notApplied prints what was requested and read back when a knob did not take its value; the guard has restored the
// previous mode. It prints nothing if nothing was written.
func (c *applyCmd) notApplied(s *session.Session, applied tegra.Applied, before tegra.Val[tegra.Mode]) error {
	if len(applied.Files) == 0 {
		return nil
	}
	out := appliedMode{Applied: applied, reverted: applied.Actual == before}
	return c.show(out.object(s.Device.Board()), appliedParts(s, applied)...)
}

// declined is the error for an answer that is not yes: what became of the board.
type declined string

func (d declined) Error() string      { return string(d) }
func (declined) Is(target error) bool { return target == guard.ErrReverted }

// decide asks whether to keep the mode that was just applied, or makes sure that it is reverted; then errors.Is(err,
// guard.ErrReverted).
func (c *applyCmd) decide(ctx context.Context, g trial, reverted <-chan struct{}) error {
	err := ask(ctx, c.app, c.question(), c.KeepAfter, reverted)
	if errors.Is(err, guard.ErrReverted) {
		if _, restoreErr := g.Restore(ctx); restoreErr != nil {
			return restoreErr
		}
	}
	if err != nil {
		return err
	}
	return g.Keep(ctx)
}

// defaultKeepAfter is how long the question stays open.
const defaultKeepAfter = 30 * time.Second

// keepQuestion is the start of the question, which fleet apply waits for.
const keepQuestion = "keep this mode"

func (c *applyCmd) question() string {
	if c.AtBoot {
		return keepQuestion + ", now and at every boot?"
	}
	return keepQuestion + "?"
}

// ask waits for a line: y keeps (nil), n declines, a timeout reverts. End of input and any other line are no answer.
func ask(ctx context.Context, a *app, question string, limit time.Duration, reverted <-chan struct{}) error {
	end := " "
	if !isTerminal(a.in) {
		end = "\n" // a program that reads the question reads whole lines
	}
	forgetTyped(a.in)
	fmt.Fprintf(a.err, "%s y or n; reverts in %s:%s", question, limit, end)
	defer fmt.Fprintln(a.err)
	late := time.NewTimer(limit + grace)
	defer late.Stop()
	answers := lines(ctx, a.in)
	for {
		select {
		case line := <-answers:
			switch line {
			case "y", "yes":
				return nil
			case "n", "no":
				return declined("reverted, as answered")
			}
			fmt.Fprint(a.err, "y or n: ")
		case <-reverted:
			return guard.ErrReverted
		case <-late.C:
			return guard.ErrReverted
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// lines sends the lines of an input, lower case and trimmed, until ctx ends. The channel stays open at the end of the
// input.
func lines(ctx context.Context, in io.Reader) <-chan string {
	out := make(chan string)
	next := scan(ctx, in)
	go func() {
		for {
			text, err := next(0)
			if err != nil && !errors.Is(err, errLongLine) {
				return
			}
			select {
			case out <- strings.ToLower(strings.TrimSpace(text)):
			case <-ctx.Done():
				return
			}
		}
	}()
	return out
}

// appliedParts shows what was requested and read back.
func appliedParts(s *session.Session, x tegra.Applied) []document.Part {
	space, asked := s.Device.Space(), ""
	actual := "custom (matches no power mode)"
	if x.Actual.OK {
		actual = space.Format(x.Actual.V)
		if r, err := s.Device.Read(); err == nil {
			actual += named(tegra.NameNow(s.Device, r))
		}
	}
	if x.Asked != (tegra.Mode{}) {
		asked = "requested  " + space.Format(x.Asked)
	}
	return append([]document.Part{knobFiles().Document(x.Files)},
		linesOf(text.Said(asked, "actual     "+actual+originOf(s.Device.Board()))...)...)
}
