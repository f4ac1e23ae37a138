package models

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"jtune/internal/must"
	"jtune/tui/session/config"
)

// A process that was stopped holds the lock for ever: a process that waits for it says so and goes on.
func TestLockModelsGivesUpOnALockThatIsHeld(t *testing.T) {
	t.Cleanup(func(was time.Duration) func() { return func() { lockPatience = was } }(lockPatience))
	lockPatience = 200 * time.Millisecond
	o := config.Paths{DataDir: t.TempDir()}
	unlock := must.Get(lockModels(o))(t)
	if _, err := lockModels(o); err == nil || !strings.Contains(err.Error(), "another jtune has held") {
		t.Errorf("held: %v", err)
	}
	time.AfterFunc(50*time.Millisecond, unlock)
	lockPatience = 3 * time.Minute
	again := must.Get(lockModels(o))(t)
	again()
}

// A folder in the lock's place, and a data directory that is a file.
func TestLockModelsSaysWhatIsInItsWay(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	must.NoError(t, os.MkdirAll(filepath.Join(dir, "models", ".lock"), 0o755))
	if _, err := lockModels(config.Paths{DataDir: dir}); err == nil || !strings.Contains(err.Error(), ".lock") {
		t.Errorf("a folder: %v", err)
	}
	file := filepath.Join(dir, "file")
	must.NoError(t, os.WriteFile(file, nil, 0o600))
	_, err := lockModels(config.Paths{DataDir: file})
	if errno := syscall.ENOTDIR; err == nil || !strings.Contains(err.Error(), errno.Error()) {
		t.Errorf("a file: %v", err)
	}
}
