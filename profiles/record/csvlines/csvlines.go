// Package csvlines reads and continues the CSV files of a campaign's folder. jtune appends whole lines to them for as
// long as a campaign runs, so they are read line by line, and to continue one only its ends are read.
//
//	file ──► Each ──► fields of each line ──► Codec ──► rows, runs, entries
//	     ──► ReadEnds ──► where the next line belongs ──► File ──► Add, Flush
package csvlines

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"

	"jtune/internal/safefile"
	"jtune/internal/text"
	"jtune/tegra/sweep"
)

// MostBad is how many lines of a file may be unreadable before the rest is skipped.
const MostBad = 10_000

var (
	errLongLine = fmt.Errorf("longer than %d MB", safefile.MostLine>>20)
	errHopeless = fmt.Errorf("%s lines before it are too, and what follows is not read", text.Thousands(MostBad))
)

// Each reads the lines of a file one by one, so that a bad line affects no other. The header is line 1. f
// gets the fields of a line without sweep.VirtualColumn, or the error, and returns the error that makes the line bad;
// after MostBad of these the rest is skipped. Empty lines are skipped; torn reports a torn last line, which is skipped
// too. The error is one of reading.
func Each(r io.Reader, f func(n int, fields []string, err error) error) (torn bool, err error) {
	n, bad := 0, 0
	marked := 0 // number of columns of a file with sweep.VirtualColumn; 0: without it
	// All lines share the buffers.
	lines, text, buffer := bufio.NewReaderSize(r, 64<<10), bytes.NewReader(nil), bufio.NewReader(nil)
	var line []byte
	for {
		var whole bool
		if line, whole, err = nextLine(lines, line[:0]); err != nil || len(line) == 0 {
			return false, err
		}
		if n++; !whole && (marked == 0 || !Complete(line, marked)) {
			return true, nil
		}
		var fields []string
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
			err = fmt.Errorf("%d fields, want %d", len(fields), marked)
		}
		if marked > 0 && err == nil {
			fields = fields[:marked-1]
		}
		if f(n, fields, err) == nil {
			continue
		}
		if bad++; bad >= MostBad {
			f(n+1, nil, errHopeless)
			return false, nil
		}
	}
}

// nextLine appends the next line to a buffer, of a long line a part longer than safefile.MostLine; at the end of the
// file there is none. whole reports whether the line has its newline.
func nextLine(r *bufio.Reader, buffer []byte) (line []byte, whole bool, err error) {
	for {
		part, err := r.ReadSlice('\n')
		if len(buffer) <= safefile.MostLine {
			buffer = append(buffer, part...)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
		case errors.Is(err, io.EOF):
			return buffer, false, nil
		default:
			return buffer, err == nil, err
		}
	}
}

// Ends are the two ends of a file, each up to safefile.MostLine.
type Ends struct {
	Begin []byte
	Last  []byte // the last line if it lacks its newline; none if it is longer
	Whole int64  // size of all lines before it
	Size  int64
}

// ReadEnds reads the ends of a file of any size.
func ReadEnds(path string) (e Ends, err error) {
	f, err := safefile.OpenRead(path)
	if err != nil {
		return e, err
	}
	defer f.Close()
	st, err := f.Stat()
	if err != nil {
		return e, err
	}
	e.Size = st.Size()
	e.Begin = make([]byte, min(e.Size, safefile.MostLine))
	_, err = f.ReadAt(e.Begin, 0)
	part := make([]byte, min(e.Size, 64<<10))
	for at := e.Size; at > 0 && e.Whole == 0 && err == nil; {
		part = part[:min(at, int64(len(part)))]
		at -= int64(len(part))
		_, err = f.ReadAt(part, at)
		if i := bytes.LastIndexByte(part, '\n'); i >= 0 {
			e.Whole = at + int64(i) + 1
		}
	}
	if n := e.Size - e.Whole; err == nil && n <= safefile.MostLine {
		e.Last = make([]byte, n)
		_, err = f.ReadAt(e.Last, e.Whole)
	}
	return e, err
}

// Complete reports whether a line without its newline has all columns, including the whole last one,
// sweep.VirtualColumn.
func Complete(line []byte, columns int) bool {
	f, err := csv.NewReader(bytes.NewReader(line)).Read()
	return err == nil && len(f) == columns && (f[columns-1] == "true" || f[columns-1] == "false")
}
