// Package safefile writes files completely or not at all, and does not follow links.
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

// Read reads a regular file of at most most bytes; anything else, such as a pipe that would block, is an error with the
// path.
func Read(path string, most int64) ([]byte, error) {
	f, err := OpenRead(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return ReadOpen(f, most)
}

// ReadIfThere is Read of a file that need not exist; nil then.
func ReadIfThere(path string, most int64) ([]byte, error) {
	data, err := Read(path, most)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return data, err
}

// OpenRead opens a regular file for reading; anything else is an error as in Read.
func OpenRead(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	if st, err := f.Stat(); err != nil || !st.Mode().IsRegular() {
		f.Close()
		return nil, &fs.PathError{Op: "read", Path: path, Err: cmp.Or(err, errIrregular)}
	}
	return f, nil
}

// ReadOpen is Read for an open file.
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
	data := bytes.NewBuffer(make([]byte, 0, st.Size()+bytes.MinRead)) // avoids growing
	_, err = data.ReadFrom(io.LimitReader(f, most+1))
	if err == nil && int64(data.Len()) > most { // the file has grown
		return nil, tooLarge(f.Name(), most)
	}
	return data.Bytes(), err
}

// Open opens a regular file, and creates it if needed. It follows no link and opens no pipe, so that a folder of
// another user cannot redirect it. flag is O_WRONLY or O_RDWR, with O_APPEND or O_TRUNC.
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

// Replace writes a temporary file beside path, syncs it and renames it to path: after a crash path has the old or the
// new content. An existing file keeps its permissions.
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

// Cause returns an error without the path, for a message that names the file: Replace would name a temporary one.
func Cause(err error) error {
	var at *fs.PathError
	if errors.As(err, &at) {
		return at.Err
	}
	return err
}

// ReplaceNamed is Replace for a path that the user chose: a link stays a link, and a device, or a pipe that is read, is
// written directly. A link of another user is replaced, not followed.
func ReplaceNamed(path string, data []byte) error {
	if st, err := os.Stat(path); err != nil || st.Mode().IsRegular() {
		return Replace(followed(path), data)
	}
	f, err := os.OpenFile(path, os.O_WRONLY|syscall.O_NONBLOCK, 0) // a pipe without a reader is an error
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	return errors.Join(err, f.Close())
}

// followed returns where path leads if it is a link of this user, of root or of the folder's owner, for the last part
// of the path: the kernel looks at the folders, and in sticky ones at their links (fs.protected_symlinks), but a link
// that a
// program resolves itself escapes it.
func followed(path string) string {
	for range 40 { // as many as the kernel follows
		link, err := os.Lstat(path)
		if err != nil || link.Mode()&fs.ModeSymlink == 0 {
			return path
		}
		folder, err := os.Stat(filepath.Dir(path))
		to, unread := os.Readlink(path)
		owner := ownerOf(link)
		if err != nil || unread != nil || owner != 0 && owner != os.Geteuid() && owner != ownerOf(folder) {
			return path
		}
		if !filepath.IsAbs(to) {
			to = filepath.Join(filepath.Dir(path), to)
		}
		path = to
	}
	return path
}

// ownerOf returns the user id of a file's owner.
func ownerOf(st fs.FileInfo) int { return int(st.Sys().(*syscall.Stat_t).Uid) }

// Rename renames a file or folder and syncs the parent folders, so that the new name survives a power failure.
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

// SyncDir syncs a folder, so that new names in it survive a power failure, if the file system supports that.
func SyncDir(dir string) {
	if d, err := os.Open(dir); err == nil {
		_ = d.Sync()
		d.Close()
	}
}

// Modified returns when a file or folder was last changed; zero if it does not exist.
func Modified(path string) time.Time {
	st, err := os.Stat(path)
	if err != nil {
		return time.Time{}
	}
	return st.ModTime()
}
