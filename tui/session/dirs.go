package session

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/adrg/xdg"

	"jtune/tegra"
)

// dataDir is where campaigns and models are kept.
func (o Options) dataDir() string {
	if o.DataDir != "" {
		return o.DataDir
	}
	return filepath.Join(xdg.DataHome, "jtune")
}

// DataDir is where campaigns and models are kept.
func (s *Session) DataDir() string { return s.Options.dataDir() }

func (o Options) modelsDir() string    { return filepath.Join(o.dataDir(), "models") }
func (o Options) campaignsDir() string { return filepath.Join(o.dataDir(), "campaigns") }

// ConfigFile is the user's TOML file, "" when there is none. Only one that was
// named must exist.
func (o Options) ConfigFile() (string, error) {
	if o.Config != "" {
		if _, err := os.Stat(o.Config); err != nil {
			return "", fmt.Errorf("%w: --config: %w", ErrUsage, err)
		}
		return o.Config, nil
	}
	path := defaultConfig()
	if _, err := os.Stat(path); err != nil {
		return "", nil
	}
	return path, nil
}

func defaultConfig() string { return filepath.Join(xdg.ConfigHome, "jtune", "config.toml") }

func stateFile(name string) string { return filepath.Join(xdg.StateHome, "jtune", name) }

func (o Options) logFile() string {
	if o.LogFile != "" {
		return o.LogFile
	}
	return stateFile("guard.log")
}

// introduced is the file that says that this user knows the screens.
func introduced() string { return stateFile("introduced") }

// Introduced tells whether the user has done anything in the screens before.
func (s *Session) Introduced() bool {
	_, err := os.Stat(introduced())
	return err == nil
}

// SetIntroduced keeps that for all later starts.
func (s *Session) SetIntroduced() error {
	if err := os.MkdirAll(filepath.Dir(introduced()), 0o755); err != nil {
		return err
	}
	return os.WriteFile(introduced(), nil, 0o644)
}

// denied gives a refusal to write its exit code and the way out.
func denied(err error, advice string) error {
	if errors.Is(err, fs.ErrPermission) {
		return fmt.Errorf("%w: %w: %s", tegra.ErrPermission, err, advice)
	}
	return err
}
