// Package reboot tries presets that need a reboot. It stages one for the next boot; after that boot jtune's unit leads
// back, reads the preset back, and waits for an answer or runs a command in it.
//
//	Prepare ──(shown, yes typed)──► Staging.Go ──► reboot ──► Begin ──► Keep, or End ──► reboot
package reboot

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"time"

	"jtune/internal/caller"
	"jtune/internal/text"
	"jtune/internal/usage"
	"jtune/tegra"
	"jtune/tegra/boot"
	"jtune/tui/session"
	"jtune/tui/session/kept"
	"jtune/tui/session/preflight"
)

// DefaultWait is how long a preset waits for an answer after its boot.
const DefaultWait = 10 * time.Minute

const (
	settled = 30 * time.Second // for the preset to come up after its boot
	look    = time.Second      // between two looks at the board, or for an answer
)

// Staging is a trial of presets: prepared, but nothing is changed.
type Staging struct {
	boot.Staged
	Note    string // for the user before anything is staged; "" for none
	root    string
	program string
	release func()
}

// Prepare prepares a trial of presets that need a reboot, which a command asks for. Until Go or Release nobody else
// begins to measure on the board. The error wraps tegra.ErrUnsupported where nothing can be staged,
// preflight.ErrOccupied beside another job, boot.ErrStaged beside another trial.
func Prepare(s *session.Session, presets []tegra.Preset, command string) (*Staging, error) {
	if err := session.MayBoot(s); err != nil {
		return nil, err
	}
	p := &Staging{root: s.Sysroot}
	if _, err := os.Stat(filepath.Join(p.root, "run/systemd/system")); err != nil {
		return nil, fmt.Errorf("systemd does not run here, which is to go on after the reboot: %w",
			tegra.ErrUnsupported)
	}
	var err error
	if p.program, err = session.Program(); err != nil {
		return nil, err
	}
	if name := boot.Exposed(p.program); name != "" {
		p.Note = fmt.Sprintf("others than root may change %s: who does gets root rights at the next boot; install "+
			"jtune in /usr/local/bin first", name)
	}
	for _, o := range presets {
		p.Presets = append(p.Presets, boot.Preset{ID: o.ID, Name: o.Name})
	}
	p.Old = present(s.Device.Presets())
	p.Owner = fmt.Sprintf("jtune %s, user %s, %s", text.OneLine(command), login(),
		time.Now().Format("2006-01-02 15:04"))
	if os.Geteuid() != 0 { // also under sudo, whose user this process is
		p.User = [2]int{os.Getuid(), os.Getgid()}
	}
	if err := session.InBoot(p.root, boot.Open, unmoded); err != nil {
		return nil, err
	}
	if err := in(p.root, func(d *boot.Dir) error {
		if _, err := d.ThisBoot(); err != nil {
			return err
		}
		return errors.Join(d.Free(), d.Check())
	}); err != nil {
		return nil, err
	}
	for _, o := range preflight.Beside(s) {
		return nil, fmt.Errorf("%w: %s; wait until it ends, or end it with kill %d", preflight.ErrOccupied, o, o.PID)
	}
	p.release, err = preflight.Claim(s, command, true)
	return p, err
}

// unmoded returns an error if a unit sets another mode at every boot.
func unmoded(d *boot.Dir) error {
	if text, err := d.Installed(); err != nil || text != "" {
		return errors.Join(err, fmt.Errorf("%w: %s sets a mode at every boot, over this preset too: remove it with "+
			"jtune apply %s off", tegra.ErrUnsupported, boot.Path, usage.AtBoot))
	}
	return nil
}

// present returns the preset that nvpmodel set last, or else sets at boot.
func present(list []tegra.Preset) (out boot.Preset) {
	for _, p := range list {
		if p.InForce || p.Default && out.Name == "" {
			out = boot.Preset{ID: p.ID, Name: p.Name}
		}
	}
	return out
}

func login() string {
	if u, err := user.Current(); err == nil {
		return u.Username
	}
	return strconv.Itoa(os.Getuid())
}

// Release lets others measure on the board again.
func (p *Staging) Release() {
	p.release()
	p.release = func() {}
}

// Go stages the first preset and reboots. A board below another root is staged only.
func (p *Staging) Go() error {
	defer p.Release()
	err := in(p.root, func(d *boot.Dir) error { return d.Stage(p.Staged, p.program) })
	if err == nil {
		err = restart(p.root)
	}
	if err == nil || errors.Is(err, boot.ErrStaged) {
		return err
	}
	if bad := in(p.root, (*boot.Dir).Cancel); !errors.Is(bad, boot.ErrNotInstalled) {
		err = errors.Join(err, bad)
	}
	return err
}

func in(root string, work func(d *boot.Dir) error) error {
	return session.InBoot(root, boot.OpenStaged, work)
}

func restart(root string) error {
	if root != "" && root != "/" {
		return nil
	}
	cmd := exec.Command("systemctl", "reboot")
	caller.Privileged(cmd)
	said, err := cmd.CombinedOutput()
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) && !exit.Exited() {
		return nil // it was killed: as a rule by the shutdown that it had asked for
	}
	if err != nil {
		return fmt.Errorf("systemctl reboot: %w: %s", err, text.Clip(text.OneLine(string(said))))
	}
	return nil
}

// Cancel makes the old preset nvpmodel's again at the next boot. errors.Is(err, boot.ErrNotInstalled) if none is staged
// or on trial.
func Cancel(s *session.Session) error {
	if err := session.MayBoot(s); err != nil {
		return err
	}
	return in(s.Sysroot, (*boot.Dir).Cancel)
}

// OnTrial returns the presets of a trial in this boot, the first is in force; nil if there is none.
func OnTrial(s *session.Session) (r *boot.Staged, err error) {
	if s.Virtual != nil {
		return nil, nil
	}
	err = in(s.Sysroot, func(d *boot.Dir) error {
		if r, err = d.Staged(); r == nil || err != nil {
			return err
		}
		if now, err := d.ThisBoot(); err != nil || r.Boot != now {
			r = nil
			return err
		}
		return nil
	})
	return r, err
}

// Keep makes the preset on trial nvpmodel's at every boot, if it is still in force. errors.Is(err,
// boot.ErrNotInstalled) if none is on trial.
func Keep(s *session.Session) (tegra.Preset, error) {
	if err := session.MayBoot(s); err != nil {
		return tegra.Preset{}, err
	}
	r, err := OnTrial(s)
	if err == nil && r == nil {
		err = boot.ErrNotInstalled
	}
	if err != nil {
		return tegra.Preset{}, err
	}
	p, err := came(s, r.Presets[0])
	if err == nil {
		err = in(s.Sysroot, (*boot.Dir).Keep)
	}
	if err == nil { // if it cannot be remembered, verify uses the newest search
		_ = kept.Remember(s, tegra.Some(p.ModeIn(s.Device.Space())), true)
	}
	return p, err
}

// came reads back whether a preset is in force: its power gating and its limits.
func came(s *session.Session, want boot.Preset) (p tegra.Preset, err error) {
	p, ok := tegra.FindPreset(strconv.Itoa(want.ID), s.Device.Presets())
	now, err := s.Device.Read()
	switch {
	case err != nil:
		return p, err
	case !ok || p.NeedsReboot:
		return p, fmt.Errorf("%s is not in force after the reboot: the power gating is another one", want)
	case now.Mode != tegra.Some(p.ModeIn(s.Device.Space())):
		return p, fmt.Errorf("%s is not in force after the reboot: the board is not at its limits %s", want,
			s.Device.Space().Format(p.Mode))
	}
	return p, nil
}

// Begin is what the unit does in each boot, as root: it leads back first. In a trial it reads the preset back, and then
// waits for an answer, or runs the command of the trial. say gets what happens.
func Begin(ctx context.Context, root string, open func() (*session.Session, error), say func(string)) error {
	var r *boot.Staged
	var next boot.Next
	err := in(root, func(d *boot.Dir) (err error) {
		r, next, err = d.Begin()
		return err
	})
	switch {
	case err != nil:
		return err
	case next == boot.Reboot:
		return restart(root)
	case next == boot.Nothing:
		return nil
	}
	say(fmt.Sprintf("%s is the boot default again", r.Old))
	s, err := open()
	if err != nil {
		return err
	}
	defer s.Close()
	for begun := s.Clock.Now(); ; {
		if _, err = came(s, r.Presets[0]); err == nil || s.Clock.Now()-begun > settled {
			break
		}
		if err := s.Clock.Sleep(ctx, look); err != nil {
			return err
		}
	}
	if err != nil {
		return err
	}
	if len(r.Then) > 0 {
		return run(ctx, r)
	}
	release, err := preflight.Claim(s, "trial of "+r.Presets[0].String(), true)
	if err != nil {
		return err
	}
	defer release()
	say(fmt.Sprintf("%s is in force; it waits %s for an answer", r.Presets[0], r.Wait))
	for begun := s.Clock.Now(); s.Clock.Now()-begun < r.Wait; {
		if now, err := OnTrial(s); err != nil || now == nil || now.Kept {
			return err
		}
		if err := s.Clock.Sleep(ctx, look); err != nil {
			return err
		}
	}
	say(fmt.Sprintf("no answer: the board reboots into %s", r.Old))
	return nil
}

// run runs the command of a trial as the user who staged it; only the guard is root's.
func run(ctx context.Context, r *boot.Staged) error {
	cmd := exec.CommandContext(ctx, r.Then[0], r.Then[1:]...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = r.Dir, os.Stdout, os.Stderr
	if r.User[0] > 0 {
		cmd.Env = append(os.Environ(), fmt.Sprintf("SUDO_UID=%d", r.User[0]), fmt.Sprintf("SUDO_GID=%d", r.User[1]))
	}
	return cmd.Run()
}

// End is what the unit does last in the boot of a trial, also if Begin was killed.
func End(root string, success bool, say func(string)) error {
	return in(root, func(d *boot.Dir) error {
		next, err := d.End(success)
		if err != nil || next != boot.Reboot {
			return err
		}
		say("the board reboots")
		return restart(root)
	})
}
