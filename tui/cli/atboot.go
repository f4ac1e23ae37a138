package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"jtune/tegra"
	"jtune/tegra/boot"
	"jtune/tui/session"
)

// bootOff is the word that stands in a mode's place to end --at-boot.
const bootOff = "off"

// bootJSON tells of the boot unit in `jtune apply --at-boot --json`.
type bootJSON struct {
	Unit    string `json:"unit"`
	Text    string `json:"text"`
	Written bool   `json:"written"`
}

// atBoot is a mode that is to be applied at every boot.
type atBoot struct {
	dir  *boot.Dir
	text string
}

// bootDir opens the system whose boot --at-boot is about.
func (a *app) bootDir(s *session.Session) (*boot.Dir, error) {
	switch {
	case s.Virtual != nil:
		return nil, fmt.Errorf("--at-boot: a virtual board has no boot: %w", tegra.ErrUnsupported)
	case s.Options.ReadOnly:
		return nil, fmt.Errorf("%w: --read-only was given: start without it to change what happens at boot", tegra.ErrPermission)
	}
	d, err := boot.Open(s.Options.Sysroot)
	return d, session.NeedsRoot(err)
}

// planBoot prepares the unit and makes sure that it can be written, before
// anything is set.
func (a *app) planBoot(s *session.Session, m tegra.Mode, f applyFlags) (*atBoot, error) {
	d, err := a.bootDir(s)
	if err != nil {
		return nil, err
	}
	text, err := bootText(s.Device.Space().Format(m), f)
	if err == nil {
		err = session.NeedsRoot(d.Check())
	}
	if err != nil {
		d.Close()
		return nil, err
	}
	return &atBoot{d, text}, nil
}

func bootText(mode string, f applyFlags) (string, error) {
	program, err := os.Executable()
	if err == nil {
		program, err = filepath.EvalSymlinks(program)
	}
	if err != nil {
		return "", fmt.Errorf("where this program lies is not known: %w", err)
	}
	flags := []string{"--dvfs=" + f.dvfs}
	if f.fan != "" {
		flags = append(flags, "--fan="+f.fan)
	}
	return boot.Unit{Program: program, Mode: mode, Flags: flags}.Text()
}

// show prints what will be written, before the question.
func (b *atBoot) show(a *app, sysroot string, w io.Writer) {
	fmt.Fprintf(w, "at boot, %s will say:\n", filepath.Join(sysroot, boot.Path))
	for line := range strings.Lines(b.text) {
		fmt.Fprint(w, "    "+line)
	}
	program := strings.Trim(strings.SplitN(boot.Command(b.text), " apply ", 2)[0], `"`)
	if sysroot != "/" {
		a.note("that system needs this program at %s", program)
		return
	}
	if name := boot.Exposed(program); name != "" {
		a.note("others than root may change %s: who does gets root rights at the next boot; install jtune in /usr/local/bin first", name)
	}
}

// install writes the unit, once the mode was kept.
func (b *atBoot) install(a *app, sysroot string) error {
	if err := b.dir.Install(b.text); err != nil {
		return fmt.Errorf("the mode is kept, but will not be applied at boot: %w", err)
	}
	a.note("%s is written and enabled; the next boot reads it (no systemctl daemon-reload needed); jtune apply --at-boot %s removes it",
		filepath.Join(sysroot, boot.Path), bootOff)
	return nil
}

// endBoot removes the unit.
func (a *app) endBoot(s *session.Session) error {
	d, err := a.bootDir(s)
	if err != nil {
		return err
	}
	defer d.Close()
	switch err := d.Remove(); {
	case errors.Is(err, boot.ErrNotInstalled):
		a.note("%v: nothing to remove", err)
		return nil
	case err != nil:
		return session.NeedsRoot(err)
	}
	_, err = fmt.Fprintln(a.out, "removed", filepath.Join(s.Options.Sysroot, boot.Path), "and its link: the mode in force stays until the next boot")
	return err
}
