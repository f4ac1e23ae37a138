// Package tegratest builds fake Jetson roots for tests: plain files and links with recorded content.
//
//	NewAGXOrin35() ──► Tree ──(change it)──► Write(t), WriteTo(dir) ──► root folder
//	Boards() lists them all; mkroot writes one for manual use.
package tegratest

import (
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// Tree holds a root's files by absolute name. Contents include the final newline. A name that ends in "/" is a folder
// without files.
type Tree struct {
	Files map[string]string
	Links map[string]string
}

// AGXOrin35 writes the root of an AGX Orin 64 GB with L4T 35.1 and returns its path.
func AGXOrin35(t testing.TB) string { return NewAGXOrin35().Write(t) }

// NewAGXOrin35 returns an AGX Orin 64 GB with L4T 35.1: 18,096 modes.
func NewAGXOrin35() *Tree { return New("agx-orin-35.1") }

// AGXOrin353 writes the root of an AGX Orin 64 GB with L4T 35.3 and returns its path.
func AGXOrin353(t testing.TB) string { return New("agx-orin-35").Write(t) }

// Set sets a file's value and adds the final newline.
func (tr *Tree) Set(name, value string) { tr.Files[name] = value + "\n" }

// Remove removes a file, or everything below a folder.
func (tr *Tree) Remove(name string) {
	below := func(n string, _ string) bool { return n == name || strings.HasPrefix(n, name+"/") }
	maps.DeleteFunc(tr.Files, below)
	maps.DeleteFunc(tr.Links, below)
}

// FollowClocks links the current clocks of CPU and GPU to their upper limits, as under load.
func (tr *Tree) FollowClocks() {
	for name := range maps.Clone(tr.Files) {
		for file, limit := range map[string]string{"scaling_cur_freq": "scaling_max_freq", "cur_freq": "max_freq"} {
			dir, isClock := strings.CutSuffix(name, "/"+file)
			if _, ok := tr.Files[dir+"/"+limit]; isClock && ok {
				delete(tr.Files, name)
				tr.Links[name] = limit
			}
		}
	}
}

// Unlink replaces every link to a folder by a folder, as in a root copied without links.
func (tr *Tree) Unlink() {
	for name, target := range tr.Links {
		if !path.IsAbs(target) {
			target = path.Join(path.Dir(name), target)
		}
		for file, content := range maps.Clone(tr.Files) {
			if rest, ok := strings.CutPrefix(file, target+"/"); ok {
				tr.Files[name+"/"+rest] = content
			}
		}
		delete(tr.Links, name)
	}
}

// Write writes the tree to a temporary folder of the test.
func (tr *Tree) Write(t testing.TB) string {
	t.Helper()
	root := rootDir(t)
	check(t, tr.WriteTo(root))
	return root
}

// memory is the in-memory file system of most Linux systems.
const memory = "/dev/shm"

// rootDir returns an empty folder for the test, in memory if there is space, like sysfs and /run, unless TMPDIR names
// another place: a tree has hundreds of small files, and a guard syncs each state.
func rootDir(t testing.TB) string {
	t.Helper()
	var st unix.Statfs_t
	if err := unix.Statfs(memory, &st); err != nil || st.Type != unix.TMPFS_MAGIC || st.Flags&unix.ST_NOEXEC != 0 ||
		st.Bavail*uint64(st.Bsize) < 1<<28 || unix.Access(memory, unix.W_OK) != nil || os.Getenv("TMPDIR") != "" {
		return t.TempDir()
	}
	root, err := os.MkdirTemp(memory, "jtune-test")
	check(t, err)
	t.Cleanup(func() { check(t, os.RemoveAll(root)) })
	check(t, os.Chmod(root, 0o755)) // as the root of a system
	return root
}

// WriteTo writes the tree to disk below root, for use outside tests.
func (tr *Tree) WriteTo(root string) error {
	for name, content := range tr.Files {
		full := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
			return err
		}
		if strings.HasSuffix(name, "/") {
			if err := os.MkdirAll(full, 0o755); err != nil {
				return err
			}
			continue
		}
		if err := os.WriteFile(full, []byte(content), 0o644); err != nil {
			return err
		}
	}
	for name, target := range tr.Links {
		full := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
			return err
		}
		if err := os.Symlink(target, full); err != nil {
			return err
		}
	}
	return nil
}

// Contents returns every regular file below root by name, except jtune's state folder and the claims of its jobs, of
// which a killed one leaves its own, for comparison before and after a test.
func Contents(t testing.TB, root string) map[string]string {
	t.Helper()
	out := map[string]string{}
	check(t, filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel := "/" + filepath.ToSlash(strings.TrimPrefix(strings.TrimPrefix(name, root), "/"))
		if rel == "/run/jtune" {
			return fs.SkipDir
		}
		if claim, _ := path.Match("/run/lock/jtune.*.job", rel); d.Type().IsRegular() && !claim {
			data, err := os.ReadFile(name)
			if err != nil {
				return err
			}
			out[rel] = string(data)
		}
		return nil
	}))
	return out
}

// Differences lists the files whose content differs, one line each.
func Differences(before, after map[string]string) []string {
	var out []string
	for name := range before {
		if got, ok := after[name]; !ok {
			out = append(out, name+" is gone")
		} else if got != before[name] {
			out = append(out, fmt.Sprintf("%s: %q became %q", name, before[name], got))
		}
	}
	for name := range after {
		if _, ok := before[name]; !ok {
			out = append(out, name+" is new")
		}
	}
	slices.Sort(out)
	return out
}

// Program writes an executable file that can be run at once. It prevents concurrent forks of this test process: a child
// would inherit the open file for a moment, and a file open for writing cannot be run (ETXTBSY).
func Program(t testing.TB, name, content string) {
	t.Helper()
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	check(t, os.WriteFile(name, []byte(content), 0o755))
}

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
