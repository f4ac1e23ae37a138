package profiles

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"jtune/profiles/harness"
)

// own gives a file that root made for a user, through sudo, to that user.
func own(path string) error {
	uid, gid, ok := harness.Caller()
	if !ok {
		return nil
	}
	return os.Lchown(path, uid, gid)
}

// makeDir makes a folder and those above it, the user's own.
func makeDir(dir string) error {
	if _, err := os.Stat(dir); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if up := filepath.Dir(dir); up != dir {
		if err := makeDir(up); err != nil {
			return err
		}
	}
	if err := os.Mkdir(dir, 0o755); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return own(dir)
}
