package bundle

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"

	"jtune/internal/safefile"
	"jtune/internal/text"
	"jtune/tegra"
)

// tree is an opened bundle: a read-only FS in memory. It holds the names that the reader used, so it follows no links.
type tree struct {
	files  map[string][]byte
	unread map[string]syscall.Errno
	hidden map[string]bool
	links  map[string]string
	there  map[string]bool // all names, including folders
}

var _ tegra.FS = (*tree)(nil)

// Read opens a bundle and writes nothing. It returns an error for a file beyond the limits, or one that holds anything
// but regular files with names of device files.
func Read(r io.Reader) (tegra.FS, error) {
	zip, err := gzip.NewReader(safefile.Most(r, MostBytes))
	if err != nil {
		return nil, fmt.Errorf("not a bundle of jtune doctor: %w", err)
	}
	t := &tree{files: map[string][]byte{}, unread: map[string]syscall.Errno{}, hidden: map[string]bool{},
		there: map[string]bool{}}
	content := safefile.Most(zip, mostTotal)
	archive := tar.NewReader(content)
	var list *notes
	total := 0
	for n := 0; ; n++ {
		h, err := archive.Next()
		switch {
		case errors.Is(err, io.EOF) && list != nil:
			if _, err := io.Copy(io.Discard, content); err != nil { // read up to the checksum
				return nil, fmt.Errorf("not a whole bundle: %w", err)
			}
			return t, t.complete(list)
		case errors.Is(err, io.EOF):
			return nil, errors.New("not a bundle of jtune doctor: it is empty")
		case err != nil:
			return nil, fmt.Errorf("not a whole bundle: %w", err)
		case h.Typeflag != tar.TypeReg:
			return nil, fmt.Errorf("%s in it is no regular file", text.Clip(h.Name))
		case h.Size > mostFile:
			return nil, fmt.Errorf("%s in it is larger than %d MB", text.Clip(h.Name), mostFile>>20)
		case n > mostNames:
			return nil, fmt.Errorf("more than %d files in it", mostNames)
		}
		data, err := io.ReadAll(archive)
		if err != nil {
			return nil, fmt.Errorf("not a whole bundle: %w", err)
		}
		if n == 0 {
			if list, err = parseNotes(h.Name, data); err != nil {
				return nil, err
			}
			continue
		}
		if total += len(data); total > mostTotal { // sparse files take no space in the archive
			return nil, fmt.Errorf("its content is larger than %d MB", mostTotal>>20)
		}
		name := "/" + h.Name
		if err := check(name); err != nil {
			return nil, err
		}
		t.files[name] = data
	}
}

func parseNotes(name string, data []byte) (*notes, error) {
	list := &notes{}
	if name != notesFile {
		return nil, fmt.Errorf("not a bundle of jtune doctor: it begins with %s, not %s", text.Clip(name), notesFile)
	}
	if err := json.Unmarshal(data, list); err != nil {
		return nil, fmt.Errorf("%s in it: %w", notesFile, err)
	}
	if list.Format != format {
		return nil, fmt.Errorf("%s in it has format %d, this jtune reads %d", notesFile, list.Format, format)
	}
	return list, nil
}

// check rejects names that no device file has.
func check(name string) error {
	below := slices.ContainsFunc([]string{"/sys/", "/proc/", "/etc/", "/var/lib/nvpmodel/"}, func(dir string) bool {
		return strings.HasPrefix(name, dir)
	})
	if !below || len(name) > mostLength || path.Clean(name) != name || text.Plain(name) != name {
		return fmt.Errorf("%s in it is no device file's name", text.Clip(name))
	}
	return nil
}

// complete adds the entries of the notes, and the parent folders of all names.
func (t *tree) complete(list *notes) error {
	for name, errno := range list.Unread {
		t.unread[name] = errnoOf(errno)
	}
	for _, name := range list.Hidden {
		t.hidden[name] = true
	}
	t.links = list.Links
	names := slices.Concat(slices.Collect(maps.Keys(t.files)), slices.Collect(maps.Keys(t.unread)), list.Folders)
	for _, name := range slices.Concat(names, list.Hidden, slices.Collect(maps.Keys(t.links))) {
		if err := check(name); err != nil {
			return err
		}
	}
	if len(names)+len(t.hidden)+len(t.links) > 2*mostNames {
		return fmt.Errorf("%s in it lists more than %d names", notesFile, 2*mostNames)
	}
	for _, name := range names {
		for ; !t.there[name] && name != "/"; name = path.Dir(name) {
			t.there[name] = true
		}
	}
	return nil
}

// known lists the errors expected from reading a device file.
var known = []syscall.Errno{
	syscall.EACCES, syscall.EPERM, syscall.EAGAIN, syscall.EIO, syscall.ENODEV, syscall.EINVAL, syscall.ENXIO,
	syscall.ETIMEDOUT, syscall.EREMOTEIO, syscall.EBUSY, syscall.EOPNOTSUPP,
}

func errnoOf(name string) syscall.Errno {
	for _, errno := range known {
		if unix.ErrnoName(errno) == name {
			return errno
		}
	}
	return syscall.EIO
}

func failed(op, name string, err error) error { return &fs.PathError{Op: op, Path: name, Err: err} }

func (t *tree) ReadFile(name string) ([]byte, error) {
	name = path.Clean("/" + name)
	if data, ok := t.files[name]; ok {
		return slices.Clone(data), nil
	}
	err, denied := t.unread[name]
	switch {
	case denied:
		return nil, failed("read", name, err)
	case t.hidden[name]:
		return nil, failed("open", name, syscall.EACCES)
	case t.there[name]:
		return nil, failed("read", name, syscall.EISDIR)
	}
	return nil, failed("open", name, syscall.ENOENT)
}

// Open fails for files without permission; other errors occur at the first read.
func (t *tree) Open(name string) (tegra.File, error) {
	data, err := t.ReadFile(name)
	if errors.Is(err, fs.ErrPermission) || errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.EISDIR) {
		return nil, err
	}
	return &handle{bytes.NewReader(data), name, err}, nil
}

func (t *tree) Stat(name string) (fs.FileInfo, error) {
	name = path.Clean("/" + name)
	_, file := t.files[name]
	_, unread := t.unread[name]
	switch {
	case file || unread:
		return tegra.FileInfo{Base: path.Base(name), Bytes: 4096, Kind: 0o444}, nil // as in sysfs
	case t.there[name]:
		return tegra.FileInfo{Base: path.Base(name), Kind: fs.ModeDir | 0o555}, nil
	case t.hidden[name]:
		return nil, failed("stat", name, syscall.EACCES)
	}
	return nil, failed("stat", name, syscall.ENOENT)
}

func (t *tree) Glob(pattern string) ([]string, error) {
	var out []string
	for name := range t.there {
		ok, err := path.Match(pattern, name)
		if err != nil {
			return nil, fmt.Errorf("pattern %q: %w", pattern, err)
		}
		if ok {
			out = append(out, name)
		}
	}
	slices.Sort(out)
	return out, nil
}

func (t *tree) Readlink(name string) (string, error) {
	if target, ok := t.links[path.Clean("/"+name)]; ok {
		return target, nil
	}
	if _, err := t.Stat(name); err != nil {
		return "", err
	}
	return "", failed("readlink", name, syscall.EINVAL)
}

func (t *tree) WriteFile(name string, _ []byte) error { return failed("write", name, syscall.EROFS) }

// handle is an open file of a tree.
type handle struct {
	*bytes.Reader
	name string
	err  error // error that every read returns
}

func (h *handle) ReadAt(p []byte, off int64) (int, error) {
	if h.err != nil {
		return 0, h.err
	}
	return h.Reader.ReadAt(p, off)
}

func (h *handle) Close() error { return nil }
