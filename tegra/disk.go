package tegra

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

// maxFileSize bounds what ReadFile takes in: the largest device file we read
// (/proc/stat on a big machine) is far below it.
const maxFileSize = 1 << 20

// maxLinks is how many links one name may lead through, as in the kernel.
const maxLinks = 40

// DiskFS is the real disk below a root folder ("/" for the machine itself).
// Absolute links resolve below the root and nothing leads out of it.
func DiskFS(root string) FS {
	if root == "" {
		root = "/"
	}
	return diskFS(filepath.Clean(root))
}

type diskFS string

// HostPath is where name lies on this machine's disk; false when f is no
// DiskFS.
func HostPath(f FS, name string) (string, bool) {
	d, ok := f.(diskFS)
	if !ok {
		return "", false
	}
	full, err := d.resolve(name, true)
	return full, err == nil
}

// resolve walks name link by link, keeping to the root: an absolute link
// starts over at the root and ".." stops there. The last element's link is
// followed too when follow is set.
func (d diskFS) resolve(name string, follow bool) (string, error) {
	if d == "/" {
		return path.Clean("/" + name), nil // the kernel does it
	}
	rest := strings.Split(strings.TrimPrefix(path.Clean("/"+name), "/"), "/")
	at, links := "/", 0
	for len(rest) > 0 {
		element := rest[0]
		rest = rest[1:]
		switch element {
		case "", ".":
			continue
		case "..":
			at = path.Dir(at)
			continue
		}
		next := path.Join(at, element)
		if len(rest) == 0 && !follow {
			at = next
			break
		}
		target, err := os.Readlink(filepath.Join(string(d), next))
		if err != nil { // no link, or absent: whoever opens it will see
			at = next
			continue
		}
		if links++; links > maxLinks {
			return "", &fs.PathError{Op: "open", Path: name, Err: syscall.ELOOP}
		}
		if path.IsAbs(target) {
			at = "/"
		}
		rest = append(strings.Split(target, "/"), rest...)
	}
	return filepath.Join(string(d), at), nil
}

// open opens a regular file. A device or pipe in a fake root would block.
func (d diskFS) open(name string, flag int) (*os.File, error) {
	full, err := d.resolve(name, true)
	if err != nil {
		return nil, err
	}
	st, err := os.Stat(full)
	if err != nil {
		return nil, err
	}
	if !st.Mode().IsRegular() {
		return nil, &fs.PathError{Op: "open", Path: name, Err: errors.New("not a regular file")}
	}
	for {
		fd, err := syscall.Open(full, flag|syscall.O_CLOEXEC, 0)
		switch {
		case err == nil:
			// A file that Go opened itself would be watched by its runtime,
			// which some of the kernel's wake for nothing.
			return os.NewFile(uintptr(fd), full), nil
		case !errors.Is(err, syscall.EINTR):
			return nil, &fs.PathError{Op: "open", Path: full, Err: err}
		}
	}
}

// Open returns a handle for reading.
func (d diskFS) Open(name string) (File, error) {
	f, err := d.open(name, os.O_RDONLY)
	if err != nil {
		return nil, err
	}
	return &diskFile{f, int(f.Fd())}, nil
}

// diskFile reads with exactly one pread: os.File would read on until the end
// of the file, and each read of a sensor's file asks the chip again.
type diskFile struct {
	*os.File
	fd int // -1 when closed
}

func (f *diskFile) ReadAt(p []byte, off int64) (int, error) {
	n, err := syscall.Pread(f.fd, p, off)
	switch {
	case f.fd < 0:
		return 0, fs.ErrClosed
	case err != nil:
		return 0, &fs.PathError{Op: "read", Path: f.Name(), Err: err}
	case n < len(p):
		return n, io.EOF
	}
	return n, nil
}

func (f *diskFile) Close() error {
	f.fd = -1
	return f.File.Close()
}

// ReadFile reads a file of at most a mebibyte.
func (d diskFS) ReadFile(name string) ([]byte, error) {
	f, err := d.open(name, os.O_RDONLY)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxFileSize+1))
	if err == nil && len(data) > maxFileSize {
		return nil, fmt.Errorf("read %s: larger than %d bytes", name, maxFileSize)
	}
	return data, err
}

// WriteFile writes an existing file with one write call. A plain file of a
// fake root is then cut to the data; the kernel's own files ignore that.
func (d diskFS) WriteFile(name string, data []byte) error {
	f, err := d.open(name, os.O_WRONLY)
	if err != nil {
		return err
	}
	_, err = f.WriteAt(data, 0)
	if st, serr := f.Stat(); err == nil && serr == nil && st.Size() > int64(len(data)) {
		_ = f.Truncate(int64(len(data)))
	}
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	return err
}

// Glob lists the names that match, following links on the way.
func (d diskFS) Glob(pattern string) ([]string, error) {
	names := []string{"/"}
	for element := range strings.SplitSeq(strings.Trim(pattern, "/"), "/") {
		if _, err := path.Match(element, ""); err != nil {
			return nil, fmt.Errorf("pattern %q: %w", pattern, err)
		}
		var next []string
		for _, dir := range names {
			next = append(next, d.globIn(dir, element)...)
		}
		names = next
	}
	slices.Sort(names)
	return names, nil
}

func (d diskFS) globIn(dir, element string) []string {
	if !strings.ContainsAny(element, `*?[\`) {
		name := path.Join(dir, element)
		if _, err := d.Stat(name); err != nil {
			return nil
		}
		return []string{name}
	}
	full, err := d.resolve(dir, true)
	if err != nil {
		return nil
	}
	entries, err := os.ReadDir(full)
	if err != nil {
		return nil
	}
	var out []string
	for _, e := range entries {
		if ok, _ := path.Match(element, e.Name()); ok {
			out = append(out, path.Join(dir, e.Name()))
		}
	}
	return out
}

// Readlink returns a link's target as it is written.
func (d diskFS) Readlink(name string) (string, error) {
	full, err := d.resolve(name, false)
	if err != nil {
		return "", err
	}
	return os.Readlink(full)
}

// Stat follows links.
func (d diskFS) Stat(name string) (fs.FileInfo, error) {
	full, err := d.resolve(name, true)
	if err != nil {
		return nil, err
	}
	return os.Stat(full)
}
