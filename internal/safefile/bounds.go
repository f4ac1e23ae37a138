package safefile

import (
	"bytes"
	"fmt"
	"io"
	"io/fs"
)

// Limits of a line-based file, such as a CSV file or a log, before it is parsed.
const (
	MostBytes = 256 << 20
	MostLine  = 1 << 20
)

// BoundError is the error for a file that exceeds a limit.
type BoundError string

func (e BoundError) Error() string { return string(e) }

// Most limits r to most bytes; more are a BoundError.
func Most(r io.Reader, most int64) io.Reader { return &bounded{r: r, most: most, line: most} }

// Lines limits r for a parser of lines: more than MostBytes, or a line of more than MostLine, is a BoundError.
func Lines(r io.Reader) io.Reader { return &bounded{r: r, most: MostBytes, line: MostLine} }

// bounded counts the bytes of r and of the current line.
type bounded struct {
	r          io.Reader
	most, line int64
	read, long int64
	number     int // complete lines
}

func (b *bounded) Read(p []byte) (int, error) {
	n, err := b.r.Read(p)
	if b.read += int64(n); b.read > b.most {
		return 0, BoundError("larger than " + size(b.most))
	}
	for text := p[:n]; ; b.number++ {
		i := bytes.IndexByte(text, '\n')
		if b.long += int64(max(i, 0)); i < 0 {
			b.long += int64(len(text))
		}
		if b.long > b.line {
			return 0, BoundError(fmt.Sprintf("line %d is longer than %s", b.number+1, size(b.line)))
		}
		if i < 0 {
			return n, err
		}
		text, b.long = text[i+1:], 0
	}
}

// tooLarge is the error for a file that exceeds most bytes.
func tooLarge(name string, most int64) error {
	return &fs.PathError{Op: "read", Path: name, Err: BoundError("larger than " + size(most))}
}

// size formats a bound in bytes.
func size(bytes int64) string {
	switch {
	case bytes >= 1<<20:
		return fmt.Sprintf("%d MB", bytes>>20)
	case bytes >= 1<<10:
		return fmt.Sprintf("%d kB", bytes>>10)
	}
	return fmt.Sprintf("%d bytes", bytes)
}
