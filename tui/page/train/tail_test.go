package train

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"jtune/internal/must"
)

func TestTailReadsAGrowingFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log")
	f := must.Get(os.Create(path))(t)
	defer f.Close()
	tl := &tail{path: path}
	for _, step := range []struct {
		write string
		want  []string
	}{
		{"", nil},
		{"hello\nred\r\nhalf", []string{"hello", "red"}},
		{" a line\n", []string{"half a line"}},
	} {
		_, err := f.WriteString(step.write)
		must.NoError(t, err)
		if got := tl.next(); !slices.Equal(got, step.want) {
			t.Errorf("after %q: got %q, want %q", step.write, got, step.want)
		}
	}
	if got := (&tail{path: path + "none"}).next(); got != nil {
		t.Errorf("of no file: %q", got)
	}
}
