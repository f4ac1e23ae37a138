package tegra

import (
	"bytes"
	"errors"
	"io/fs"
	"path"
	"sync/atomic"
	"time"
)

// privilegedFS reads through the guard what the user may not read. Writing is
// not its business.
type privilegedFS struct {
	FS
	read atomic.Pointer[func(name string) ([]byte, error)]
}

func (p *privilegedFS) ask(name string, err error) ([]byte, error) {
	read := p.read.Load()
	if read == nil || !errors.Is(err, fs.ErrPermission) {
		return nil, err
	}
	return (*read)(name)
}

func (p *privilegedFS) ReadFile(name string) ([]byte, error) {
	data, err := p.FS.ReadFile(name)
	if err != nil {
		return p.ask(name, err)
	}
	return data, nil
}

func (p *privilegedFS) Open(name string) (File, error) {
	f, err := p.FS.Open(name)
	if err == nil {
		return f, nil
	}
	if _, err := p.ask(name, err); err != nil {
		return nil, err
	}
	return guardedFile{p, name, err}, nil
}

func (p *privilegedFS) Stat(name string) (fs.FileInfo, error) {
	st, err := p.FS.Stat(name)
	if err == nil {
		return st, nil
	}
	data, err := p.ask(name, err)
	if err != nil {
		return nil, err
	}
	return guardedInfo{path.Base(name), int64(len(data))}, nil
}

// guardedFile is a handle each of whose reads asks the guard.
type guardedFile struct {
	p      *privilegedFS
	name   string
	denied error
}

func (f guardedFile) ReadAt(b []byte, off int64) (int, error) {
	data, err := f.p.ask(f.name, f.denied)
	if err != nil {
		return 0, err
	}
	return bytes.NewReader(data).ReadAt(b, off)
}

func (f guardedFile) WriteAt([]byte, int64) (int, error) { return 0, f.denied }
func (f guardedFile) Close() error                       { return nil }

type guardedInfo struct {
	name string
	size int64
}

func (i guardedInfo) Name() string       { return i.name }
func (i guardedInfo) Size() int64        { return i.size }
func (i guardedInfo) Mode() fs.FileMode  { return 0o400 }
func (i guardedInfo) ModTime() time.Time { return time.Time{} }
func (i guardedInfo) IsDir() bool        { return false }
func (i guardedInfo) Sys() any           { return nil }
