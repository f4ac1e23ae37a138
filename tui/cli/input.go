package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"
)

// longestLine is the maximum length of an input line; tegrastats prints less than 2 kB.
const longestLine = 1 << 20

// input opens a file that the user named; "-" is standard input.
func input(a *app, name string) (in io.Reader, done func(), err error) {
	if name == "-" {
		return a.in, func() {}, nil
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, nil, err
	}
	return f, func() { f.Close() }, nil
}

// errLongLine reports a line longer than longestLine; reading can continue.
var errLongLine = fmt.Errorf("a line is longer than %d bytes", longestLine)

// errQuiet reports that no line came within the time given.
var errQuiet = errors.New("no line yet")

// scan returns a function that reads the next line; io.EOF at the end, and errQuiet if none comes within a time above
// 0. When ctx ends, a read that is blocked on a pipe is abandoned.
func scan(ctx context.Context, in io.Reader) (next func(within time.Duration) (string, error)) {
	type line struct {
		text string
		err  error
	}
	lines := make(chan line)
	go func() {
		r := bufio.NewReader(in)
		for {
			text, err := readLine(r)
			select {
			case lines <- line{text, err}:
			case <-ctx.Done():
				return
			}
			if err != nil && !errors.Is(err, errLongLine) {
				return
			}
		}
	}()
	return func(within time.Duration) (string, error) {
		var late <-chan time.Time
		if within > 0 {
			late = time.After(within)
		}
		select {
		case l := <-lines:
			return l.text, l.err
		case <-late:
			return "", errQuiet
		case <-ctx.Done():
			return "", ctx.Err()
		}
	}
}

// readLine reads a line without its line ending. It skips a line that is too long and returns errLongLine.
func readLine(r *bufio.Reader) (string, error) {
	var text []byte
	long := false
	for {
		part, err := r.ReadSlice('\n')
		if long = long || len(text)+len(part) > longestLine; !long {
			text = append(text, part...)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
		case err != nil && !(errors.Is(err, io.EOF) && (long || len(text) > 0)):
			return "", err
		case long:
			return "", errLongLine
		default:
			return strings.TrimSuffix(strings.TrimSuffix(string(text), "\n"), "\r"), nil
		}
	}
}
