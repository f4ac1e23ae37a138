package profiles

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"jtune/profiles/harness"
)

// Own gives a file that root made for a user, through sudo, to that user.
func Own(path string) error {
	uid, gid, ok := harness.Caller()
	if !ok {
		return nil
	}
	return os.Lchown(path, uid, gid)
}

// WriteFile writes a file whole; a new one that root makes for a user, through
// sudo, is that user's.
func WriteFile(path string, data []byte) error {
	_, missing := os.Lstat(path)
	if err := os.WriteFile(path, data, 0o644); err != nil || !errors.Is(missing, fs.ErrNotExist) {
		return err
	}
	return Own(path)
}

// MakeDir makes a folder and those above it; what root makes for a user,
// through sudo, is that user's.
func MakeDir(dir string) error {
	if _, err := os.Stat(dir); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if up := filepath.Dir(dir); up != dir {
		if err := MakeDir(up); err != nil {
			return err
		}
	}
	if err := os.Mkdir(dir, 0o755); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return Own(dir)
}
