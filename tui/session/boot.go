package session

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"jtune/internal/caller"
	"jtune/tegra"
	"jtune/tegra/boot"
)

// BootUnit is the systemd unit that applies a mode at every boot of the system in Root: prepared, but not written.
type BootUnit struct {
	Root   string
	Text   string
	Before string   // the installed unit; "" for none
	Notes  []string // notes for the user before it is written
}

// PlanBoot prepares the unit for a kept mode and checks that it can be written. flags are the flags of `jtune apply`
// that belong to the mode, such as --dvfs=off. With an error the unit can be shown but not written: a virtual board has
// no boot (tegra.ErrUnsupported), permission is missing (tegra.ErrPermission), or a foreign file is in the way.
func PlanBoot(s *Session, m tegra.Mode, flags ...string) (*BootUnit, error) {
	u := &BootUnit{Root: s.Sysroot}
	program, err := Program()
	if err != nil {
		return u, err
	}
	if u.Text, err = (boot.Unit{Program: program, Mode: s.Device.Space().Format(m), Flags: flags}).Text(); err != nil {
		return u, err
	}
	if u.Root != "/" && u.Root != "" {
		u.Notes = append(u.Notes, "that system needs this program at "+program)
	} else if name := boot.Exposed(program); name != "" {
		u.Notes = append(u.Notes, fmt.Sprintf("others than root may change %s: who does gets root rights at the next "+
			"boot; install jtune in /usr/local/bin first", name))
	}
	if err := MayBoot(s); err != nil {
		return u, err
	}
	return u, u.within(func(d *boot.Dir) error {
		if u.Before, err = d.Installed(); err != nil {
			return err
		}
		return d.Check()
	})
}

// Program returns the path of this program, without links.
func Program() (string, error) {
	program, err := os.Executable()
	if err == nil {
		program, err = filepath.EvalSymlinks(program)
	}
	if err != nil {
		return "", fmt.Errorf("the path of this program is unknown: %w", err)
	}
	return program, nil
}

// MayBoot returns an error if what happens at boot cannot be changed.
func MayBoot(s *Session) error {
	if s.Virtual != nil {
		return fmt.Errorf("a virtual board has no boot: %w", tegra.ErrUnsupported)
	}
	return s.RefusesWrites("change what happens at boot")
}

func (u *BootUnit) within(work func(d *boot.Dir) error) error { return InBoot(u.Root, boot.Open, work) }

// InBoot opens the system below root for one operation; this machine's system with root's rights.
func InBoot(root string, open func(root string) (*boot.Dir, error), work func(d *boot.Dir) error) error {
	as := func(f func() error) error { return f() }
	if root == "" || root == "/" {
		root, as = "/", caller.AsRoot
	}
	return NeedsRoot(as(func() error {
		d, err := open(root)
		if err != nil {
			return err
		}
		defer d.Close()
		return work(d)
	}), root)
}

// Path returns the path of the unit, including Root.
func (u *BootUnit) Path() string { return filepath.Join(u.Root, boot.Path) }

// ModeBefore returns the mode that is currently applied at boot; "" for none.
func (u *BootUnit) ModeBefore() string {
	_, rest, _ := strings.Cut(boot.Command(u.Before), " apply ")
	mode, _, _ := strings.Cut(rest, " ")
	return mode
}

// Install writes the unit and enables it at boot.
func (u *BootUnit) Install() error {
	return u.within(func(d *boot.Dir) error { return d.Install(u.Text) })
}

// Remove removes the installed unit. errors.Is(err, boot.ErrNotInstalled) if there is none.
func (u *BootUnit) Remove() error {
	return u.within(func(d *boot.Dir) error { return d.Remove() })
}

// Undo restores the unit that was installed when this one was planned.
func (u *BootUnit) Undo() error {
	if u.Before == "" {
		return u.Remove()
	}
	return u.within(func(d *boot.Dir) error { return d.Install(u.Before) })
}

// EndBoot stops applying a mode at boot. errors.Is(err, boot.ErrNotInstalled) if no mode was.
func EndBoot(s *Session) error {
	if err := MayBoot(s); err != nil {
		return err
	}
	return (&BootUnit{Root: s.Sysroot}).Remove()
}
