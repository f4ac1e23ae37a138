package record

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
	"jtune/internal/text"
	"jtune/internal/usage"
	"jtune/tegra/sweep"
)

// diskFile is what an appendFile needs of *os.File.
type diskFile interface {
	io.WriteCloser
	Sync() error
	Truncate(size int64) error
}

const (
	// mostBytes is the largest file of a folder that is read.
	mostBytes = 128 << 20
	// mostRows is the most lines of modes.csv, of all kinds: three times the modes of the largest board.
	mostRows = 100_000
	// mostBad is how many lines of a file may be unreadable before the rest is skipped.
	mostBad = 10_000
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
	data, err := safefile.Read(path, most(filepath.Base(path)))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, "", err
	}
	whole := bytes.LastIndexByte(data, '\n') + 1
	if bytes.HasPrefix(data[:whole], []byte(older)) {
		header, mark = older, nil
	}
	var missing string
	switch n := len(data) - whole; {
	case n == 0:
	case mark != nil && whole > 0 && endsWithMark(data[whole:], len(columns)+1):
		whole, missing = len(data), "\n"
	default:
		note = fmt.Sprintf("%s: cut a torn last line of %d bytes", filepath.Base(path), n)
	}
	first, _, _ := bytes.Cut(data, []byte("\n"))
	switch {
	case bytes.HasPrefix(data, []byte("\ufeff")), bytes.HasSuffix(first, []byte("\r")):
		return nil, "", fmt.Errorf("%s: an editor added a byte order mark or Windows line ends: save it without them",
			path)
	case whole > 0 && !bytes.HasPrefix(data[:whole], []byte(header)):
		return nil, "", fmt.Errorf("%s: its columns are not those of this version of jtune", path)
	case whole == 0 && !strings.HasPrefix(header, string(data)):
		return nil, "", fmt.Errorf("%s: not a file that jtune wrote", path)
	}
	f, err := safefile.Open(path, os.O_WRONLY|os.O_APPEND)
	if err != nil {
		return nil, "", err
	}
	a = &appendFile{name: filepath.Base(path), f: f, size: int64(whole), mark: mark}
	a.info, err = f.Stat()
	if err == nil && whole < len(data) {
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

// endsWithMark reports whether a line without its newline is complete: it has all columns, including the whole last
// one, sweep.VirtualColumn.
func endsWithMark(line []byte, columns int) bool {
	f, err := csv.NewReader(bytes.NewReader(line)).Read()
	return err == nil && len(f) == columns && (f[columns-1] == "true" || f[columns-1] == "false")
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

// eachLine reads the lines of an appendFile one by one, so that a bad line affects no other. The header is line 1. f
// gets the fields of a line without sweep.VirtualColumn, or the error, and returns the error that makes the line bad;
// after mostBad of these the rest is skipped. Empty lines are skipped; torn reports a torn last line, which is skipped
// too.
func eachLine(data []byte, f func(n int, fields []string, err error) error) (torn bool) {
	n, bad := 0, 0
	marked := 0 // number of columns of a file with sweep.VirtualColumn; 0: without it
	// All lines share a buffer.
	text, buffer := bytes.NewReader(nil), bufio.NewReader(nil)
	for line := range bytes.Lines(data) {
		if n++; line[len(line)-1] != '\n' && (marked == 0 || !endsWithMark(line, marked)) {
			return true
		}
		var fields []string
		var err error
		if len(line) > safefile.MostLine {
			err = errLongLine
		} else {
			text.Reset(line)
			buffer.Reset(text)
			fields, err = csv.NewReader(buffer).Read()
		}
		switch {
		case errors.Is(err, io.EOF):
			continue
		case n == 1 && err == nil && fields[len(fields)-1] == sweep.VirtualColumn:
			marked = len(fields)
		case err == nil && marked > 0 && len(fields) != marked:
			err = fmt.Errorf("%d fields where %d belong", len(fields), marked)
		}
		if marked > 0 && err == nil {
			fields = fields[:marked-1]
		}
		if f(n, fields, err) == nil {
			continue
		}
		if bad++; bad >= mostBad {
			f(n+1, nil, errHopeless)
			return false
		}
	}
	return false
}

var (
	errRows     = safefile.BoundError(modesName + " has more than " + text.Thousands(mostRows) + " rows")
	errLongLine = fmt.Errorf("longer than %d MB", safefile.MostLine>>20)
	errHopeless = fmt.Errorf("%s lines before it are too, and what follows is not read", text.Thousands(mostBad))
)

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
