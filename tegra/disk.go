package tegra

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"jtune/internal/caller"
)

// maxFileSize is the limit of ReadFile in bytes, far above the largest device file that jtune reads (/proc/stat of a
// big machine).
const maxFileSize = 1 << 20

// maxLinks limits the links followed while resolving one name, as the kernel does.
const maxLinks = 40

// DiskFS is the real disk below a root folder ("/" for the machine itself). Absolute links resolve below the root. No
// path leads out of it, even if another process swaps folders for links at the same time.
func DiskFS(root string) FS {
	if root == "" {
		root = "/"
	}
	return diskFS(filepath.Clean(root))
}

type diskFS string

// HostPath returns the path of name on this machine's disk; false if f is no DiskFS.
func HostPath(f FS, name string) (string, bool) {
	d, ok := f.(diskFS)
	if !ok {
		return "", false
	}
	at, err := d.resolve(name, true)
	return d.path(at), err == nil
}

// OpenDir opens a folder of a DiskFS, and creates it if create is set. Nothing opened through the result lies outside
// the folder. Without create, a missing folder is fs.ErrNotExist.
func OpenDir(f FS, name string, create bool) (*os.Root, error) {
	d, ok := f.(diskFS)
	if !ok {
		return nil, fmt.Errorf("%s lies in no folder of this disk", name)
	}
	r, at, err := d.within(name)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	if create {
		if err := r.MkdirAll(at, 0o755); err != nil {
			return nil, err
		}
	}
	return r.OpenRoot(at)
}

// within opens the root and returns the path of name relative to it.
func (d diskFS) within(name string) (r *os.Root, at string, err error) {
	if at, err = d.resolve(name, true); err != nil {
		return nil, "", err
	}
	r, err = os.OpenRoot(string(d))
	return r, below(at), err
}

// below returns a name relative to the root.
func below(name string) string { return cmp.Or(path.Clean("/" + name)[1:], ".") }

// path returns the path of a resolved name on this machine.
func (d diskFS) path(at string) string { return filepath.Join(string(d), at) }

// resolve follows the links of name within the root: an absolute link restarts at the root and ".." stops there. follow
// also follows a link in the last element. The result starts at the root.
func (d diskFS) resolve(name string, follow bool) (string, error) {
	if d == "/" {
		return path.Clean("/" + name), nil // the kernel resolves it
	}
	return FollowLinks(name, follow, func(at string) (string, bool) {
		target, err := os.Readlink(filepath.Join(string(d), at))
		return target, err == nil // absent: opening it decides
	})
}

// FollowLinks resolves the links of name within a root, as the kernel does: an absolute link restarts at the root and
// ".." stops there. last also follows a link in the last element. link returns the target of a name that is a link. The
// result starts at the root and may be absent; more than 40 links are ELOOP.
func FollowLinks(name string, last bool, link func(at string) (target string, ok bool)) (string, error) {
	rest := strings.Split(path.Clean("/" + name)[1:], "/")
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
		at = strings.TrimSuffix(at, "/") + "/" + element
		if len(rest) == 0 && !last {
			break
		}
		target, ok := link(at)
		if !ok {
			continue
		}
		if links++; links > maxLinks {
			return "", &fs.PathError{Op: "open", Path: name, Err: syscall.ELOOP}
		}
		if at = path.Dir(at); path.IsAbs(target) {
			at = "/"
		}
		rest = append(strings.Split(target, "/"), rest...)
	}
	return at, nil
}

// asRoot calls f with root's rights if the process holds them in reserve and name is a kernel file of this machine;
// some are readable only by root.
func (d diskFS) asRoot(name string, f func() error) error {
	name = path.Clean("/" + name)
	if d == "/" && (strings.HasPrefix(name, "/sys/") || strings.HasPrefix(name, "/proc/")) {
		return caller.AsRoot(f)
	}
	return f()
}

// open opens a regular file. A device or pipe in a fake root would block, so it is an error.
func (d diskFS) open(name string, flag int) (f *os.File, err error) {
	if d == "/" {
		err := d.asRoot(name, func() error {
			f, err = openKernels(path.Clean("/"+name), flag)
			return err
		})
		return f, err
	}
	if f, err = d.openInRoot(name, flag); errors.Is(err, errors.ErrUnsupported) {
		f, err = d.openBySteps(name, flag)
	}
	if err != nil {
		return nil, err
	}
	if st, err := f.Stat(); err != nil || !st.Mode().IsRegular() {
		f.Close()
		return nil, &fs.PathError{Op: "open", Path: name, Err: cmp.Or(err, ErrIrregular)}
	}
	return f, nil
}

// openInRoot lets the kernel resolve a name within the root in one call (openat2, Linux 5.6). The error wraps
// errors.ErrUnsupported if the kernel, or a container's filter, lacks the call.
func (d diskFS) openInRoot(name string, flag int) (*os.File, error) {
	root, err := unix.Open(string(d), unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: string(d), Err: err}
	}
	defer unix.Close(root)
	how := unix.OpenHow{Flags: uint64(flag) | unix.O_NONBLOCK | unix.O_CLOEXEC, Resolve: unix.RESOLVE_IN_ROOT |
		unix.RESOLVE_NO_MAGICLINKS}
	fd, err := unix.Openat2(root, below(name), &how)
	switch err {
	case nil:
		return os.NewFile(uintptr(fd), d.path(name)), nil
	case unix.ENOSYS, unix.EPERM, unix.EAGAIN, unix.EINTR: // the last two: something was renamed, or a signal came
		return nil, errors.ErrUnsupported
	}
	return nil, &fs.PathError{Op: "open", Path: name, Err: err}
}

// openBySteps opens each folder on the path, about ten calls for a sysfs file.
func (d diskFS) openBySteps(name string, flag int) (*os.File, error) {
	r, err := os.OpenRoot(string(d))
	if err != nil {
		return nil, err
	}
	defer r.Close()
	f, err := r.OpenFile(below(name), flag|syscall.O_NONBLOCK, 0)
	if err == nil {
		return f, nil
	}
	at, err := d.resolve(name, true) // absent, or behind an absolute link, which os.Root does not follow
	if err != nil {
		return nil, err
	}
	return r.OpenFile(below(at), flag|syscall.O_NONBLOCK, 0)
}

// ErrIrregular is the error of reading or writing a folder, a device or a pipe.
var ErrIrregular = errors.New("not a regular file")

// openKernels opens a regular file of the machine itself.
func openKernels(full string, flag int) (*os.File, error) {
	st, err := os.Stat(full)
	if err != nil {
		return nil, err
	}
	if !st.Mode().IsRegular() {
		return nil, &fs.PathError{Op: "open", Path: full, Err: ErrIrregular}
	}
	for {
		fd, err := syscall.Open(full, flag|syscall.O_CLOEXEC, 0)
		switch {
		case err == nil:
			// os.Open would register the file with the runtime's poller, which some kernel files wake needlessly.
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
	out := &diskFile{File: f, fd: int(f.Fd()), reopen: func() (*os.File, error) { return d.open(name, os.O_RDONLY) }}
	if d != "/" {
		out.place, out.followed = out.where(), time.Now()
	}
	return out, nil
}

// diskFile reads with exactly one pread. os.File reads on to the end of the file, and each read of a sensor file
// queries the chip again. A file that has no offsets (debugfs: simple_attr_open in fs/libfs.c) is opened for each read.
type diskFile struct {
	*os.File
	fd     int // -1 when closed
	reopen func() (*os.File, error)
	// place is where the file was when it was opened, in a folder: a handle outlives its file there, and none of the
	// kernel's does. "": not followed. It is compared at most once per placeEvery, by the time in followed: the name
	// costs more than the value.
	place    string
	followed time.Time
}

// placeEvery is how long a handle is believed to be of the file that it was opened for.
const placeEvery = 900 * time.Millisecond

func (f *diskFile) ReadAt(p []byte, off int64) (int, error) {
	if f.place != "" && f.fd >= 0 && time.Since(f.followed) >= placeEvery {
		if f.where() != f.place {
			return 0, &fs.PathError{Op: "read", Path: f.Name(), Err: syscall.ESTALE}
		}
		f.followed = time.Now()
	}
	n, err := syscall.Pread(f.fd, p, off)
	if err == syscall.ESPIPE && off == 0 {
		n, err = f.first(p)
	}
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

// where returns the present name of the file behind the handle; "" if /proc does not say.
func (f *diskFile) where() string {
	name, _ := os.Readlink("/proc/self/fd/" + strconv.Itoa(f.fd))
	return name
}

// first reads the start of the file through a new handle.
func (f *diskFile) first(p []byte) (int, error) {
	again, err := f.reopen()
	if err != nil {
		return 0, err
	}
	defer again.Close()
	return syscall.Read(int(again.Fd()), p)
}

func (f *diskFile) Close() error {
	f.fd = -1
	return f.File.Close()
}

// ReadFile reads a file of at most maxFileSize bytes.
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

// WriteFile writes an existing file in one write call, then truncates it to the data; kernel files ignore the
// truncation. It is no pwrite, which the memory clock's files in debugfs refuse (seq_open in fs/seq_file.c).
func (d diskFS) WriteFile(name string, data []byte) error {
	f, err := d.open(name, os.O_WRONLY)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if st, serr := f.Stat(); err == nil && serr == nil && st.Size() > int64(len(data)) {
		_ = f.Truncate(int64(len(data)))
	}
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	return err
}

// Glob lists the names that match, following links along the way.
func (d diskFS) Glob(pattern string) ([]string, error) { return globWith(pattern, d.globIn) }

// globWith lists the names that match, one element after another; in lists those of a folder.
func globWith(pattern string, in func(dir, element string) []string) ([]string, error) {
	names := []string{"/"}
	for element := range strings.SplitSeq(strings.Trim(pattern, "/"), "/") {
		if _, err := path.Match(element, ""); err != nil {
			return nil, fmt.Errorf("pattern %q: %w", pattern, err)
		}
		var next []string
		for _, dir := range names {
			next = append(next, in(dir, element)...)
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
	at, err := d.resolve(dir, true)
	if err != nil {
		return nil
	}
	var entries []fs.DirEntry
	err = d.asRoot(at, func() error {
		entries, err = os.ReadDir(d.path(at))
		return err
	})
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

// Readlink returns a link's target as written.
func (d diskFS) Readlink(name string) (string, error) {
	at, err := d.resolve(name, false)
	if err != nil {
		return "", err
	}
	var target string
	err = d.asRoot(at, func() error {
		target, err = os.Readlink(d.path(at))
		return err
	})
	return target, err
}

// Stat follows links.
func (d diskFS) Stat(name string) (fs.FileInfo, error) {
	at, err := d.resolve(name, true)
	if err != nil {
		return nil, err
	}
	var st fs.FileInfo
	err = d.asRoot(at, func() error {
		st, err = os.Stat(d.path(at))
		return err
	})
	return st, err
}
