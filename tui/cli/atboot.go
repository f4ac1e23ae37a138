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

// bootOff given instead of a mode removes the unit of --at-boot.
const bootOff = "off"

// planBoot prepares the unit and checks, before anything is set, that it can be written.
func (c *applyCmd) planBoot(s *session.Session, m tegra.Mode) (*session.BootUnit, error) {
	flags := []string{"--dvfs=" + c.DVFS}
	if c.Fan != "" {
		flags = append(flags, "--fan="+c.Fan)
	}
	unit, err := session.PlanBoot(s, m, flags...)
	if errors.Is(err, tegra.ErrUnsupported) {
		err = fmt.Errorf("--at-boot: %w", err)
	}
	return unit, err
}

// showBoot prints before the question what will be written.
func (c *applyCmd) showBoot(u *session.BootUnit, w io.Writer) {
	fmt.Fprintf(w, "%s, for every boot:\n", u.Path())
	for line := range strings.Lines(u.Text) {
		fmt.Fprint(w, "    "+line)
	}
	c.notes(u.Notes)
}

// installBoot writes the unit after the mode was kept.
func (c *applyCmd) installBoot(u *session.BootUnit) error {
	if err := u.Install(); err != nil {
		return fmt.Errorf("the mode is kept, but will not be applied at boot: %w", err)
	}
	c.note("%s is written and enabled; the next boot reads it (no systemctl daemon-reload needed); jtune apply "+
		"--at-boot %s removes it", u.Path(), bootOff)
	return nil
}

// endBoot removes the unit.
func (c *applyCmd) endBoot(s *session.Session) error {
	switch err := session.EndBoot(s); {
	case errors.Is(err, boot.ErrNotInstalled):
		c.note("%v: nothing to remove", err)
		return nil
	case errors.Is(err, tegra.ErrUnsupported):
		return fmt.Errorf("--at-boot: %w", err)
	case err != nil:
		return err
	}
	_, err := fmt.Fprintln(c.out, "removed", filepath.Join(s.Sysroot, boot.Path),
		"and its link: the mode in force stays until the next boot")
	return err
}
