package sweep

import (
	"bufio"
	"encoding/csv"
	"errors"
	"io"
	"strings"

	"jtune/internal/safefile"
	"jtune/internal/text"
)

// lines reads CSV with one record per line: a quote left open is an error of its line and does not swallow the
// following ones.
type lines struct {
	from   *bufio.Reader
	text   *strings.Reader
	line   *bufio.Reader // reads text
	csv    *csv.Reader   // reads line
	number int           // number of the last line read, from 1
}

var errLines = safefile.BoundError("more than " + text.Thousands(mostLines) + " lines")

func newLines(r io.Reader) *lines {
	text := strings.NewReader("")
	line := bufio.NewReader(text)
	c := csv.NewReader(line)
	c.FieldsPerRecord, c.ReuseRecord, c.TrimLeadingSpace = -1, true, true
	return &lines{from: bufio.NewReader(r), text: text, line: line, csv: c}
}

// next returns the fields of the next non-empty line, valid until the next call. It returns io.EOF at the end, a
// *csv.ParseError for a malformed line.
func (l *lines) next() ([]string, error) {
	for {
		text, err := l.from.ReadString('\n')
		if err != nil && (text == "" || !errors.Is(err, io.EOF)) {
			return nil, err
		}
		if l.number++; l.number > mostLines {
			return nil, errLines
		}
		l.text.Reset(text)
		l.line.Reset(l.text)
		record, err := l.csv.Read()
		if !errors.Is(err, io.EOF) { // csv returns io.EOF for an empty line
			return record, err
		}
	}
}
