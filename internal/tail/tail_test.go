package tail

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

func TestTailReadsAGrowingFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	tl := &File{Path: path}
	for _, step := range []struct {
		write string
		want  []string
	}{
		{"", nil},
		{"hello\nred\r\nhalf", []string{"hello", "red"}},
		{" a line\n", []string{"half a line"}},
	} {
		if _, err := f.WriteString(step.write); err != nil {
			t.Fatal(err)
		}
		if got := tl.Next(); !slices.Equal(got, step.want) {
			t.Errorf("after %q: got %q, want %q", step.write, got, step.want)
		}
	}
	if got := (&File{Path: path + "none"}).Next(); got != nil {
		t.Errorf("of no file: %q", got)
	}
}
