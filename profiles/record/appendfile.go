package record

import (
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
	"jtune/internal/text"
	"jtune/internal/usage"
	"jtune/profiles/record/csvlines"
	"jtune/tegra/sweep"
)

// diskFile is what an appendFile needs of *os.File.
type diskFile interface {
	io.WriteCloser
	Sync() error
	Truncate(size int64) error
}

const (
	// mostBytes is the largest file of a folder that is read into memory.
	mostBytes = 128 << 20
	// mostRaw is the largest file of raw lines whose lines are read: all modes of the largest board take 3 GB.
	mostRaw = 4 << 30
	// mostRows is the most lines of modes.csv, of all kinds: three times the modes of the largest board.
	mostRows = 100_000
)

// most returns the size up to which a file of that name is read: modes.csv holds no raw data.
func most(name string) int64 {
	if name == modesName {
		return mostBytes / 2
	}
	return mostBytes
}

// errClosed is returned by writes to a record after Close.
var errClosed = errors.New("the campaign's record is closed")

// appendFile is a CSV file to which whole lines are appended. A partial write is truncated, so a full disk leaves no
// half line.
type appendFile struct {
	name string
	info os.FileInfo // of the open file
	f    diskFile
	size int64
	mark []string     // the field of sweep.VirtualColumn; none in a file without that column
	wait bytes.Buffer // lines not yet written
}

// openAppend opens a CSV file with these columns and sweep.VirtualColumn for appending; a file from an older jtune
// continues without that column. A torn last line, as after a crash, is cut and reported in note; a last line that only
// lacks its newline gets it.
func openAppend(path string, columns []string, virtual bool) (a *appendFile, note string, err error) {
	older, header := csvLine(columns), csvLine(slices.Concat(columns, []string{sweep.VirtualColumn}))
	mark := []string{strconv.FormatBool(virtual)}
	ends, err := csvlines.ReadEnds(path)
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
	case mark != nil && whole > 0 && csvlines.Complete(ends.Last, len(columns)+1):
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
	a = &appendFile{name: filepath.Base(path), f: f, size: whole, mark: mark}
	a.info, err = f.Stat()
	if err == nil && whole < ends.Size {
		err = f.Truncate(a.size)
	}
	if whole == 0 {
		missing = header
	}
	if err == nil {
		a.wait.WriteString(missing)
		err = a.flush(true)
	}
	if err != nil {
		f.Close()
		return nil, "", err
	}
	return a, note, nil
}

// unmarked returns a header without sweep.VirtualColumn, its last column where it has it.
func unmarked(header []string) []string {
	if n := len(header) - 1; n >= 0 && header[n] == sweep.VirtualColumn {
		return header[:n]
	}
	return header
}

// csvLine formats fields as one line of CSV.
func csvLine(fields []string) string {
	var b strings.Builder
	c := csv.NewWriter(&b)
	c.Write(fields)
	c.Flush()
	return b.String()
}

var errRows = safefile.BoundError(modesName + " has more than " + text.Thousands(mostRows) + " rows")

// add keeps a line for the next flush.
func (a *appendFile) add(fields []string) { a.wait.WriteString(csvLine(slices.Concat(fields, a.mark))) }

// flush writes the kept lines and, with sync, syncs them to the disk.
func (a *appendFile) flush(sync bool) error {
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
		return fmt.Errorf("writing %s: %w%s", a.name, err, remedy(err))
	}
	a.size += int64(a.wait.Len())
	a.wait.Reset()
	return nil
}

// cut shortens the file to whole lines.
func (a *appendFile) cut(size int64) error {
	if err := a.f.Truncate(size); err != nil {
		return fmt.Errorf("writing %s: %w", a.name, err)
	}
	a.size = size
	return nil
}

// spillAt is the most bytes of lines kept in memory.
const spillAt = 1 << 20

// spill writes the kept lines when there are many.
func (a *appendFile) spill() error {
	if a.wait.Len() < spillAt {
		return nil
	}
	return a.flush(false)
}

// remedy is the advice for a disk that is full.
func remedy(err error) string {
	if errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) {
		return "; free some space, then resume with " + usage.Resume.String() + ": all finished modes are kept"
	}
	return ""
}

func (a *appendFile) close() error { return errors.Join(a.flush(true), a.f.Close()) }
