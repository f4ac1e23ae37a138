package cli

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"jtune/tegra"
	"jtune/tegra/boot"
	"jtune/tui/session"
)

// bootOff in place of a mode ends --at-boot.
const bootOff = "off"

// bootJSON is the boot unit in `jtune apply --at-boot --json`.
type bootJSON struct {
	Unit    string `json:"unit"`
	Text    string `json:"text"`
	Written bool   `json:"written"`
}

// planBoot prepares the unit and makes sure that it can be written, before
// anything is set.
func planBoot(s *session.Session, m tegra.Mode, f applyFlags) (*session.BootUnit, error) {
	flags := []string{"--dvfs=" + f.dvfs}
	if f.fan != "" {
		flags = append(flags, "--fan="+f.fan)
	}
	unit, err := s.PlanBoot(m, flags...)
	if errors.Is(err, tegra.ErrUnsupported) {
		err = fmt.Errorf("--at-boot: %w", err)
	}
	return unit, err
}

// showBoot prints what will be written, before the question.
func (a *app) showBoot(u *session.BootUnit, w io.Writer) {
	fmt.Fprintf(w, "%s, for every boot:\n", u.Path())
	for line := range strings.Lines(u.Text) {
		fmt.Fprint(w, "    "+line)
	}
	a.notes(u.Notes)
}

// installBoot writes the unit, once the mode was kept.
func (a *app) installBoot(u *session.BootUnit) error {
	if err := u.Install(); err != nil {
		return fmt.Errorf("the mode is kept, but will not be applied at boot: %w", err)
	}
	a.note("%s is written and enabled; the next boot reads it (no systemctl daemon-reload needed); jtune apply "+
		"--at-boot %s removes it", u.Path(), bootOff)
	return nil
}

// endBoot removes the unit.
func (a *app) endBoot(s *session.Session) error {
	switch err := s.EndBoot(); {
	case errors.Is(err, boot.ErrNotInstalled):
		a.note("%v: nothing to remove", err)
		return nil
	case errors.Is(err, tegra.ErrUnsupported):
		return fmt.Errorf("--at-boot: %w", err)
	case err != nil:
		return err
	}
	_, err := fmt.Fprintln(a.out, "removed", filepath.Join(s.Sysroot, boot.Path),
		"and its link: the mode in force stays until the next boot")
	return err
}
