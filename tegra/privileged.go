package tegra

import (
	"bytes"
	"errors"
	"io/fs"
	"path"
	"sync/atomic"
	"time"
)

// privilegedFS reads files through the guard that the user may not read. It never writes.
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
	return FileInfo{path.Base(name), int64(len(data)), 0o400, time.Time{}}, nil
}

// guardedFile is a handle whose reads go through the guard.
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

func (f guardedFile) Close() error { return nil }

// FileInfo describes a file that exists on no disk.
type FileInfo struct {
	Base   string
	Bytes  int64
	Kind   fs.FileMode
	Edited time.Time
}

func (i FileInfo) Name() string       { return i.Base }
func (i FileInfo) Size() int64        { return i.Bytes }
func (i FileInfo) Mode() fs.FileMode  { return i.Kind }
func (i FileInfo) ModTime() time.Time { return i.Edited }
func (i FileInfo) IsDir() bool        { return i.Kind.IsDir() }
func (i FileInfo) Sys() any           { return nil }
