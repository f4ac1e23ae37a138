package safefile

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"jtune/internal/must"
)

func TestUpdateLosesNoChangeOfTwenty(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lines")
	var all sync.WaitGroup
	for range 20 {
		all.Go(func() {
			err := Update(path, 1<<10, func(before []byte) ([]byte, error) {
				time.Sleep(time.Millisecond) // so that two changes that did not wait would meet
				return append(before, "line\n"...), nil
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	got, err := Read(path, 1<<10)
	if n := strings.Count(string(got), "line\n"); err != nil || n != 20 {
		t.Errorf("%d of 20 lines are in the file, %v", n, err)
	}
}

func TestUpdateWritesNothingWhenTheChangeFails(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lines")
	refused := errors.New("refused")
	if err := Update(path, 1<<10, func([]byte) ([]byte, error) { return []byte("x"), refused }); !errors.Is(
		err,
		refused,
	) {
		t.Errorf("%v, want the change's error", err)
	}
	if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a failed change left a file: %v", err)
	}
}

func TestLockSaysWhoseTimeIsUpAndFollowsNoLink(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "lock")
	unlock, err := Lock(path, 0)
	must.NoError(t, err)
	if _, err := Lock(path, 0); !errors.Is(err, ErrLocked) {
		t.Errorf("a second lock: %v, want ErrLocked", err)
	}
	unlock()
	if unlock, err = Lock(path, 0); err != nil {
		t.Fatalf("after unlocking: %v", err)
	}
	unlock()
	link := filepath.Join(dir, "link")
	must.NoError(t, os.Symlink(path, link))
	if _, err := Lock(link, 0); err == nil {
		t.Error("a lock file that is a link is opened")
	}
}
