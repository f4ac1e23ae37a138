package config

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/user"
	"path/filepath"
	"syscall"

	"github.com/adrg/xdg"

	"jtune/internal/usage"
	"jtune/tegra"
)

// Paths are the user's own folders and files. The zero value uses the XDG base directories.
type Paths struct {
	DataDir  string // campaigns and models; "": the XDG data directory
	Config   string // TOML file of the user; "": the XDG one, which may be missing
	StateDir string // state kept between starts; "": the XDG state directory
	LogFile  string // log of the guard; "": in the state directory
}

// DataPath returns the folder of campaigns and models.
func (o Paths) DataPath() string {
	return cmp.Or(o.DataDir, filepath.Join(xdg.DataHome, "jtune"))
}

// FindHome updates the folders in the user's home from the environment. If HOME is missing, as in a system service, or
// not absolute, it is set to the account's home, for jobs too. An account without one, such as a systemd dynamic user,
// gets /, where it cannot write.
func FindHome() {
	defer xdg.Reload()
	if filepath.IsAbs(os.Getenv("HOME")) {
		return
	}
	_ = os.Unsetenv("HOME")
	if u, err := user.Current(); err == nil && filepath.IsAbs(u.HomeDir) {
		_ = os.Setenv("HOME", u.HomeDir)
	}
}

// ModelsDir returns the folder of models.
func (o Paths) ModelsDir() string { return filepath.Join(o.DataPath(), "models") }

func (o Paths) CampaignsDir() string { return filepath.Join(o.DataPath(), "campaigns") }

// ConfigFile returns the user's TOML file; "" if there is none. Only an explicitly named file must exist.
func (o Paths) ConfigFile() (string, error) {
	if o.Config != "" {
		if _, err := os.Stat(o.Config); err != nil {
			return "", usage.Config.Errorf("%w; give a file, or omit it for %s", err, DefaultConfig())
		}
		return o.Config, nil
	}
	path := DefaultConfig()
	if _, err := os.Stat(path); err != nil {
		return "", nil
	}
	return path, nil
}

// ConfigPath returns the path of the user's TOML file, whether it exists or not.
func (o Paths) ConfigPath() string { return cmp.Or(o.Config, DefaultConfig()) }

// editable returns the path of the user's TOML file behind a link, which stays one, in a folder that exists.
func (o Paths) editable() (string, error) {
	path := o.ConfigPath()
	if at, err := filepath.EvalSymlinks(path); err == nil {
		path = at
	}
	return path, unwritable(os.MkdirAll(filepath.Dir(path), 0o755))
}

// unwritable says what to do about a configuration that cannot be written.
func unwritable(err error) error { return Denied(err, "give another file by "+usage.Config.String()) }

func DefaultConfig() string {
	return filepath.Join(xdg.ConfigHome, "jtune", "config.toml")
}

// StateFile returns the path of a file that is kept between starts.
func (o Paths) StateFile(name string) string {
	return filepath.Join(cmp.Or(o.StateDir, filepath.Join(xdg.StateHome, "jtune")), name)
}

// LogPath returns the log file of the process that sets modes.
func (o Paths) LogPath() string {
	return cmp.Or(o.LogFile, o.StateFile("guard.log"))
}

// TrainLog returns the file for the output of a training run's job.
func (o Paths) TrainLog() string { return filepath.Join(o.DataPath(), "train.log") }

// introduced is the file that exists once this user has used the screens.
func (o Paths) introduced() string { return o.StateFile("introduced") }

// Introduced reports whether the user has used the screens before.
func (o Paths) Introduced() bool {
	_, err := os.Stat(o.introduced())
	return err == nil
}

// SetIntroduced records that for all later starts.
func (o Paths) SetIntroduced() error {
	if err := os.MkdirAll(filepath.Dir(o.introduced()), 0o755); err != nil {
		return err
	}
	return os.WriteFile(o.introduced(), nil, 0o644)
}

// Denied adds exit code and advice to the error of a refused write, and the advice to that of a folder that cannot be
// created or whose file system has no locks.
func Denied(err error, advice string) error {
	if errors.Is(err, fs.ErrPermission) {
		return fmt.Errorf("%w: %w: %s", tegra.ErrPermission, err, advice)
	}
	at, ok := errors.AsType[*fs.PathError](err)
	if ok && at.Op == "mkdir" || errors.Is(err, errors.ErrUnsupported) || errors.Is(err, syscall.ENOLCK) { // no locks
		return fmt.Errorf("%w: %s", err, advice)
	}
	return err
}
