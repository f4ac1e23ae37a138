package record

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"jtune/internal/safefile"
)

// lockName is the file that one campaign at a time locks in its folder. The kernel releases the
// lock when the process ends in any way.
const lockName = ".lock"

// Lock locks a campaign's folder, so that no other process measures in it.
func Lock(dir string) (unlock func() error, err error) {
	f, err := lockFolder(dir)
	if err != nil {
		return nil, err
	}
	return func() error { return unlockFolder(f) }, nil
}

func lockFolder(dir string) (*os.File, error) {
	f, err := safefile.Open(filepath.Join(dir, lockName), os.O_RDWR)
	if err != nil {
		return nil, fmt.Errorf("campaign folder: %w", err)
	}
	err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		who, _ := io.ReadAll(io.LimitReader(f, 20))
		f.Close()
		return nil, fmt.Errorf(
			"campaign folder %s is in use by another jtune (process %s); end it, or give another folder",
			dir,
			cmp.Or(strings.TrimSpace(string(who)), "none"),
		)
	}
	if err != nil {
		f.Close()
		_ = os.Remove(f.Name()) // of use to nobody, as where the file system has no locks
		return nil, fmt.Errorf("campaign folder %s: lock: %w", dir, err)
	}
	if f.Truncate(0) == nil { // the number is for people; the lock holds without it
		fmt.Fprintln(f, os.Getpid())
	}
	return f, nil
}

// unlockFolder releases the lock before it closes the file: a child that is just being forked
// may hold a copy of the file for a moment.
func unlockFolder(f *os.File) error {
	return errors.Join(syscall.Flock(int(f.Fd()), syscall.LOCK_UN), f.Close())
}
