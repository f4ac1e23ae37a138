package bundle

import (
	"archive/tar"
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
	*tegra.Nodes
	links map[string]string
}

var _ tegra.FS = (*tree)(nil)

// Read opens a bundle and writes nothing. It returns an error for a file beyond the limits, or one that holds anything
// but regular files with names of device files.
func Read(r io.Reader) (tegra.FS, error) {
	zip, err := gzip.NewReader(safefile.Most(r, MostBytes))
	if err != nil {
		return nil, fmt.Errorf("not a bundle of jtune doctor: %w", err)
	}
	t := &tree{Nodes: &tegra.Nodes{Enter: func() func() { return func() {} }}}
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
		text := string(data)
		t.Add(name, &tegra.Node{Get: func() string { return text }})
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

// complete adds the entries of the notes.
func (t *tree) complete(list *notes) error {
	t.links = list.Links
	names := slices.Concat(slices.Collect(maps.Keys(list.Unread)), list.Folders, list.Hidden,
		slices.Collect(maps.Keys(list.Links)))
	if len(names) > 2*mostNames {
		return fmt.Errorf("%s in it lists more than %d names", notesFile, 2*mostNames)
	}
	for _, name := range names {
		if err := check(name); err != nil {
			return err
		}
	}
	for name, errno := range list.Unread {
		t.AddNew(name, &tegra.Node{Fails: func() error { return errnoOf(errno) }})
	}
	for _, name := range list.Folders {
		t.AddNew(name, &tegra.Node{})
	}
	for _, name := range list.Hidden {
		t.Hide(name)
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

// Readlink implements tegra.FS.
func (t *tree) Readlink(name string) (string, error) {
	if target, ok := t.links[path.Clean("/"+name)]; ok {
		return target, nil
	}
	return t.Nodes.Readlink(name)
}

// WriteFile implements tegra.FS.
func (t *tree) WriteFile(name string, _ []byte) error {
	return &fs.PathError{Op: "write", Path: name, Err: syscall.EROFS}
}
