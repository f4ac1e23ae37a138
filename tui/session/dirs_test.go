package session

import (
	"os"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"jtune/internal/safefile"
)

// What root does through sudo for a user is kept in that user's home, and is
// that user's down from the folders above.
func TestRootBehindSudoWorksInTheCallersHome(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("needs root, to be called through sudo")
	}
	caller := anyUserWithAHome(t)
	t.Setenv("SUDO_UID", caller.Uid)
	t.Setenv("SUDO_GID", caller.Gid)
	for _, variable := range []string{"XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME"} {
		t.Setenv(variable, "")
	}
	if got, want := (Options{}).dataDir(), filepath.Join(caller.HomeDir, ".local/share/jtune"); got != want {
		t.Errorf("data in %s, want %s", got, want)
	}
	if got, want := defaultConfig(), filepath.Join(caller.HomeDir, ".config/jtune/config.toml"); got != want {
		t.Errorf("settings in %s, want %s", got, want)
	}
	t.Setenv("XDG_CONFIG_HOME", "/elsewhere")
	if got := defaultConfig(); strings.HasPrefix(got, caller.HomeDir+"/.config") {
		t.Errorf("settings in %s although XDG_CONFIG_HOME names another folder", got)
	}
	top := t.TempDir()
	if err := safefile.MakeDir(filepath.Join(top, "jtune", "campaigns")); err != nil {
		t.Fatal(err)
	}
	if got := ownerOf(t, filepath.Join(top, "jtune")); got != caller.Uid {
		t.Errorf("the folder above belongs to %s, want %s", got, caller.Uid)
	}
}

// anyUserWithAHome is one of this machine's users, not root, whose home is there.
func anyUserWithAHome(t *testing.T) *user.User {
	t.Helper()
	text, err := os.ReadFile("/etc/passwd")
	if err != nil {
		t.Skip(err)
	}
	for line := range strings.Lines(string(text)) {
		u, err := user.Lookup(strings.Split(line, ":")[0])
		if err != nil || u.Uid == "0" {
			continue
		}
		if st, err := os.Stat(u.HomeDir); err == nil && st.IsDir() {
			return u
		}
	}
	t.Skip("no user with a home but root")
	return nil
}

func ownerOf(t *testing.T, path string) string {
	t.Helper()
	st, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	return strconv.Itoa(int(st.Sys().(*syscall.Stat_t).Uid))
}
