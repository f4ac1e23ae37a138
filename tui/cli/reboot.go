package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"jtune/profiles"
	"jtune/profiles/record"
	"jtune/tegra"
	"jtune/tegra/boot"
	"jtune/tui/session"
	"jtune/tui/session/reboot"
)

// try stages a preset that needs a reboot, once the word yes is typed, and reboots.
func (c *applyCmd) try(ctx context.Context, s *session.Session, preset tegra.Preset) error {
	p, err := reboot.Prepare(s, []tegra.Preset{preset}, "apply "+preset.Name+" --reboot")
	if err != nil {
		return err
	}
	defer p.Release()
	if p.Wait = c.KeepAfter; !c.given("keep-after") {
		p.Wait = reboot.DefaultWait
	}
	then := fmt.Sprintf("sudo jtune apply --keep within %s makes %s the boot default; anything else reboots once "+
		"more, into %s", p.Wait, p.Presets[0], p.Old)
	if err := confirm(ctx, c.app, p, then); err != nil {
		return err
	}
	return reboots(c.app, p)
}

// confirm says what will happen, and waits for the word yes.
func confirm(ctx context.Context, a *app, p *reboot.Staging, then string) error {
	names := make([]string, len(p.Presets))
	for i, one := range p.Presets {
		names[i] = one.String()
	}
	if p.Note != "" {
		a.note("%s", p.Note)
	}
	forgetTyped(a.in)
	fmt.Fprintf(a.err, "%s: other GPU power gating, which takes a reboot.\n"+
		"1  jtune sets nvpmodel's id for the next boot and reboots this board: all that runs on it ends\n"+
		"2  after the boot a unit, %s, first makes %s the boot default again, then reads the preset back\n3  %s\n"+
		"The way back is any further boot, also by a power cut. The unit removes itself.\n"+
		"type yes for these reboots: ", strings.Join(names, ", then "), boot.StagedPath, p.Old, then)
	answer, err := scan(ctx, a.in)(0)
	fmt.Fprintln(a.err)
	if err != nil || strings.TrimSpace(answer) != "yes" {
		return errors.Join(ctx.Err(), declined("nothing is changed: the answer was not yes"))
	}
	return nil
}

func reboots(a *app, p *reboot.Staging) error {
	if err := p.Go(); err != nil {
		return err
	}
	_, err := fmt.Fprintf(a.out, "%s is staged: the next boot sets it, and then jtune goes on\n", p.Presets[0])
	return err
}

// keepTried makes the preset on trial the boot default.
func (c *applyCmd) keepTried(s *session.Session) error {
	p, err := reboot.Keep(s)
	if errors.Is(err, boot.ErrNotInstalled) {
		return errors.New("no preset is on trial in this boot: nothing to keep")
	}
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(c.out, "kept: nvpmodel sets %s, id %d, at every boot; jtune's unit is removed\n", p.Name, p.ID)
	return err
}

// endTrial takes a trial back.
func (c *applyCmd) endTrial(s *session.Session) error {
	switch err := reboot.Cancel(s); {
	case errors.Is(err, boot.ErrNotInstalled):
		c.note("no preset is staged: nothing to take back")
		return nil
	case err != nil:
		return err
	}
	_, err := fmt.Fprintln(c.out, "taken back: the next boot is as before, and the preset in force stays until then")
	return err
}

// profileTried measures a list in which presets need a reboot: first what needs none, then each preset after one.
func (c *profileCmd) profileTried(ctx context.Context, s *session.Session, gated []tegra.Preset) error {
	gated = slices.DeleteFunc(gated, func(p tegra.Preset) bool {
		return record.Ended(c.triedDir(p.Name)) == profiles.Complete.String()
	})
	if len(gated) == 0 {
		return c.doProfile(ctx, s, c.r)
	}
	p, err := reboot.Prepare(s, gated, "profile "+c.args[0]+" --reboot")
	if err != nil {
		return err
	}
	defer p.Release()
	program, err := session.Program()
	dir, bad := os.Getwd()
	if err := errors.Join(err, bad); err != nil {
		return err
	}
	at := slices.Index(append(slices.Clone(c.line), "--"), "--")
	p.Dir, p.Then = dir, append([]string{program}, slices.Insert(slices.Clone(c.line), at, "--rebooted")...)
	err = confirm(ctx, c.app, p, fmt.Sprintf("it measures in each of these presets, into %s, …, and then reboots "+
		"into %s", c.triedDir(p.Presets[0].Name), p.Old))
	if err == nil && len(c.r.List) > 0 {
		err = c.doProfile(ctx, s, c.r)
	}
	if err != nil {
		return err
	}
	return reboots(c.app, p)
}

// triedDir is the campaign folder of a preset that needs a reboot: one folder is of one power gating.
func (c *profileCmd) triedDir(preset string) string {
	return c.r.Dir + "." + strings.ReplaceAll(preset, "/", "_")
}

// inTrial turns the request into that for the preset on trial.
func (c *profileCmd) inTrial(s *session.Session) (id tegra.Val[int], err error) {
	if !c.rebooted {
		return id, nil
	}
	r, err := reboot.OnTrial(s)
	if err == nil && r == nil {
		err = errors.New("no preset is on trial in this boot")
	}
	if err != nil {
		return id, err
	}
	c.r.Dir = c.triedDir(r.Presets[0].Name)
	_, err = os.Stat(c.r.Dir)
	c.r.Resume = err == nil
	return tegra.Some(r.Presets[0].ID), nil
}

// newStaged is what the unit of a staged preset runs, at its start and at its end.
func newStaged(a *app) *cobra.Command {
	var unit struct{ End string } // systemd's result of the start
	c := a.command("staged", nil, func(ctx context.Context) error {
		say := func(line string) { a.note("%s", line) }
		if a.given("end") {
			return reboot.End(a.options.Sysroot, unit.End == "success", say)
		}
		return reboot.Begin(ctx, a.options.Sysroot, a.session, say)
	}, &unit)
	c.Hidden = true
	return c
}
