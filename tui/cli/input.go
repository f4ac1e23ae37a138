package cli

import (
	"bufio"
	"cmp"
	"context"
	"io"
	"os"
)

// longestLine bounds a line of input; tegrastats prints less than 2 kB.
const longestLine = 1 << 20

// input opens a file that the user named; "-" is standard input.
func (a *app) input(name string) (in io.Reader, done func(), err error) {
	if name == "-" {
		return a.in, func() {}, nil
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, nil, err
	}
	return f, func() { f.Close() }, nil
}

// scan gives what reads one line after the other; io.EOF at the end. A read
// that waits on a silent pipe is left alone when ctx ends.
func scan(ctx context.Context, in io.Reader) (next func() (string, error)) {
	lines, ended := make(chan string), make(chan error, 1)
	go func() {
		s := bufio.NewScanner(in)
		s.Buffer(nil, longestLine)
		for s.Scan() {
			select {
			case lines <- s.Text():
			case <-ctx.Done():
				return
			}
		}
		ended <- cmp.Or(s.Err(), io.EOF)
	}()
	return func() (string, error) {
		select {
		case text := <-lines:
			return text, nil
		case err := <-ended:
			return "", err
		case <-ctx.Done():
			return "", ctx.Err()
		}
	}
}
