package tegra

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"jtune/internal/must"
)

// Files of single numbers in debugfs have no offsets either: pread fails on them, as on a pipe.
func TestDiskFileWithoutOffsetsIsReadThroughANewHandle(t *testing.T) {
	t.Parallel()
	r, w, err := os.Pipe()
	must.NoError(t, err)
	defer r.Close()
	defer w.Close()
	name := filepath.Join(t.TempDir(), "mc_all")
	f := &diskFile{File: r, fd: int(r.Fd()), reopen: func() (*os.File, error) { return os.Open(name) }}
	buf := make([]byte, 8)
	if _, err := f.ReadAt(buf, 0); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a file that is gone: %v", err)
	}
	for _, text := range []string{"42\n", "7\n", "12345678"} {
		must.NoError(t, os.WriteFile(name, []byte(text), 0o600))
		n, err := f.ReadAt(buf, 0)
		if string(buf[:n]) != text || (err == io.EOF) != (n < len(buf)) || err != nil && err != io.EOF {
			t.Errorf("read %q, %v; want %q", buf[:n], err, text)
		}
	}
	if _, err := f.ReadAt(buf, 3); !errors.Is(err, syscall.ESPIPE) {
		t.Errorf("from the middle: %v", err)
	}
}

// Kernels before 5.6, such as that of L4T 32, have no openat2: there each folder on the way is opened.
func TestDiskFSOpensTheSameFilesWithoutOpenat2(t *testing.T) {
	t.Parallel()
	outside := filepath.Join(t.TempDir(), "secret")
	root := t.TempDir()
	for _, err := range []error{os.WriteFile(outside, []byte("outside"), 0o600),
		os.MkdirAll(filepath.Join(root, "etc"), 0o755),
		os.WriteFile(filepath.Join(root, "etc/real"), []byte("inside"), 0o600),
		os.Symlink("/etc/real", filepath.Join(root, "etc/absolute")),
		os.Symlink("../etc/real", filepath.Join(root, "etc/relative")),
		os.Symlink("../../../../etc/absolute", filepath.Join(root, "etc/climb")),
		os.Symlink("/etc", filepath.Join(root, "dir")), os.Symlink(outside, filepath.Join(root, "etc/escape")),
		os.Symlink("loop", filepath.Join(root, "etc/loop"))} {
		must.NoError(t, err)
	}
	d := diskFS(root)
	for name, open := range map[string]func(string, int) (*os.File, error){
		"with openat2": d.openInRoot, "step by step": d.openBySteps,
	} {
		for path, want := range map[string]error{
			"/etc/real": nil, "etc/real": nil, "/../etc/real": nil, "/etc/absolute": nil, "/etc/relative": nil,
			"/etc/climb": nil, "/dir/absolute": nil,
			"/etc/escape": fs.ErrNotExist, "/etc/none": fs.ErrNotExist, "/etc/loop": syscall.ELOOP,
		} {
			f, err := open(path, os.O_RDONLY)
			switch {
			case errors.Is(err, errors.ErrUnsupported):
				continue // this machine's kernel
			case !errors.Is(err, want):
				t.Errorf("%s, %s: got %v, want %v", name, path, err, want)
			}
			if err != nil {
				continue
			}
			if data, err := io.ReadAll(f); err != nil || string(data) != "inside" {
				t.Errorf("%s, %s holds %q, %v", name, path, data, err)
			}
			f.Close()
		}
	}
}
