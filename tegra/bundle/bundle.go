// Package bundle packs the board files that jtune reads into one file, for analysis without the board. Write lets
// package tegra read through a recording FS, then copies and scrubs each file it read. Read returns the copy as a
// read-only tegra.FS.
//
//	board's files ─► recorder ─► scrub ─► tar.gz ─► Read ─► tegra.Open
//
// A bundle is a gzipped tar of regular files, named without the leading slash. The first file, bundle.json, lists
// links, folders and read errors.
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
	"slices"
	"syscall"

	"golang.org/x/sys/unix"

	"jtune/tegra"
)

// Limits of a bundle, for writing and reading.
const (
	MostBytes  = 8 << 20  // compressed file
	mostTotal  = 32 << 20 // content
	mostFile   = 1 << 20  // one file in it
	mostNames  = 20_000
	mostLength = 512 // a name or a link's target
)

const (
	notesFile = "bundle.json"
	format    = 1
)

// notes is bundle.json: everything except file contents.
type notes struct {
	Format  int               `json:"format"`
	Folders []string          `json:"folders"` // also other names without content
	Links   map[string]string `json:"links"`   // links that the reader followed, with their targets
	Unread  map[string]string `json:"unread"`  // existing files, with the error of reading them: "EACCES"
	Hidden  []string          `json:"hidden"`  // names in folders that this user may not enter
}

// Report counts the files of a bundle.
type Report struct {
	Files    int
	Unread   int // present, or possibly present, but unreadable for this user
	Scrubbed int // files in which something was replaced or removed
}

// Write opens the board behind fsys, reads every value once, and writes a scrubbed copy of each file read. names are
// further words to scrub, such as the user's name.
func Write(w io.Writer, fsys tegra.FS, clock tegra.Clock, names ...string) (Report, error) {
	asked, links, err := record(fsys, clock)
	if err != nil {
		return Report{}, err
	}
	var (
		report  Report
		content = map[string][]byte{}
		list    = notes{Format: format, Folders: []string{}, Links: map[string]string{}, Unread: map[string]string{},
			Hidden: []string{}}
		scrub = newScrubber(fsys, names)
		total = 0
	)
	for name, target := range links {
		if check(name) == nil && len(target) <= mostLength {
			list.Links[name] = string(scrub.text(name, []byte(target)))
		}
	}
	for _, name := range asked {
		st, err := fsys.Stat(name)
		switch {
		case check(name) != nil:
			continue
		case errors.Is(err, fs.ErrPermission):
			list.Hidden = append(list.Hidden, name)
			continue
		case err != nil:
			continue // absent here, so absent in the bundle
		case st.IsDir():
			list.Folders = append(list.Folders, name)
			continue
		}
		data, err := fsys.ReadFile(name)
		if err != nil {
			list.Unread[name] = errorName(err)
			continue
		}
		clean := scrub.text(name, data)
		if string(clean) != string(data) {
			report.Scrubbed++
		}
		content[name] = clean
		total += len(clean)
	}
	if len(asked) > mostNames || total > mostTotal {
		return Report{}, fmt.Errorf("the device has %d files with %d bytes: a bundle holds %d with %d", len(asked),
			total, mostNames, mostTotal)
	}
	report.Files, report.Unread = len(content), len(list.Unread)+len(list.Hidden)
	return report, pack(w, list, content)
}

// errorName returns the symbolic name of a kernel error.
func errorName(err error) string {
	if errno, ok := errors.AsType[syscall.Errno](err); ok {
		return unix.ErrnoName(errno)
	}
	return "EIO"
}

// pack writes the archive. Equal contents give equal bytes.
func pack(w io.Writer, list notes, content map[string][]byte) error {
	head, err := json.MarshalIndent(list, "", " ")
	if err != nil {
		return err
	}
	zip := gzip.NewWriter(w)
	out := tar.NewWriter(zip)
	put := func(name string, data []byte) error {
		h := &tar.Header{Name: name, Typeflag: tar.TypeReg, Mode: 0o644, Size: int64(len(data))}
		if err := out.WriteHeader(h); err != nil {
			return err
		}
		_, err := out.Write(data)
		return err
	}
	if err := put(notesFile, head); err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(content)) {
		if err := put(name[1:], content[name]); err != nil {
			return err
		}
	}
	return errors.Join(out.Close(), zip.Close())
}
