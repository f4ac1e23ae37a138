package tegra_test

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"jtune/internal/must"
	"jtune/tegra"
)

// lay builds a root of files and links; a value that starts with "→" is a link.
func lay(t *testing.T, files map[string]string) (root string, fsys tegra.FS) {
	t.Helper()
	root = t.TempDir()
	for name, content := range files {
		full := filepath.Join(root, name)
		must.NoError(t, os.MkdirAll(filepath.Dir(full), 0o755))
		var err error
		if target, ok := strings.CutPrefix(content, "→"); ok {
			err = os.Symlink(target, full)
		} else {
			err = os.WriteFile(full, []byte(content), 0o644)
		}
		must.NoError(t, err)
	}
	return root, tegra.DiskFS(root)
}

func TestLinksResolveBelowTheRoot(t *testing.T) {
	t.Parallel()
	secret := filepath.Join(t.TempDir(), "secret")
	must.NoError(t, os.WriteFile(secret, []byte("outside"), 0o644))
	_, fsys := lay(t, map[string]string{
		"etc/real.conf": "inside",
		"etc/absolute":  "→/etc/real.conf",
		"etc/relative":  "→../etc/real.conf",
		"etc/chain":     "→/etc/absolute",
		"etc/escape":    "→" + secret,
		"etc/climb":     "→../../../../../../../../../../etc/real.conf",
		"etc/loop":      "→loop",
		"dir":           "→/etc",
	})
	for name, want := range map[string]string{
		"/etc/absolute": "inside", "/etc/relative": "inside", "/etc/chain": "inside", "/etc/climb": "inside",
		"/dir/absolute":        "inside",
		"/../../etc/real.conf": "inside", "etc/real.conf": "inside",
	} {
		if data, err := fsys.ReadFile(name); err != nil || string(data) != want {
			t.Errorf("%s: %q, %v", name, data, err)
		}
	}
	if data, err := fsys.ReadFile("/etc/escape"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a link out of the root gives %q, %v", data, err)
	}
	if _, err := fsys.ReadFile("/etc/loop"); !errors.Is(err, syscall.ELOOP) {
		t.Errorf("a link to itself: %v, want ELOOP", err)
	}
	if got, err := fsys.Readlink("/dir/absolute"); err != nil || got != "/etc/real.conf" {
		t.Errorf("readlink: %q, %v", got, err)
	}
	if got, err := fsys.Glob("/dir/*.conf"); err != nil || !slices.Equal(got, []string{"/dir/real.conf"}) {
		t.Errorf("glob: %v, %v", got, err)
	}
}

func TestDiskWriteNeverCreatesAFileAndCutsAPlainOne(t *testing.T) {
	t.Parallel()
	root, fsys := lay(t, map[string]string{"knob": "1300500000\n"})
	must.NoError(t, fsys.WriteFile("/knob", []byte("1\n")))
	if data, _ := os.ReadFile(filepath.Join(root, "knob")); string(data) != "1\n" {
		t.Errorf("the file holds %q", data)
	}
	if err := fsys.WriteFile("/new", []byte("1\n")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a file that is not there: %v", err)
	}
	if err := fsys.WriteFile("/", nil); err == nil {
		t.Error("a folder was written")
	}
}

func TestDiskOfAFakeRootDoesNotBlockOnAPipe(t *testing.T) {
	t.Parallel()
	root, fsys := lay(t, map[string]string{"x": ""})
	if err := syscall.Mkfifo(filepath.Join(root, "pipe"), 0o644); err != nil {
		t.Skip(err)
	}
	if _, err := fsys.Open("/pipe"); err == nil {
		t.Error("a pipe was opened")
	}
	if _, err := fsys.ReadFile("/pipe"); err == nil {
		t.Error("a pipe was read")
	}
}

func TestHandleReadsTheFileAnew(t *testing.T) {
	t.Parallel()
	_, fsys := lay(t, map[string]string{"value": "1\n"})
	f := must.Get(fsys.Open("/value"))(t)
	defer f.Close()
	buf := make([]byte, 16)
	for _, want := range []string{"1\n", "22\n", "3\n"} {
		must.NoError(t, fsys.WriteFile("/value", []byte(want)))
		if n, err := f.ReadAt(buf, 0); !errors.Is(err, io.EOF) || string(buf[:n]) != want {
			t.Errorf("%q, %v; want %q", buf[:n], err, want)
		}
	}
}

// The files of the memory clock in debugfs are sequences, as /proc/self/comm is: they take a write, but no pwrite.
func TestDiskWritesAFileWithoutOffsets(t *testing.T) {
	const name = "/proc/self/comm"
	fsys := tegra.DiskFS("/")
	was, err := fsys.ReadFile(name)
	if err != nil {
		t.Skip("no /proc here")
	}
	defer func() { _ = fsys.WriteFile(name, was) }()
	must.NoError(t, fsys.WriteFile(name, []byte("sequence")))
	if now, err := fsys.ReadFile(name); err != nil || string(now) != "sequence\n" {
		t.Errorf("it holds %q, %v", now, err)
	}
}

// A kernel that refuses a value does so in the write itself.
func TestDiskReportsAWriteThatTheKernelRefuses(t *testing.T) {
	t.Parallel()
	const name = "/proc/self/oom_score_adj"
	fsys := tegra.DiskFS("/")
	was, err := fsys.ReadFile(name)
	if err != nil {
		t.Skip("no /proc here")
	}
	if err := fsys.WriteFile(name, []byte("no number\n")); err == nil {
		t.Error("a refused write is no error")
	}
	if now, err := fsys.ReadFile(name); err != nil || !bytes.Equal(now, was) {
		t.Errorf("it holds %q, %v; want %q", now, err, was)
	}
}

func TestFileOfManyMegabytesIsRefused(t *testing.T) {
	t.Parallel()
	_, fsys := lay(t, map[string]string{"huge": strings.Repeat("x", 3<<20)})
	if _, err := fsys.ReadFile("/huge"); err == nil {
		t.Error("read whole")
	}
}

func TestOpenDirStaysBelowTheRoot(t *testing.T) {
	t.Parallel()
	outside := t.TempDir()
	_, fsys := lay(t, map[string]string{"run": "→/var/run", "var/run/x": "", "out": "→" + outside})
	dir := must.Get(tegra.OpenDir(fsys, "/run/jtune", true))(t)
	defer dir.Close()
	if err := dir.WriteFile("y", []byte("z"), 0o600); err != nil {
		t.Error(err)
	}
	if got, err := fsys.ReadFile("/var/run/jtune/y"); err != nil || string(got) != "z" {
		t.Errorf("%q, %v", got, err)
	}
	if _, err := tegra.OpenDir(fsys, "/absent", false); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("absent: %v", err)
	}
	if _, err := tegra.OpenDir(fsys, "/out/x", true); err != nil {
		t.Errorf("a link is followed below the root: %v", err)
	}
	if left, _ := os.ReadDir(outside); len(left) > 0 {
		t.Errorf("made outside: %v", left)
	}
	if _, err := tegra.OpenDir(deny{fsys, "/"}, "/run", false); err == nil {
		t.Error("an FS that is no disk has a folder on it")
	}
}

// TestDiskFSOpensNothingOutsideWhileFoldersBecomeLinks swaps a folder for a link
// to another one outside, to and fro, while files are read and written.
func TestDiskFSOpensNothingOutsideWhileFoldersBecomeLinks(t *testing.T) {
	t.Parallel()
	outside := t.TempDir()
	secret := filepath.Join(outside, "online")
	must.NoError(t, os.WriteFile(secret, []byte("secret"), 0o600))
	root, fsys := lay(t, map[string]string{"cpu1/online": "1"})
	must.NoError(t, os.Symlink(outside, filepath.Join(root, "link")))
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		for {
			select {
			case <-stop:
				return
			default:
				_ = unix.Renameat2(unix.AT_FDCWD, filepath.Join(root, "cpu1"), unix.AT_FDCWD,
					filepath.Join(root, "link"), unix.RENAME_EXCHANGE)
			}
		}
	}()
	for range 2000 {
		if data, err := fsys.ReadFile("/cpu1/online"); err == nil && string(data) == "secret" {
			t.Error("read through the link")
			break
		}
		_ = fsys.WriteFile("/cpu1/online", []byte("0"))
	}
	close(stop)
	<-stopped
	if data, err := os.ReadFile(secret); err != nil || string(data) != "secret" {
		t.Errorf("the file outside holds %q, %v", data, err)
	}
}

func TestHostPathStaysBelowTheRoot(t *testing.T) {
	t.Parallel()
	root, fsys := lay(t, map[string]string{"run": "→/var/run", "var/run/x": ""})
	if got, ok := tegra.HostPath(fsys, "/run/jtune"); !ok || got != filepath.Join(root, "var/run/jtune") {
		t.Errorf("%s, %v", got, ok)
	}
	if _, ok := tegra.HostPath(deny{fsys, "/"}, "/run"); ok {
		t.Error("an FS that is not a disk has a place on it")
	}
}

// A handle outlives its file, whose sensor is then gone: in a folder nobody else says so.
func TestDiskFSHandleOfAFileThatWasRenamedOrReplaced(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	name := filepath.Join(root, "temp")
	write := func(text string) {
		must.NoError(t, os.WriteFile(name, []byte(text), 0o600))
	}
	write("1")
	f := must.Get(tegra.DiskFS(root).Open("/temp"))(t)
	defer f.Close()
	buf := make([]byte, 8)
	if n, err := f.ReadAt(buf, 0); string(buf[:n]) != "1" {
		t.Errorf("%q, %v", buf[:n], err)
	}
	must.NoError(t, os.Rename(name, name+".x"))
	stale := func() (n int, err error) { // the place is compared about once a second
		for begun := time.Now(); time.Since(begun) < 3*time.Minute && err == nil; time.Sleep(time.Millisecond) {
			if n, err = f.ReadAt(buf, 0); errors.Is(err, io.EOF) {
				err = nil
			}
		}
		return n, err
	}
	if n, err := stale(); !errors.Is(err, syscall.ESTALE) || n > 0 {
		t.Errorf("renamed: %q, %v", buf[:n], err)
	}
	write("2")
	if n, err := stale(); !errors.Is(err, syscall.ESTALE) || n > 0 {
		t.Errorf("replaced: %q, %v", buf[:n], err)
	}
}
