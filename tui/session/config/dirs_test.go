package config

import (
	"os"
	"os/user"
	"path/filepath"
	"strings"
	"testing"
)

// A service of the system has no HOME, and one that is no absolute path would lead into the present folder.
func TestFindHomeTakesTheAccountsOwn(t *testing.T) {
	u, err := user.Current()
	if err != nil || !filepath.IsAbs(u.HomeDir) {
		t.Skipf("the account has no home: %v", err)
	}
	t.Cleanup(FindHome) // after the variables are restored
	for _, name := range []string{"HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME"} {
		t.Setenv(name, "")
	}
	for given, want := range map[string]string{"": u.HomeDir, "rel": u.HomeDir, "./x": u.HomeDir, "/a/b": "/a/b"} {
		os.Setenv("HOME", given)
		FindHome()
		for _, got := range []string{(Paths{}).DataPath(), DefaultConfig(), (Paths{}).LogPath()} {
			if !strings.HasPrefix(got, want+"/.") {
				t.Errorf("HOME=%q: %s", given, got)
			}
		}
	}
	os.Unsetenv("HOME")
	FindHome()
	if got := (Paths{}).DataPath(); !strings.HasPrefix(got, u.HomeDir+"/.") {
		t.Errorf("without HOME: %s", got)
	}
}
