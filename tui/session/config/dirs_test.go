package config

import (
	"fmt"
	"os"
	"os/user"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"jtune/internal/testhome"
	"jtune/internal/tomlfile"
	"jtune/internal/tools/reliability"
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

// TestMain keeps the tests away from the user's own files and jobs.
func TestMain(m *testing.M) { os.Exit(testhome.Run(m.Run)) }

// The largest files that are decoded, with a fault in every line: each takes a second of computing at most, and not
// all faults are looked up.
func TestCheckConfigOfAFileOfFaultsEnds(t *testing.T) { // not parallel: it measures the process
	for name, form := range map[string]string{
		"keys":               "k%d = 1\n",
		"tables":             "[t%d]\n",
		"tables of keys":     "[t%[1]d]\nk%[1]d = 1\n",
		"colours":            "theme.c%d = 'x'\n",
		"actions":            "keys.a%d = ['x']\n",
		"boards":             "board.b%d = {ssh = '-x'}\n",
		"keys of boards":     "board.b.k%d = 1\n",
		"keys of a workload": "workload.w.k%d = 1\n",
		"workloads":          "workload.w%d.batch = -1\n",
		"long names":         "'" + strings.Repeat("x", 90) + "%d' = 1\n",
	} {
		t.Run(name, func(t *testing.T) {
			var b strings.Builder
			for i := range 4900 {
				fmt.Fprintf(&b, form, i)
			}
			end := reliability.Input(t)
			faults := CheckConfig("f.toml", b.String(), ScreenTables{
				CheckKeys:  func(map[string][]string) (string, error) { return "a1", fmt.Errorf("unknown") },
				CheckTheme: func(map[string]string) (string, error) { return "c1", fmt.Errorf("unknown") },
			})
			end()
			if len(faults) == 0 || len(faults) > 3*tomlfile.MostFaults {
				t.Errorf("%d faults", len(faults))
			}
		})
	}
}
