package telemetry

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"jtune/internal/must"
	"jtune/tegra"
)

// dropped writes a file through to the disk and throws it out of the page
// cache; false where the file system keeps it there.
func dropped(t *testing.T, path string) bool {
	t.Helper()
	f := must.Get(os.Open(path))(t)
	defer f.Close()
	var st unix.Statfs_t
	must.NoError(t, unix.Fstatfs(int(f.Fd()), &st))
	must.NoError(t, unix.Fdatasync(int(f.Fd())))
	must.NoError(t, unix.Fadvise(int(f.Fd()), 0, 0, unix.FADV_DONTNEED))
	return st.Type != unix.TMPFS_MAGIC && st.Type != unix.RAMFS_MAGIC
}

func TestDatasetCachedFollowsReadingAndDropping(t *testing.T) {
	dir := t.TempDir()
	hot, cold := filepath.Join(dir, "hot"), filepath.Join(dir, "deep", "cold")
	must.NoError(t, os.MkdirAll(filepath.Dir(cold), 0o755))
	for path, size := range map[string]int{hot: 1 << 20, cold: 3<<20 + 17} {
		must.NoError(t, os.WriteFile(path, bytes.Repeat([]byte("x"), size), 0o644))
	}
	must.NoError(t, os.WriteFile(filepath.Join(dir, "empty"), nil, 0o644))
	d, err := ListDataset(dir)
	must.NoError(t, err)
	if d.Files != 2 || d.Bytes != 4<<20+17 {
		t.Fatalf("%d files of %d bytes, want 2 of %d", d.Files, d.Bytes, 4<<20+17)
	}
	if got, err := d.Cached(); got != tegra.Some(1.0) {
		t.Errorf("just written: %v (%v), want all in memory", got, err)
	}
	if !dropped(t, hot) || !dropped(t, cold) {
		t.Skip("a file system in memory: nothing can be dropped")
	}
	if got, err := d.Cached(); !got.OK || got.V > 0.02 {
		t.Errorf("dropped: %v (%v), want almost nothing in memory", got, err)
	}
	_, err = os.ReadFile(hot)
	must.NoError(t, err)
	if got, err := d.Cached(); !got.OK || got.V < 0.24 || got.V > 0.30 {
		t.Errorf("one of four megabytes read again: %v (%v), want a quarter in memory", got, err)
	}
}

// The older call must count the pages that the newer one counts.
func TestDatasetCachedIsTheSameByBothSystemCalls(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	must.NoError(t, os.WriteFile(path, make([]byte, 1<<20+5), 0o644))
	dropped(t, path)
	f := must.Get(os.Open(path))(t)
	defer f.Close()
	for _, read := range []int{0, 5000, 1 << 20} {
		_, err := f.ReadAt(make([]byte, read), 0)
		must.NoError(t, err)
		old := must.Get(mincore(f, 1<<20+5))(t)
		if now, err := cachestat(f); err != nil {
			t.Skip("this kernel has no cachestat: ", err)
		} else if now != old {
			t.Errorf("after %d bytes read: cachestat %d pages, mincore %d", read, now, old)
		}
	}
}

// Kernels before Linux 6.5 have the older call alone.
func TestDatasetIsCountedByKernelsWithoutCachestat(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	must.NoError(t, os.WriteFile(path, make([]byte, 3*os.Getpagesize()), 0o644))
	f, err := os.Open(path)
	must.NoError(t, err)
	defer f.Close()
	for _, c := range []struct {
		err  error
		want int64
	}{{unix.ENOSYS, 3}, {nil, 2}, {unix.EPERM, 2}} {
		newer := func(*os.File) (int64, error) { return 2, c.err }
		got, err := pagesOf(f, 3*int64(os.Getpagesize()), newer)
		if got != c.want || (err != nil) != (c.err == unix.EPERM) {
			t.Errorf("%v of the newer call: %d pages, %v; want %d", c.err, got, err, c.want)
		}
	}
	f.Close()
	if _, err := cachestat(f); err == nil {
		t.Error("a closed file has pages")
	}
}

// The kernel shows other users' files only to those who may write them.
func TestDatasetOfAnotherUserSaysWhoSeesIt(t *testing.T) {
	f := must.Get(os.Open("/etc/passwd"))(t)
	defer f.Close()
	done := make(chan error)
	go func() {
		runtime.LockOSThread() // the thread ends with this goroutine, and the identity with it
		if os.Geteuid() == 0 {
			const nobody = 65534
			if _, _, errno := unix.RawSyscall(unix.SYS_SETRESUID, nobody, nobody, nobody); errno != 0 {
				t.Error(errno)
			}
		}
		_, err := mincore(f, 1)
		done <- err
	}()
	if err := <-done; !errors.Is(err, fs.ErrPermission) || !strings.Contains(err.Error(), "owner") {
		t.Errorf("a file of root: %v", err)
	}
	if os.Geteuid() == 0 {
		if _, err := mincore(f, 1); err != nil {
			t.Errorf("root: %v", err)
		}
	}
}

func TestDatasetOfManyFilesIsCheckedAtEqualDistances(t *testing.T) {
	t.Parallel()
	list := strings.Split("abcdefghi", "")
	for most, want := range map[int]string{20: "abcdefghi", 9: "abcdefghi", 8: "acegi", 5: "acegi", 4: "adg"} {
		if got := strings.Join(evenly(list, most), ""); got != want {
			t.Errorf("at most %d: %q, want %q", most, got, want)
		}
	}
}

func TestDatasetBehindALinkIsItsFiles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, err := range []error{os.Mkdir(filepath.Join(dir, "real"), 0o755),
		os.Symlink("real", filepath.Join(dir, "link")),
		os.WriteFile(filepath.Join(dir, "real/a"), []byte("data"), 0o600)} {
		must.NoError(t, err)
	}
	if d, err := ListDataset(filepath.Join(dir, "link")); err != nil || d.Files != 1 || d.Bytes != 4 {
		t.Errorf("%+v, %v; want a file of 4 bytes", d, err)
	}
}

func TestDatasetThatIsNotThereIsAnError(t *testing.T) {
	for name, dir := range map[string]string{"no such file": filepath.Join(t.TempDir(), "none"),
		"no file": t.TempDir()} {
		if _, err := ListDataset(dir); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: error %v, want one that says %q", dir, err, name)
		}
	}
	d := &Dataset{look: []string{filepath.Join(t.TempDir(), "gone")}}
	if got, err := d.Cached(); got.OK || err == nil {
		t.Errorf("a file that has gone: %v, %v, want absent with the reason", got, err)
	}
}
