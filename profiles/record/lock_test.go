package record

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"jtune/internal/must"
)

// A lock that cannot be had is an error that says why, and one that was given back can be had again.
func TestLockFailsWithItsReason(t *testing.T) {
	t.Parallel()
	for name, made := range map[string]func(dir, lock string) error{
		"no such file":       func(dir, _ string) error { return os.Remove(dir) },
		"is a directory":     func(_, lock string) error { return os.Mkdir(lock, 0o755) },
		"levels of symbolic": func(_, lock string) error { return os.Symlink(os.Args[0], lock) },
	} {
		dir := filepath.Join(t.TempDir(), "c")
		must.NoError(t, os.Mkdir(dir, 0o755))
		must.NoError(t, made(dir, filepath.Join(dir, lockName)))
		if _, err := Lock(dir); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%v, want %q", err, name)
		}
	}
	dir := t.TempDir()
	for range 2 {
		unlock := must.Get(Lock(dir))(t)
		want := fmt.Sprintf("in use by another jtune (process %d)", os.Getpid())
		if _, err := Lock(dir); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("held: %v, want %q", err, want)
		}
		if err := os.Truncate(filepath.Join(dir, lockName), 0); err != nil { // as on a full disk
			t.Fatal(err)
		}
		if _, err := Lock(dir); err == nil || !strings.Contains(err.Error(), "process none") {
			t.Errorf("held by nobody who said so: %v", err)
		}
		if err := unlock(); err != nil {
			t.Error(err)
		}
	}
}
