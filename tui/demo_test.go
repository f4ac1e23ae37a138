package tui_test

import (
	"fmt"
	"io/fs"
	"path/filepath"
	"testing"

	"jtune/internal/must"
	"jtune/tui"
)

// TestTmuxDemoLeavesNothingBehind ends the demo by its keys, once at its end, which it reaches only if each step shows
// what it should: the terminal is restored, and no files are left in the user's folders or that for temporary files.
func TestTmuxDemoLeavesNothingBehind(t *testing.T) {
	if testing.Short() {
		t.Skip("builds and runs the whole program")
	}
	t.Parallel()
	bin := must.Get(program())(t)
	for key, at := range map[string]string{"q": tui.TourEnd, "C-c": " so far "} {
		t.Run(key, func(t *testing.T) {
			t.Parallel()
			home := t.TempDir()
			s := inTerminal(t, fmt.Sprintf("env LANG=C.UTF-8 HOME=%[1]s XDG_CONFIG_HOME=%[1]s XDG_STATE_HOME=%[1]s "+
				"XDG_DATA_HOME=%[1]s XDG_CACHE_HOME=%[1]s TMPDIR=%[1]s %[2]s demo --fast; echo it is over; "+
				"exec sleep 600", home, bin))
			s.sees(at)
			s.press(key)
			s.sees("it is over")
			must.Equal(t, s.tmux("display-message", "-p", "#{alternate_on}"), "0\n")
			must.NoError(t, filepath.WalkDir(home, func(path string, e fs.DirEntry, err error) error {
				if err == nil && path != home {
					t.Errorf("the demo left %s", path)
				}
				return err
			}))
		})
	}
}
