package sweep

import (
	"bufio"
	"encoding/csv"
	"errors"
	"io"
	"regexp"
	"strings"

	"jtune/internal/safefile"
	"jtune/internal/text"
)

// Lines reads CSV with one record per line: a quote left open is an error of its line and does not swallow the
// following ones. Where the first line has no comma, semicolons or tabs separate the fields, and numbers may have a
// decimal comma.
type Lines struct {
	Number int // number of the last line read, from 1

	most int
	from *bufio.Reader
	text *strings.Reader
	line *bufio.Reader // reads text
	csv  *csv.Reader   // reads line; nil before the first one
}

func errLines(most int) error {
	return safefile.BoundError("more than " + text.Thousands(most) + " lines")
}

// NewLines returns a reader, which refuses more lines than most.
func NewLines(r io.Reader, most int) *Lines {
	text := strings.NewReader("")
	return &Lines{most: most, from: bufio.NewReader(r), text: text, line: bufio.NewReader(text)}
}

// decimalComma matches a number in the notation of many spreadsheets.
var decimalComma = regexp.MustCompile(`^\s*-?\d+,\d+\s*$`)

// Next returns the fields of the next non-empty line, valid until the next call. It returns io.EOF at the end, a
// *csv.ParseError for a malformed line.
func (l *Lines) Next() ([]string, error) {
	for {
		text, err := l.from.ReadString('\n')
		if err != nil && (text == "" || !errors.Is(err, io.EOF)) {
			return nil, err
		}
		if l.Number++; l.Number > l.most {
			return nil, errLines(l.most)
		}
		l.text.Reset(text)
		l.line.Reset(l.text)
		if l.csv == nil && strings.TrimSpace(text) == "" {
			continue
		}
		if l.csv == nil {
			l.start(text)
		}
		record, err := l.csv.Read()
		if errors.Is(err, io.EOF) { // an empty line
			continue
		}
		for i, cell := range record {
			if l.csv.Comma != ',' && decimalComma.MatchString(cell) {
				record[i] = strings.Replace(cell, ",", ".", 1)
			}
		}
		return record, err
	}
}

// start chooses what separates fields by the first line.
func (l *Lines) start(text string) {
	l.csv = csv.NewReader(l.line)
	l.csv.FieldsPerRecord, l.csv.ReuseRecord = -1, true
	if i := strings.IndexAny(text, ";\t"); i >= 0 && !strings.Contains(text, ",") {
		l.csv.Comma = rune(text[i])
	}
	l.csv.TrimLeadingSpace = l.csv.Comma != '\t'
}
