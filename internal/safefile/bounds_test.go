package safefile

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"

	"jtune/internal/must"
)

// zeros is an endless line of zeros.
type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }

func TestLinesEndsWhatIsTooLong(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", MostLine)
	for name, c := range map[string]struct {
		r    io.Reader
		want string
	}{
		"lines of the largest size": {strings.NewReader(long + "\n" + long + "\n" + long), ""},
		"one byte more":             {strings.NewReader("a\n" + long + "x\n"), "line 2 is longer than 1 MB"},
		"no end":                    {zeros{}, "line 1 is longer than 1 MB"},
		"byte by byte":              {iotest.OneByteReader(strings.NewReader("a\nb\nc")), ""},
		"many lines":                {&again{text: strings.Repeat("a\n", 1<<15)}, "larger than 256 MB"},
	} {
		_, err := io.Copy(io.Discard, Lines(c.r))
		if c.want == "" && err != nil || c.want != "" && (err == nil || err.Error() != c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
	if _, err := io.ReadAll(Most(strings.NewReader("abc"), 2)); err == nil {
		t.Error("three bytes where two may be")
	}
}

// again is an endless repetition of a text.
type again struct{ text string }

func (a *again) Read(p []byte) (int, error) { return copy(p, a.text), nil }

func TestReadTakesRegularFilesUpToTheirBound(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "f")
	must.NoError(t, os.WriteFile(path, []byte("abc"), 0o644))
	if text, err := Read(path, 3); err != nil || string(text) != "abc" {
		t.Errorf("%q, %v", text, err)
	}
	if text, err := ReadIfThere(path+"2", 3); err != nil || text != nil {
		t.Errorf("of no file %q, %v", text, err)
	}
	var bound BoundError
	if _, err := ReadIfThere(path, 2); !errors.As(err, &bound) || bound != "larger than 2 bytes" {
		t.Errorf("three bytes where two may be: %v", err)
	}
	must.NoError(t, os.Truncate(path, 64<<10+1))
	if _, err := Read(path, 64<<10); !errors.As(err, &bound) || bound != "larger than 64 kB" {
		t.Errorf("one byte too many: %v", err)
	}
	if _, err := Read(filepath.Dir(path), 3); err == nil {
		t.Error("a folder is read")
	}
}
