package config

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/user"
	"path/filepath"

	"github.com/adrg/xdg"

	"jtune/internal/usage"
	"jtune/tegra"
)

// Paths are the user's own folders and files. The zero value means those of the XDG base directories.
type Paths struct {
	DataDir  string // campaigns and models; "" is the XDG data directory
	Config   string // TOML with the user's workloads; "" is the XDG one, which may be absent
	StateDir string // what is remembered between starts; "" is the XDG state directory
	LogFile  string // where the guard logs; "" is the state directory
}

// DataPath is where campaigns and models are kept.
func (o Paths) DataPath() string {
	if o.DataDir != "" {
		return o.DataDir
	}
	return filepath.Join(xdg.DataHome, "jtune")
}

// FindHome reads the environment again for the folders below the user's home. Where HOME is missing, as for a service
// of the system, or is no absolute path, it is the account's own, for jobs too. An account that has none either, as
// one that systemd made up, can write below / only, that is nowhere.
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

// ModelsDir is where models are kept.
func (o Paths) ModelsDir() string { return filepath.Join(o.DataPath(), "models") }

func (o Paths) CampaignsDir() string { return filepath.Join(o.DataPath(), "campaigns") }

// ConfigFile is the user's TOML file, "" when there is none. Only one that was
// named must exist.
func (o Paths) ConfigFile() (string, error) {
	if o.Config != "" {
		if _, err := os.Stat(o.Config); err != nil {
			return "", usage.Config.Errorf("%w; give a file, or leave it out for %s", err, DefaultConfig())
		}
		return o.Config, nil
	}
	path := DefaultConfig()
	if _, err := os.Stat(path); err != nil {
		return "", nil
	}
	return path, nil
}

// ConfigPath is where the user's TOML file is or would be.
func (o Paths) ConfigPath() string { return cmp.Or(o.Config, DefaultConfig()) }

func DefaultConfig() string {
	return filepath.Join(xdg.ConfigHome, "jtune", "config.toml")
}

// StateFile is a file of what is remembered between starts.
func (o Paths) StateFile(name string) string {
	if o.StateDir != "" {
		return filepath.Join(o.StateDir, name)
	}
	return filepath.Join(xdg.StateHome, "jtune", name)
}

// LogPath is the log of the process that sets modes.
func (o Paths) LogPath() string {
	if o.LogFile != "" {
		return o.LogFile
	}
	return o.StateFile("guard.log")
}

// TrainLog is the file that gets what the job of a training run says.
func (o Paths) TrainLog() string { return filepath.Join(o.DataPath(), "train.log") }

// introduced is the file that exists once this user knows the screens.
func (o Paths) introduced() string { return o.StateFile("introduced") }

// Introduced reports whether the user has done anything in the screens before.
func (o Paths) Introduced() bool {
	_, err := os.Stat(o.introduced())
	return err == nil
}

// SetIntroduced keeps that for all later starts.
func (o Paths) SetIntroduced() error {
	if err := os.MkdirAll(filepath.Dir(o.introduced()), 0o755); err != nil {
		return err
	}
	return os.WriteFile(o.introduced(), nil, 0o644)
}

// Denied adds the exit code and advice to the error of a refused write, and the
// advice to that of a folder that cannot be made.
func Denied(err error, advice string) error {
	if errors.Is(err, fs.ErrPermission) {
		return fmt.Errorf("%w: %w: %s", tegra.ErrPermission, err, advice)
	}
	if at, ok := errors.AsType[*fs.PathError](err); ok && at.Op == "mkdir" {
		return fmt.Errorf("%w: %s", err, advice)
	}
	return err
}
