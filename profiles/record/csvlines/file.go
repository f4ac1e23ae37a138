package csvlines

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"jtune/internal/safefile"
	"jtune/internal/usage"
	"jtune/tegra/sweep"
)

// Disk is what a File needs of *os.File.
type Disk interface {
	io.WriteCloser
	Sync() error
	Truncate(size int64) error
}

// File is a CSV file to which whole lines are appended. A partial write is truncated, so a full disk leaves no
// half line.
type File struct {
	name string
	Info os.FileInfo // of the open file
	f    Disk
	size int64
	mark []string     // the field of sweep.VirtualColumn; none in a file without that column
	wait bytes.Buffer // lines not yet written
}

// Open opens a CSV file with these columns and sweep.VirtualColumn for appending; a file from an older jtune
// continues without that column. A torn last line, as after a crash, is cut and reported in note; a last line that only
// lacks its newline gets it.
func Open(path string, columns []string, virtual bool) (a *File, note string, err error) {
	older, header := Line(columns), Line(slices.Concat(columns, []string{sweep.VirtualColumn}))
	mark := []string{strconv.FormatBool(virtual)}
	ends, err := ReadEnds(path)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, "", err
	}
	begin, whole := ends.Begin, ends.Whole
	if whole > 0 && bytes.HasPrefix(begin, []byte(older)) {
		header, mark = older, nil
	}
	var missing string
	switch n := ends.Size - whole; {
	case n == 0:
	case mark != nil && whole > 0 && Complete(ends.Last, len(columns)+1):
		whole, missing = ends.Size, "\n"
	default:
		note = fmt.Sprintf("%s: cut a torn last line of %d bytes", filepath.Base(path), n)
	}
	first, _, _ := bytes.Cut(begin, []byte("\n"))
	switch {
	case bytes.HasPrefix(begin, []byte("\ufeff")), bytes.HasSuffix(first, []byte("\r")):
		return nil, "", fmt.Errorf("%s: an editor added a byte order mark or Windows line ends: save it without them",
			path)
	case whole > 0 && !bytes.HasPrefix(begin, []byte(header)):
		return nil, "", fmt.Errorf("%s: its columns are not those of this version of jtune", path)
	case whole == 0 && !strings.HasPrefix(header, string(begin)):
		return nil, "", fmt.Errorf("%s: not a file that jtune wrote", path)
	}
	f, err := safefile.Open(path, os.O_WRONLY|os.O_APPEND)
	if err != nil {
		return nil, "", err
	}
	a = &File{name: filepath.Base(path), f: f, size: whole, mark: mark}
	a.Info, err = f.Stat()
	if err == nil && whole < ends.Size {
		err = f.Truncate(a.size)
	}
	if whole == 0 {
		missing = header
	}
	if err == nil {
		a.wait.WriteString(missing)
		err = a.Flush(true)
	}
	if err != nil {
		f.Close()
		return nil, "", err
	}
	return a, note, nil
}

// Columns reads the columns of a file, without sweep.VirtualColumn; nil when it has none, or no whole line of them.
func Columns(path string) []string {
	f, err := safefile.OpenRead(path)
	if err != nil {
		return nil
	}
	defer f.Close()
	line, err := bufio.NewReader(safefile.Lines(f)).ReadString('\n')
	if err != nil {
		return nil
	}
	names, err := csv.NewReader(strings.NewReader(line)).Read()
	if n := len(names) - 1; err == nil && n >= 0 && names[n] == sweep.VirtualColumn {
		return names[:n]
	}
	if err != nil {
		return nil
	}
	return names
}

// NewFile returns an open and empty file without sweep.VirtualColumn.
func NewFile(name string, disk Disk, info os.FileInfo) *File {
	return &File{name: name, f: disk, Info: info}
}

// Size returns the size of what is written.
func (a *File) Size() int64 { return a.size }

// Waiting returns the lines that are not written yet.
func (a *File) Waiting() []byte { return a.wait.Bytes() }

// Drop forgets the lines that are not written yet.
func (a *File) Drop() { a.wait.Reset() }

// Add keeps a line for the next flush.
func (a *File) Add(fields []string) { a.wait.WriteString(Line(slices.Concat(fields, a.mark))) }

// Flush writes the kept lines and, with sync, syncs them to the disk.
func (a *File) Flush(sync bool) error {
	if a.wait.Len() == 0 {
		return nil
	}
	n, err := a.f.Write(a.wait.Bytes())
	if err == nil && sync {
		err = a.f.Sync()
	}
	if err != nil {
		if n > 0 {
			a.f.Truncate(a.size) // no half line; the first error is returned
		}
		return fmt.Errorf("writing %s: %w%s", a.name, safefile.Cause(err), Remedy(err))
	}
	a.size += int64(a.wait.Len())
	a.wait.Reset()
	return nil
}

// Cut shortens the file to whole lines.
func (a *File) Cut(size int64) error {
	if err := a.f.Truncate(size); err != nil {
		return fmt.Errorf("writing %s: %w", a.name, err)
	}
	a.size = size
	return nil
}

// spillAt is the most bytes of lines kept in memory.
const spillAt = 1 << 20

// Spill writes the kept lines when there are many.
func (a *File) Spill() error {
	if a.wait.Len() < spillAt {
		return nil
	}
	return a.Flush(false)
}

// Remedy is the advice for a disk that is full.
func Remedy(err error) string {
	if errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) {
		return fmt.Sprintf("; free some space, then start again (profile: with %s): all finished modes are kept",
			usage.Resume)
	}
	return ""
}

// Close writes what waits.
func (a *File) Close() error { return errors.Join(a.Flush(true), a.f.Close()) }

// Line formats fields as one line of CSV.
func Line(fields []string) string {
	var b strings.Builder
	c := csv.NewWriter(&b)
	c.Write(fields)
	c.Flush()
	return b.String()
}
