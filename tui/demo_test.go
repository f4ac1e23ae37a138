package tui_test

import (
	"context"
	"io/fs"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"jtune/internal/must"
	watched "jtune/internal/tools/terminal"
)

// TestDemoLeavesNothingBehind ends the demo by its keys: the terminal is restored, and no files are left in the user's
// folders or the folder for temporary files.
func TestDemoLeavesNothingBehind(t *testing.T) {
	if testing.Short() {
		t.Skip("builds and runs the whole program")
	}
	t.Parallel()
	bin, err := program()
	must.NoError(t, err)
	for name, key := range map[string]string{"q": "q", "ctrl+c": "\x03"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			home := t.TempDir()
			cmd := exec.Command(bin, "demo", "--fast")
			cmd.Env = append(watched.Environ(home), "XDG_DATA_HOME="+home, "XDG_CACHE_HOME="+home, "TMPDIR="+home)
			var out strings.Builder
			term, err := watched.Open(cmd, 80, 24, func(_ time.Duration, b []byte) { out.Write(b) })
			must.NoError(t, err)
			defer term.Close()
			_, err = term.Until(context.Background(), patience, func(screen string) bool {
				return strings.Contains(screen, " so far ")
			})
			must.NoError(t, err)
			must.NoError(t, term.Press(key))
			must.NoError(t, term.Wait(patience))
			if !strings.Contains(out.String(), "\x1b[?1049l") {
				t.Errorf("the terminal's own screen is not back; the output ends with %q",
					out.String()[max(0, out.Len()-200):])
			}
			err = filepath.WalkDir(home, func(path string, e fs.DirEntry, err error) error {
				if err == nil && path != home {
					t.Errorf("the demo left %s", path)
				}
				return err
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
}
