package config

import (
	"fmt"
	"os"
	"os/user"
	"path/filepath"
	"strings"
	"syscall"
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

// A file system without locks is left by choosing another place, as a folder that cannot be created is.
func TestDeniedAdvisesWhereThereAreNoLocks(t *testing.T) {
	for _, cause := range []error{syscall.ENOSYS, syscall.EOPNOTSUPP, syscall.ENOLCK} {
		if err := Denied(fmt.Errorf("lock: %w", cause), "elsewhere"); !strings.HasSuffix(err.Error(), ": elsewhere") {
			t.Errorf("%v", err)
		}
	}
}
