package csvlines

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"

	"jtune/internal/must"
	"jtune/internal/safefile"
)

// The fields of each line are those between its commas, however the file arrives; a line that is too long is one bad
// line.
func TestEachReadsLineByLine(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 2*safefile.MostLine)
	for text, want := range map[string]string{
		"a,b\n1,2\n\n3,4\n":             "1 a b|2 1 2|4 3 4",
		"a,b\n1,2\n3,4":                 "1 a b|2 1 2|torn",
		"a,virtual\n1,true\n2,false":    "1 a|2 1|3 2",
		"a,virtual\n1,true\n2,fal":      "1 a|2 1|torn",
		"a,virtual\n1,2,true\n3,true\n": "1 a|2 !3 fields, want 2|3 3",
		"a,b\n" + long + "\n1,2\n":      "1 a b|2 !longer than 1 MB|3 1 2",
		"a,b\n" + long:                  "1 a b|torn",
		"a,b\n1,\"2\n3,4\n":             `1 a b|2 !parse error on line 1, column 6: extraneous or missing " in quoted-field|3 3 4`,
		"":                              "",
	} {
		for _, r := range []io.Reader{strings.NewReader(text), iotest.HalfReader(strings.NewReader(text))} {
			var got []string
			torn, err := Each(r, func(n int, fields []string, err error) error {
				line := strings.Join(fields, " ")
				if err != nil {
					line = "!" + err.Error()
				}
				got = append(got, string(rune('0'+n))+" "+line)
				return err
			})
			if torn {
				got = append(got, "torn")
			}
			if is := strings.Join(got, "|"); err != nil || is != want {
				t.Errorf("%.20q: got %q, %v, want %q", text, is, err, want)
			}
		}
	}
	bad := errors.New("bad disk")
	if _, err := Each(iotest.ErrReader(bad), func(int, []string, error) error { return nil }); !errors.Is(err, bad) {
		t.Errorf("a file that cannot be read: %v", err)
	}
}

// The ends of a file show where the next line belongs, also behind a torn line of any length.
func TestReadEndsFindsTheLastWholeLine(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", safefile.MostLine)
	for text, want := range map[string]struct {
		last  string
		whole int64
	}{
		"": {"", 0}, "a": {"a", 0}, "a\n": {"", 2}, "a\nb": {"b", 2}, "a\nb\n": {"", 4}, "\n": {"", 1},
		"a\n" + long: {long, 2}, "a\n" + long + "x": {"", 2}, long + long + "\nb": {"b", 2*safefile.MostLine + 1},
	} {
		path := filepath.Join(t.TempDir(), "x.csv")
		must.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		got, err := ReadEnds(path)
		if err != nil || string(got.Last) != want.last || got.Whole != want.whole || got.Size != int64(len(text)) ||
			string(got.Begin) != text[:min(len(text), safefile.MostLine)] {
			t.Errorf("%.20q of %d bytes: %d whole, last of %d, begin of %d, %d bytes, %v", text, len(text), got.Whole,
				len(got.Last), len(got.Begin), got.Size, err)
		}
	}
	if _, err := ReadEnds(filepath.Join(t.TempDir(), "x")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
}

// A line without its newline counts where its last column is whole. Any other is being written now.
func TestCompleteNeedsTheWholeLastColumn(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]bool{"1,true": true, "1,false": true, "1,fals": false, "true,fals": false,
		"false,tru": false, "true": false, "1,2,true": false, "1,\"": false} {
		if got := Complete([]byte(line), 2); got != want {
			t.Errorf("%s: %v", line, got)
		}
	}
}
