package profiles

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// lockName is the file that one campaign at a time holds in its folder. The
// kernel lets go of it when the process ends in any way.
const lockName = ".lock"

func lockFolder(dir string) (*os.File, error) {
	f, err := os.OpenFile(filepath.Join(dir, lockName), os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return nil, fmt.Errorf("campaign folder: %w", err)
	}
	err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		who, _ := io.ReadAll(io.LimitReader(f, 20))
		f.Close()
		return nil, fmt.Errorf("campaign folder %s is in use by another jtune (process %s); end it, or give another folder", dir, orNone(strings.TrimSpace(string(who))))
	}
	if err != nil {
		f.Close()
		return nil, fmt.Errorf("campaign folder %s: lock: %w", dir, err)
	}
	Own(f.Name())
	if f.Truncate(0) == nil { // the number is for people; the lock holds without it
		fmt.Fprintln(f, os.Getpid())
	}
	return f, nil
}

// unlockFolder lets go of the lock itself before the file is closed: a child
// that is just being forked may hold a copy of the file for a moment.
func unlockFolder(f *os.File) error {
	return errors.Join(syscall.Flock(int(f.Fd()), syscall.LOCK_UN), f.Close())
}
