// Package safefile writes files whole or not at all, and follows no link that somebody else laid.
package safefile

import (
	"bytes"
	"cmp"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"
)

// Read reads a regular file of at most most bytes; anything else, such as a pipe that would
// block, is an error that names the path.
func Read(path string, most int64) ([]byte, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return ReadOpen(f, most)
}

// ReadOpen is Read of an open file.
func ReadOpen(f *os.File, most int64) ([]byte, error) {
	st, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !st.Mode().IsRegular() {
		return nil, &fs.PathError{Op: "read", Path: f.Name(), Err: errIrregular}
	}
	if st.Size() > most {
		return nil, tooLarge(f.Name(), most)
	}
	data := bytes.NewBuffer(make([]byte, 0, st.Size()+bytes.MinRead)) // so that it need not grow
	_, err = data.ReadFrom(io.LimitReader(f, most+1))
	if err == nil && int64(data.Len()) > most { // it has grown
		return nil, tooLarge(f.Name(), most)
	}
	return data.Bytes(), err
}

// Open opens a regular file, and makes it when there is none. It follows no link and opens no pipe,
// so that nobody else's folder leads to another file.
// flag is O_WRONLY or O_RDWR, with O_APPEND or O_TRUNC.
func Open(path string, flag int) (*os.File, error) {
	flag |= syscall.O_NOFOLLOW | syscall.O_NONBLOCK
	f, err := os.OpenFile(path, flag|os.O_CREATE|os.O_EXCL, 0o644)
	if err == nil || !errors.Is(err, fs.ErrExist) {
		return f, err
	}
	if f, err = os.OpenFile(path, flag&^os.O_TRUNC, 0); err != nil {
		return nil, err
	}
	if st, err := f.Stat(); err != nil || !st.Mode().IsRegular() {
		f.Close()
		return nil, &fs.PathError{Op: "open", Path: path, Err: cmp.Or(err, errIrregular)}
	}
	if flag&os.O_TRUNC != 0 {
		if err := f.Truncate(0); err != nil {
			f.Close()
			return nil, err
		}
	}
	return f, nil
}

var errIrregular = errors.New("not a regular file")

// Replace writes a file next to path, syncs it and renames it to path: a crash leaves the old
// content or the new. A file that was there keeps its permissions.
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
	mode := fs.FileMode(0o644)
	if st, err := os.Stat(path); err == nil {
		mode = st.Mode().Perm()
	}
	if err = f.Chmod(mode); err != nil {
		return err
	}
	if err = f.Sync(); err != nil {
		return err
	}
	if err = f.Close(); err != nil {
		return err
	}
	return Rename(f.Name(), path)
}

// Rename renames a file or folder and syncs the folders that it lies in: a power cut afterwards leaves the new name.
func Rename(from, to string) error {
	if err := os.Rename(from, to); err != nil {
		return err
	}
	SyncDir(filepath.Dir(from))
	if filepath.Dir(to) != filepath.Dir(from) {
		SyncDir(filepath.Dir(to))
	}
	return nil
}

// SyncDir makes names that were changed in a folder outlive a power cut, where the file system can.
func SyncDir(dir string) {
	if d, err := os.Open(dir); err == nil {
		_ = d.Sync()
		d.Close()
	}
}

// Modified is when a file or folder was last changed; zero when it is gone.
func Modified(path string) time.Time {
	st, err := os.Stat(path)
	if err != nil {
		return time.Time{}
	}
	return st.ModTime()
}
