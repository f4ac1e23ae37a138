// Package safefile writes files whole or not at all. Files that root writes on behalf of a
// user, through sudo, belong to that user.
package safefile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"jtune/internal/caller"
)

// Own makes the user behind sudo the owner of a file; without one it does nothing.
func Own(path string) error {
	uid, gid, ok := caller.ID()
	if !ok {
		return nil
	}
	return os.Lchown(path, uid, gid)
}

// Write writes a file in place. A new file belongs to the user behind sudo.
func Write(path string, data []byte) error {
	_, missing := os.Lstat(path)
	if err := os.WriteFile(path, data, 0o644); err != nil || !errors.Is(missing, fs.ErrNotExist) {
		return err
	}
	return Own(path)
}

// Replace writes a file next to path, syncs it and renames it to path: a crash leaves the old
// content or the new. The file belongs to the user behind sudo.
func Replace(path string, data []byte) (err error) {
	dir := filepath.Dir(path)
	f, err := os.CreateTemp(dir, "."+filepath.Base(path)+".*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			f.Close()
			os.Remove(f.Name())
		}
	}()
	if _, err = f.Write(data); err != nil {
		return err
	}
	if err = f.Chmod(0o644); err != nil {
		return err
	}
	if err = Own(f.Name()); err != nil {
		return err
	}
	if err = f.Sync(); err != nil {
		return err
	}
	if err = f.Close(); err != nil {
		return err
	}
	if err = os.Rename(f.Name(), path); err != nil {
		return err
	}
	if d, err := os.Open(dir); err == nil {
		d.Sync() // the rename itself; not every file system can
		d.Close()
	}
	return nil
}

// MakeDir makes a folder and its parents. New ones belong to the user behind sudo.
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
