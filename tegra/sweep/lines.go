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

// lines reads records of CSV, each of them one line: a quote that is open at
// the line's end is that line's error and does not swallow the next ones.
type lines struct {
	from   *bufio.Reader
	text   *strings.Reader
	line   *bufio.Reader // on text
	csv    *csv.Reader   // on line
	number int           // of the line read last, from 1
}

var errLines = safefile.BoundError("more than " + text.Thousands(mostLines) + " lines")

func newLines(r io.Reader) *lines {
	text := strings.NewReader("")
	line := bufio.NewReader(text)
	c := csv.NewReader(line)
	c.FieldsPerRecord, c.ReuseRecord, c.TrimLeadingSpace = -1, true, true
	return &lines{from: bufio.NewReader(r), text: text, line: line, csv: c}
}

// next returns the fields of the next line that is not empty; they hold until
// the next call. io.EOF comes at the end, a *csv.ParseError for a line that
// cannot be taken apart.
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
		if !errors.Is(err, io.EOF) { // an empty line returns it
			return record, err
		}
	}
}
