package tegra_test

import (
	"errors"
	"io/fs"
	"sync"
	"syscall"

	"jtune/tegra"
	"jtune/tegra/tegratest"
)

// brokenFS is a board in memory with one unreadable file, under any of its names, also through open handles.
type brokenFS struct {
	*tegratest.Memory
	links map[string]string
	mu    sync.Mutex
	file  string
	err   error
}

// newBroken returns the board of a tree in which nothing is broken yet.
func newBroken(tr *tegratest.Tree) *brokenFS {
	return &brokenFS{Memory: tegratest.NewMemory(tr), links: tr.Links}
}

// breakFile lets reading a file of the tree fail with err; nil heals it.
func (b *brokenFS) breakFile(name string, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.file, b.err = name, err
}

// fault is the error of the file that a name leads to; nil when it is well.
func (b *brokenFS) fault(name string) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.err == nil {
		return nil
	}
	at, err := tegra.FollowLinks(name, true, func(at string) (string, bool) {
		target, ok := b.links[at]
		return target, ok
	})
	if err != nil || at != b.file {
		return nil
	}
	return &fs.PathError{Op: "read", Path: name, Err: b.err}
}

// Stat hides a file that is not there.
func (b *brokenFS) Stat(name string) (fs.FileInfo, error) {
	if err := b.fault(name); errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	return b.Memory.Stat(name)
}

// ReadFile fails for the broken file.
func (b *brokenFS) ReadFile(name string) ([]byte, error) {
	if err := b.fault(name); err != nil {
		return nil, err
	}
	return b.Memory.ReadFile(name)
}

// Open fails where the kernel's would; other faults show when reading.
func (b *brokenFS) Open(name string) (tegra.File, error) {
	if err := b.fault(name); errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.EACCES) {
		return nil, err
	}
	f, err := b.Memory.Open(name)
	if err != nil {
		return nil, err
	}
	return brokenFile{f, b, name}, nil
}

type brokenFile struct {
	tegra.File
	b    *brokenFS
	name string
}

func (f brokenFile) ReadAt(p []byte, off int64) (int, error) {
	if err := f.b.fault(f.name); err != nil {
		return 0, err
	}
	return f.File.ReadAt(p, off)
}
