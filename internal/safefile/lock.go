package safefile

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
	"time"
)

// ErrLocked means that another process held a lock for all of the time that Lock waited.
var ErrLocked = errors.New("another process holds the lock")

const lockEvery = 20 * time.Millisecond

// Lock waits until no other process holds the lock file at path, for at most wait, and creates the file if needed. The
// kernel releases the lock when the process ends in any way. The file stays: removing it would let two processes hold
// one each. A file system without locks is an error that errors.Is with errors.ErrUnsupported.
func Lock(path string, wait time.Duration) (unlock func(), err error) {
	f, err := Open(path, os.O_RDWR)
	if err != nil {
		return nil, err
	}
	for end := time.Now().Add(wait); ; time.Sleep(lockEvery) {
		err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		waits := errors.Is(err, syscall.EWOULDBLOCK) || errors.Is(err, syscall.EINTR)
		if !waits || time.Now().After(end) {
			break
		}
	}
	if err == nil {
		return func() {
			_ = syscall.Flock(int(f.Fd()), syscall.LOCK_UN) // before closing: a child being forked may hold a copy
			f.Close()
		}, nil
	}
	f.Close()
	if errors.Is(err, syscall.EWOULDBLOCK) {
		err = ErrLocked
	}
	return nil, &fs.PathError{Op: "lock", Path: path, Err: err}
}

// Update replaces the file at path with what change makes of its content (nil: there is none), under a lock file beside
// it, so that no change of another process is lost. Nothing is written if change fails.
func Update(path string, most int64, change func(before []byte) ([]byte, error)) error {
	unlock, err := Lock(path+".lock", updateWait)
	if err != nil {
		return err
	}
	defer unlock()
	before, err := Read(path, most)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	after, err := change(before)
	if err != nil {
		return err
	}
	return Replace(path, after)
}

const updateWait = 10 * time.Second
