package tegra_test

import (
	"errors"
	"io/fs"
	"os"
	"sync"
	"syscall"

	"jtune/tegra"
)

// brokenFS is an FS with one unreadable file, under any of its names, also through open handles.
type brokenFS struct {
	tegra.FS
	mu   sync.Mutex
	file fs.FileInfo
	err  error
}

// newBroken wraps an FS in which nothing is broken yet.
func newBroken(fsys tegra.FS) *brokenFS { return &brokenFS{FS: fsys} }

// Break lets reading a file fail with err; nil heals it.
func (b *brokenFS) breakFile(name string, err error) error {
	st, serr := b.FS.Stat(name)
	b.mu.Lock()
	defer b.mu.Unlock()
	b.file, b.err = st, err
	return serr
}

// fault is the error of the file that st describes; nil when it is well.
func (b *brokenFS) fault(st fs.FileInfo, name string) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.err == nil || st == nil || !os.SameFile(st, b.file) {
		return nil
	}
	return &fs.PathError{Op: "read", Path: name, Err: b.err}
}

// Stat hides a file that is not there.
func (b *brokenFS) Stat(name string) (fs.FileInfo, error) {
	st, err := b.FS.Stat(name)
	if ferr := b.fault(st, name); errors.Is(ferr, fs.ErrNotExist) {
		return nil, ferr
	}
	return st, err
}

// ReadFile fails for the broken file.
func (b *brokenFS) ReadFile(name string) ([]byte, error) {
	st, _ := b.FS.Stat(name)
	if err := b.fault(st, name); err != nil {
		return nil, err
	}
	return b.FS.ReadFile(name)
}

// Open fails where the kernel's would; other faults show when reading.
func (b *brokenFS) Open(name string) (tegra.File, error) {
	st, _ := b.FS.Stat(name)
	if err := b.fault(st, name); errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.EACCES) {
		return nil, err
	}
	f, err := b.FS.Open(name)
	if err != nil {
		return nil, err
	}
	return brokenFile{f, b, st, name}, nil
}

type brokenFile struct {
	tegra.File
	b    *brokenFS
	st   fs.FileInfo
	name string
}

func (f brokenFile) ReadAt(p []byte, off int64) (int, error) {
	if err := f.b.fault(f.st, f.name); err != nil {
		return 0, err
	}
	return f.File.ReadAt(p, off)
}
