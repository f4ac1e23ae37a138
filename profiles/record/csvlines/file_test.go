package csvlines

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"jtune/internal/must"
)

// disk counts how often it is synced.
type disk struct {
	text   bytes.Buffer
	synced int
}

func (d *disk) Write(p []byte) (int, error) { return d.text.Write(p) }

func (d *disk) Sync() error { d.synced++; return nil }

func (d *disk) Close() error { return nil }

func (d *disk) Truncate(size int64) error { d.text.Truncate(int(size)); return nil }

// Lines wait in memory until there are a megabyte of them; a flush writes them whole, a cut sets where the next begin.
func TestFileWritesManyLinesAtOnce(t *testing.T) {
	t.Parallel()
	to := &disk{}
	a := &File{name: "x.csv", f: to, mark: []string{"true"}}
	a.Add([]string{"1", "a"})
	if err := a.Spill(); err != nil || to.text.Len() > 0 {
		t.Errorf("a line is written at once: %d bytes, %v", to.text.Len(), err)
	}
	a.wait.WriteString(strings.Repeat("b", spillAt-a.wait.Len()))
	const waiting = spillAt
	if err := a.Spill(); err != nil || to.text.Len() != waiting || a.wait.Len() != 0 || a.size != int64(waiting) {
		t.Errorf("of %d bytes %d are written, %v", waiting, to.text.Len(), err)
	}
	if err := a.Cut(9); err != nil || a.size != 9 || to.text.Len() != 9 {
		t.Errorf("cut to 9 bytes: %d of %d, %v", to.text.Len(), a.size, err)
	}
	if err := a.Flush(true); err != nil || to.text.Len() != 9 || to.synced != 0 {
		t.Errorf("nothing waits: %d bytes, %v", to.text.Len(), err)
	}
	a.Add([]string{"2", "c"})
	if err := a.Flush(true); err != nil || to.synced != 1 {
		t.Errorf("synced %d times, %v; a power cut may take what is not", to.synced, err)
	}
}

// The columns of a file come from its first line, once that is whole.
func TestColumnsOfAFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for text, want := range map[string][]string{"": nil, "t_s,why": nil, "t_s,why\n1,": {"t_s", "why"},
		"t_s,virtual\n": {"t_s"}, "virtual\n": {}, "\"\n": nil} {
		path := filepath.Join(dir, "x.csv")
		must.NoError(t, os.WriteFile(path, []byte(text), 0o644))
		if got := Columns(path); !slices.Equal(got, want) || (got == nil) != (want == nil) {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	if got := Columns(filepath.Join(dir, "none.csv")); got != nil {
		t.Errorf("of no file: %q", got)
	}
}
