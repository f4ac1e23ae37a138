package train

import (
	"os"
	"path/filepath"
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
		must.Equal(t, tl.next(), step.want, step.write)
	}
	must.Equal(t, (&tail{path: path + "none"}).next(), nil)
}
