package tegra

import (
	"io"
	"io/fs"
)

// FS holds a device's files: the disk below a root, or the memory of a virtual board. Names are absolute slash paths
// ("/sys/…"). Absolute links resolve below the root. Errors wrap those of io/fs or a syscall.Errno (EAGAIN, EIO, …), as
// the kernel returns them.
type FS interface {
	// Open returns a handle for repeated reads with ReadAt.
	Open(name string) (File, error)
	ReadFile(name string) ([]byte, error)
	// WriteFile writes an existing file in one write; it never creates one.
	WriteFile(name string, data []byte) error
	Glob(pattern string) ([]string, error)
	Readlink(name string) (string, error)
	Stat(name string) (fs.FileInfo, error)
}

// File is a device file that is open for reading.
type File interface {
	io.ReaderAt
	io.Closer
}
