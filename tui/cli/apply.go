package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"jtune/tegra"
	"jtune/tegra/boot"
	"jtune/tegra/guard"
	"jtune/tui/session"
)

// appliedJSON is `jtune apply --json` and `jtune revert --json`.
type appliedJSON struct {
	Asked    tegra.Val[tegra.Mode] `json:"asked"`
	Actual   tegra.Val[tegra.Mode] `json:"actual"`
	Kept     bool                  `json:"kept"`
	Reverted bool                  `json:"reverted"`
	Locked   tegra.Val[bool]       `json:"locked"` // read back: min = max and the memory's rate locked
	// Module power while nothing works on the board; null where something did.
	IdleBeforeW tegra.Val[float64] `json:"idle_before_w"`
	IdleAfterW  tegra.Val[float64] `json:"idle_after_w"`
	Virtual     bool               `json:"virtual"`
	Files       []fileJSON         `json:"files"`
	AtBoot      *bootJSON          `json:"at_boot,omitempty"` // with --at-boot alone
}

// fileJSON is a tegra.KnobFile without its knob, which only the guard's protocol names.
type fileJSON struct {
	Path   string `json:"path"`
	Asked  string `json:"asked"`
	Actual string `json:"actual"`
}

func toAppliedJSON(x tegra.Applied, b tegra.Board) appliedJSON {
	out := appliedJSON{Actual: x.Actual, Virtual: b.Virtual, Files: []fileJSON{}}
	out.Asked = tegra.Val[tegra.Mode]{V: x.Asked, OK: x.Asked != (tegra.Mode{})}
	for _, f := range x.Files {
		out.Files = append(out.Files, fileJSON{f.Path, f.Asked, f.Actual})
	}
	return out
}

// applyFlags are those of `jtune apply`.
type applyFlags struct {
	keepAfter time.Duration
	yes       bool
	atBoot    bool
	dvfs, fan string
}

func (a *app) apply() *cobra.Command {
	f := applyFlags{keepAfter: defaultKeepAfter}
	cmd := &cobra.Command{
		Use:   "apply MODE|PRESET|ID",
		Short: "Set a power mode, read it back, and keep or revert it",
		Long: "Sets a power mode such as 12c/2.20C/1.30G/3.20M, a preset of the board or its nvpmodel id, reads " +
			"every\n" +
			"knob back, and waits for one line: y keeps, n reverts, no answer reverts.\n\n" +
			"With --at-boot a mode that was kept is applied at every boot too: a systemd unit,\n" +
			boot.Path + ", is shown first and written when\n" +
			"the mode is kept. It needs root rights. jtune apply --at-boot off removes the unit.",
		Example: "  jtune apply 12c/2.20C/1.30G/3.20M\n  jtune apply MAXN --yes\n  sudo jtune apply MAXN --at-boot\n" +
			"  sudo jtune apply --at-boot off\n  jtune revert",
		Args: takes(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			r, err := f.request()
			if err != nil {
				return err
			}
			return a.onDevice(func(s *session.Session) error {
				if f.atBoot && args[0] == bootOff {
					return a.endBoot(s)
				}
				found, err := s.FindRequest(cmd.Context(), args[0])
				if err != nil {
					return err
				}
				r.Mode, r.Preset = found.Mode, found.Preset
				return a.doApply(cmd.Context(), s, r, f)
			})
		},
	}
	fl := cmd.Flags()
	fl.DurationVar(&f.keepAfter, "keep-after", f.keepAfter, "revert after this long without an answer")
	fl.BoolVar(&f.yes, "yes", false, "keep the mode without asking")
	fl.StringVar(&f.dvfs, "dvfs", "off",
		"on lets the governor scale clocks below those of the mode, off locks them (min = max)")
	fl.StringVar(&f.fan, "fan", "", "fan: auto or max (default: unchanged)")
	fl.BoolVar(&f.atBoot, "at-boot", false,
		"also apply the mode at every boot, once it is kept; apply --at-boot off ends that")
	fl.BoolVar(&a.asJSON, "json", false, "as JSON, once the mode is kept or reverted")
	return cmd
}

func (f applyFlags) request() (tegra.Request, error) {
	var r tegra.Request
	if f.keepAfter <= 0 {
		return r, usagef("--keep-after %s: must be positive", f.keepAfter)
	}
	if f.keepAfter > guard.MaxKeepAfter {
		return r, usagef("--keep-after %s: at most %s", f.keepAfter, guard.MaxKeepAfter)
	}
	switch f.dvfs {
	case "on":
		r.DVFS = true
	case "off":
	default:
		return r, usagef("--dvfs %q: want on or off", f.dvfs)
	}
	switch f.fan {
	case "":
	case "auto":
		r.Fan = tegra.FanAuto
	case "max":
		r.Fan = tegra.FanMax
	default:
		return r, usagef("--fan %q: want auto or max", f.fan)
	}
	return r, nil
}

// trial is a guard that reverts a mode by itself when it is not kept in time, also
// when this process is stopped.
type trial interface {
	tegra.Applier
	ApplyFor(ctx context.Context, r tegra.Request, keepAfter time.Duration) (tegra.Applied, error)
	OnRevert(f func(tegra.Applied))
}

var _ trial = (*guard.Client)(nil)

// hasty is a countdown in which there is no time to wait for a reading of power.
const hasty = 10 * time.Second

// grace is how long after the countdown to wait for the guard's answer.
const grace = 5 * time.Second

func (a *app) doApply(ctx context.Context, s *session.Session, r tegra.Request, f applyFlags) error {
	var unit *session.BootUnit
	if f.atBoot {
		var err error
		if unit, err = planBoot(s, r.Mode, f); err != nil {
			return err
		}
		w := a.out
		if a.asJSON {
			w = a.err
		}
		a.showBoot(unit, w)
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
		a.note("warning: the board is hot: %s", now.Hot())
	}
	reverted := make(chan struct{})
	g.OnRevert(func(tegra.Applied) { close(reverted) })
	var applied tegra.Applied
	if f.yes {
		applied, err = g.Apply(ctx, r)
	} else {
		applied, err = g.ApplyFor(ctx, r, f.keepAfter)
	}
	if err != nil {
		return errors.Join(err, a.notApplied(s, applied, before.Mode))
	}
	after := s.Setup()
	if f.yes || f.keepAfter > hasty {
		after.IdleW = s.IdleW(ctx, true)
	}
	if !a.asJSON {
		if err := a.printApplied(s, applied); err != nil {
			return err
		}
		fmt.Fprintf(a.out, "clocks     %s → %s\n", session.LockText(before.Locked), session.LockText(after.Locked))
		fmt.Fprintf(a.out, "idle       %s → %s\n", dash(before.IdleW, "%.1f W"), dash(after.IdleW, "%.1f W"))
		a.sayPreset(s, r, applied)
	}
	if err = a.decide(ctx, g, f, reverted); err != nil && !errors.Is(err, guard.ErrReverted) {
		return err
	}
	out := toAppliedJSON(applied, s.Device.Board())
	out.Kept, out.Reverted, out.Locked = err == nil, err != nil, after.Locked
	out.IdleBeforeW, out.IdleAfterW = before.IdleW, after.IdleW
	if unit != nil {
		if out.Kept {
			err = a.installBoot(unit)
		}
		out.AtBoot = &bootJSON{boot.Path, unit.Text, out.Kept && err == nil}
	}
	if now, rerr := s.Device.Read(); rerr == nil && out.Kept && now.Heat.Or(false) {
		a.note("a thermal limit caps the clocks now: they are those of the mode again once the board has cooled")
	}
	switch {
	case a.asJSON:
		return errors.Join(err, printJSON(a.out, out))
	case out.Kept && s.Virtual != nil:
		fmt.Fprintln(a.out, "kept for as long as the virtual board lives: it ends with this command")
	case out.Kept:
		fmt.Fprintln(a.out, "kept")
	}
	return err
}

// sayPreset says what a preset is now beside its mode.
func (a *app) sayPreset(s *session.Session, r tegra.Request, applied tegra.Applied) {
	switch {
	case !r.Preset.OK:
	case applied.PresetSet():
		fmt.Fprintf(a.out, "preset     %s, nvpmodel's id %d, also at boot\n", s.NameOf(r.Mode), r.Preset.V)
	default:
		a.note("only the limits of %s are set: without %s nvpmodel's id stays", s.NameOf(r.Mode), tegra.PresetFile)
	}
}

// notApplied prints what was requested and read back when a knob did not take its
// value; the guard has restored the mode before. It prints nothing when nothing
// was written.
func (a *app) notApplied(s *session.Session, applied tegra.Applied, before tegra.Val[tegra.Mode]) error {
	if len(applied.Files) == 0 {
		return nil
	}
	if !a.asJSON {
		return a.printApplied(s, applied)
	}
	out := toAppliedJSON(applied, s.Device.Board())
	out.Reverted = applied.Actual == before
	return printJSON(a.out, out)
}

// declined is the answer n.
type declined struct{}

func (declined) Error() string        { return "reverted, as answered" }
func (declined) Is(target error) bool { return target == guard.ErrReverted }

// decide keeps the mode that was just applied, or makes sure that it is reverted:
// then errors.Is(err, guard.ErrReverted).
func (a *app) decide(ctx context.Context, g trial, f applyFlags, reverted <-chan struct{}) error {
	if !f.yes {
		err := a.ask(ctx, f.question(), f.keepAfter, reverted)
		if errors.Is(err, guard.ErrReverted) {
			if _, restoreErr := g.Restore(ctx); restoreErr != nil {
				return restoreErr
			}
		}
		if err != nil {
			return err
		}
	}
	return g.Keep(ctx)
}

// defaultKeepAfter is how long a question is open.
const defaultKeepAfter = 30 * time.Second

// keepQuestion begins the question; fleet apply waits for it.
const keepQuestion = "keep this mode"

func (f applyFlags) question() string {
	if f.atBoot {
		return keepQuestion + ", now and at every boot?"
	}
	return keepQuestion + "?"
}

// ask waits for one line: y keeps (nil), n declines, silence reverts. End of
// input is not an answer, and neither is anything else.
func (a *app) ask(ctx context.Context, question string, limit time.Duration, reverted <-chan struct{}) error {
	end := " "
	if !isTerminal(a.in) {
		end = "\n" // a program that reads the question reads lines
	}
	fmt.Fprintf(a.err, "%s y or n; reverts in %s:%s", question, limit, end)
	defer fmt.Fprintln(a.err)
	late := time.NewTimer(limit + grace)
	defer late.Stop()
	lines := a.lines(ctx)
	for {
		select {
		case line := <-lines:
			switch line {
			case "y", "yes":
				return nil
			case "n", "no":
				return declined{}
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

// lines returns the lines of standard input, lower case and trimmed, for as long
// as somebody listens. The end of input ends nothing.
func (a *app) lines(ctx context.Context) <-chan string {
	out := make(chan string)
	next := scan(ctx, a.in)
	go func() {
		for {
			text, err := next()
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

func (a *app) printApplied(s *session.Session, x tegra.Applied) error {
	space := s.Device.Space()
	actual := "custom (matches no power mode)"
	if x.Actual.OK {
		actual = space.Format(x.Actual.V)
		if r, err := s.Device.Read(); err == nil {
			actual += named(tegra.NameNow(s.Device, r))
		}
	}
	rows := [][]string{{"knob", "requested", "actual", "", "file"}}
	for _, f := range x.Files {
		mark := ""
		if f.Asked != f.Actual {
			mark = "differs"
		}
		rows = append(rows, []string{f.Knob, f.Asked, f.Actual, mark, f.Path})
	}
	if err := table(a.out, rows...); err != nil {
		return err
	}
	if x.Asked != (tegra.Mode{}) {
		fmt.Fprintln(a.out, "requested  "+space.Format(x.Asked))
	}
	_, err := fmt.Fprintln(a.out, "actual     "+actual+originOf(s.Device.Board()))
	return err
}
