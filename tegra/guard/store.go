package guard

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"jtune/tegra"
)

// Files of the state folder.
const (
	foundFile = "found.json" // there while knobs are not as they were found
	lastFile  = "last.json"  // the states before modes that were kept, the latest first
	lockFile  = "guard.lock" // held by the guard and its watchdog
	logFile   = "guard.log"
)

// store keeps states on disk. The zero store keeps nothing: a virtual board
// is gone with its process.
type store struct{ dir string }

// stateStore is the state folder of the board below a sysroot.
func stateStore(fsys tegra.FS) (store, error) {
	dir, ok := tegra.HostPath(fsys, StateDir)
	if !ok {
		return store{}, fmt.Errorf("%s lies in no folder of this disk", StateDir)
	}
	return store{dir}, nil
}

func (s store) create() error {
	if err := os.MkdirAll(s.dir, 0o755); err != nil {
		return withKind("state folder", err)
	}
	return nil
}

// save writes a state so that a crash leaves the old file or the new one.
func (s store) save(name string, p Pending) error {
	if s.dir == "" {
		return nil
	}
	data, err := json.Marshal(p)
	if err != nil {
		return err
	}
	full := filepath.Join(s.dir, name)
	if err := writeSynced(full+".new", append(data, '\n')); err != nil {
		return withKind("save the found state", err)
	}
	return os.Rename(full+".new", full)
}

// writeSynced writes a new file to the disk itself. Only the one guard that
// holds the lock writes here.
func writeSynced(name string, data []byte) error {
	f, err := os.OpenFile(name, os.O_CREATE|os.O_TRUNC|os.O_WRONLY|syscall.O_NOFOLLOW, 0o644)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err == nil {
		err = f.Sync()
	}
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	return err
}

// load reads a state; nil when there is none.
func (s store) load(name string) (*Pending, error) {
	if s.dir == "" {
		return nil, nil
	}
	full := filepath.Join(s.dir, name)
	data, err := os.ReadFile(full)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var p Pending
	if err := json.Unmarshal(data, &p); err != nil {
		return nil, fmt.Errorf("%s: %w", full, err)
	}
	return &p, nil
}

// setAside keeps a file that cannot be read under another name.
func (s store) setAside(name string) {
	if s.dir != "" {
		_ = os.Rename(filepath.Join(s.dir, name), filepath.Join(s.dir, name+".damaged"))
	}
}

func (s store) remove(name string) error {
	if s.dir == "" {
		return nil
	}
	if err := os.Remove(filepath.Join(s.dir, name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// lock locks the board for one guard. Where a guard has just ended or was killed
// it waits for the watchdog, which holds the lock until all is restored.
func (s store) lock() (*os.File, error) {
	f, err := os.OpenFile(filepath.Join(s.dir, lockFile), os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, withKind("lock", err)
	}
	for deadline := time.Now().Add(deadOwner); ; time.Sleep(20 * time.Millisecond) {
		err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if err == nil {
			break
		}
		pid := owner(f)
		if alive(pid) || time.Now().After(deadline) {
			f.Close()
			if pid <= 0 {
				name := filepath.Join(s.dir, lockFile)
				return nil, fmt.Errorf("%w: the watchdog of one that has ended still holds %s", ErrBusy, name)
			}
			return nil, fmt.Errorf("%w: pid %d; wait until it is done, or end it", ErrBusy, pid)
		}
	}
	if err := f.Truncate(0); err == nil {
		_, _ = f.WriteAt([]byte(strconv.Itoa(os.Getpid())+"\n"), 0)
	}
	return f, nil
}

// disown removes the pid from the lock file: its guard is about to end.
func disown(f *os.File) { _ = f.Truncate(0) }

func owner(f *os.File) int {
	buf := make([]byte, 32)
	n, _ := f.ReadAt(buf, 0)
	pid, _ := strconv.Atoi(strings.TrimSpace(string(buf[:n])))
	return pid
}

func alive(pid int) bool {
	return pid > 0 && !errors.Is(syscall.Kill(pid, 0), syscall.ESRCH)
}

// withKind adds tegra.ErrPermission to an error that root would not get.
func withKind(what string, err error) error {
	if errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS) {
		return fmt.Errorf("%s: %w: %w", what, tegra.ErrPermission, err)
	}
	return fmt.Errorf("%s: %w", what, err)
}

// PendingRestore looks for a state that a dead guard did not restore; nil when
// there is none. Client.RestorePending restores it.
func PendingRestore(sysroot string) (*Pending, error) {
	s, err := stateStore(tegra.DiskFS(sysroot))
	if err != nil || s.locked() {
		return nil, err
	}
	return s.load(foundFile)
}

// locked reports whether a guard is at work, or its watchdog restoring.
func (s store) locked() bool {
	f, err := os.Open(filepath.Join(s.dir, lockFile))
	if err != nil {
		return false
	}
	defer f.Close()
	return errors.Is(syscall.Flock(int(f.Fd()), syscall.LOCK_SH|syscall.LOCK_NB), syscall.EWOULDBLOCK)
}
