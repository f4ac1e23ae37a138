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

	"jtune/internal/procid"
	"jtune/tegra"
)

// Files of the state folder.
const (
	foundFile = "found.json" // exists while knobs are not restored
	lastFile  = "last.json"  // states before kept modes, latest first
	lockFile  = "guard.lock" // held by the guard and its watchdog
)

// store keeps states on disk. The zero store keeps nothing, as for a virtual board, which ends with its process.
type store struct {
	dir *os.Root
	// write replaces the write to a file in tests; nil: an ordinary write.
	write func(f *os.File, data []byte) (int, error)
}

// stateStore returns the state folder of the board below a sysroot. If it is absent, create makes it; otherwise the
// store keeps nothing.
func stateStore(fsys tegra.FS, create bool) (store, error) {
	dir, err := tegra.OpenDir(fsys, StateDir, create)
	if !create && errors.Is(err, fs.ErrNotExist) {
		return store{}, nil
	}
	if err != nil {
		return store{}, withKind("state folder", err)
	}
	return store{dir: dir}, nil
}

// path returns a file's path for error messages.
func (s store) path(name string) string { return filepath.Join(s.dir.Name(), name) }

// save writes a state atomically: a crash leaves the old file or the new one.
func (s store) save(name string, p Pending) error {
	if s.dir == nil {
		return nil
	}
	data, err := json.Marshal(p)
	if err != nil {
		return err
	}
	if err := s.writeSynced(name+".new", append(data, '\n')); err != nil {
		return withKind("save the found state", err)
	}
	if err := s.dir.Rename(name+".new", name); err != nil {
		return withKind("save the found state", err)
	}
	return nil
}

// writeSynced writes a new file and syncs it to disk. Only the guard that holds the lock calls it.
func (s store) writeSynced(name string, data []byte) error {
	if err := s.remove(name); err != nil {
		return err
	}
	f, err := s.dir.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	write := (*os.File).Write
	if s.write != nil {
		write = s.write
	}
	_, err = write(f, data)
	if err == nil {
		err = f.Sync()
	}
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		_ = s.remove(name) // on a full disk, to free its space
	}
	return err
}

// load reads a state; nil if there is none.
func (s store) load(name string) (*Pending, error) {
	if s.dir == nil {
		return nil, nil
	}
	data, err := s.dir.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var p Pending
	if err = json.Unmarshal(data, &p); err == nil && len(p.State.Files) == 0 {
		err = errors.New("it holds no files")
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %s: %w; a reboot resets the board, or set it as it should be and remove the file",
			ErrDamaged, s.path(name), err)
	}
	return &p, nil
}

// setAside renames an unreadable file to keep it.
func (s store) setAside(name string) {
	if s.dir != nil {
		_ = s.dir.Rename(name, name+".damaged")
	}
}

func (s store) remove(name string) error {
	if s.dir == nil {
		return nil
	}
	if err := s.dir.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// lock locks the board for one guard. If a guard has just ended, it waits for the watchdog, which holds the lock until
// the state is restored. No other user may open the file: locking needs no write permission.
func (s store) lock() (*os.File, error) {
	if st, err := s.dir.Lstat(lockFile); err == nil && !st.Mode().IsRegular() {
		return nil, fmt.Errorf("lock: %s is not a regular file: remove it", s.path(lockFile))
	}
	f, err := s.dir.OpenFile(lockFile, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, withKind("lock", err)
	}
	if err := f.Chmod(0o600); err != nil { // earlier versions made it readable
		f.Close()
		return nil, withKind("lock", err)
	}
	for deadline := time.Now().Add(deadOwner); ; time.Sleep(20 * time.Millisecond) {
		err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if err == nil {
			break
		}
		if !errors.Is(err, syscall.EWOULDBLOCK) && !errors.Is(err, syscall.EINTR) {
			f.Close()
			return nil, fmt.Errorf("lock %s: %w", s.path(lockFile), err)
		}
		pid := owner(f)
		if alive(pid) || time.Now().After(deadline) {
			f.Close()
			if pid <= 0 {
				return nil, fmt.Errorf("%w: its watchdog still restores the board and holds %s; wait a minute", ErrBusy,
					s.path(lockFile))
			}
			return nil, fmt.Errorf("%w: process %d; wait until its jtune ends, or kill %[2]d, which restores the board",
				ErrBusy, pid)
		}
	}
	if err := f.Truncate(0); err == nil {
		_, _ = f.WriteAt([]byte(fmt.Sprintf("%d\n%s\n", os.Getpid(), procid.Of(os.Getpid()))), 0)
	}
	return f, nil
}

// disown removes the pid from the lock file before its guard ends.
func disown(f *os.File) { _ = f.Truncate(0) }

// owner returns the process that wrote the lock file; 0 for none, and if another process has its number now.
func owner(f *os.File) int {
	buf := make([]byte, 100)
	n, _ := f.ReadAt(buf, 0)
	number, id, _ := strings.Cut(strings.TrimSpace(string(buf[:n])), "\n")
	pid, _ := strconv.Atoi(number)
	if now := procid.Of(pid); id != "" && now != "" && id != now {
		return 0
	}
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

// PendingRestore returns the state that a dead guard left unrestored; nil if there is none. Client.RestorePending
// restores it.
func PendingRestore(sysroot string) (*Pending, error) {
	s, err := stateStore(tegra.DiskFS(sysroot), false)
	if err != nil || s.locked() {
		return nil, err
	}
	return s.load(foundFile)
}

// locked reports whether a guard is running, or its watchdog restoring. If the lock file is not accessible, it looks
// for its inode in /proc/locks: "1: FLOCK ADVISORY WRITE pid major:minor:inode 0 EOF".
func (s store) locked() bool {
	if s.dir == nil {
		return false
	}
	if f, err := s.dir.Open(lockFile); err == nil {
		defer f.Close()
		return errors.Is(syscall.Flock(int(f.Fd()), syscall.LOCK_SH|syscall.LOCK_NB), syscall.EWOULDBLOCK)
	}
	st, err := s.dir.Lstat(lockFile)
	if err != nil {
		return false
	}
	file, ok := st.Sys().(*syscall.Stat_t)
	table, err := os.ReadFile("/proc/locks")
	if err != nil || !ok {
		return false
	}
	inode := strconv.FormatUint(file.Ino, 10)
	for line := range strings.Lines(string(table)) {
		f := strings.Fields(line)
		if len(f) > 5 && f[1] == "FLOCK" && f[3] == "WRITE" && strings.HasSuffix(f[5], ":"+inode) {
			return true
		}
	}
	return false
}
