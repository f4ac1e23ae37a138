// Package tegratest builds fake Jetson roots for tests: plain files and links
// with the content that a board was recorded to show.
//
//	NewAGXOrin35() ──► Tree ──(change it)──► Write(t), WriteTo(dir) ──► root folder
//	Boards() lists them all; mkroot writes one for use by hand.
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

// Tree is a root's files by absolute name. Contents carry their own newline.
type Tree struct {
	Files map[string]string
	Links map[string]string
}

// AGXOrin35 writes an AGX Orin 64 GB with L4T 35.1 and gives its root.
func AGXOrin35(t testing.TB) string { return NewAGXOrin35().Write(t) }

// NewAGXOrin35 is an AGX Orin 64 GB with L4T 35.1: 18,096 modes.
func NewAGXOrin35() *Tree { return New("agx-orin-35.1") }

// AGXOrin353 writes an AGX Orin 64 GB with L4T 35.3 and gives its root.
func AGXOrin353(t testing.TB) string { return New("agx-orin-35").Write(t) }

// Set sets a file's value and its final newline.
func (tr *Tree) Set(name, value string) { tr.Files[name] = value + "\n" }

// Remove takes away a file, or everything below a folder.
func (tr *Tree) Remove(name string) {
	below := func(n string, _ string) bool { return n == name || strings.HasPrefix(n, name+"/") }
	maps.DeleteFunc(tr.Files, below)
	maps.DeleteFunc(tr.Links, below)
}

// FollowClocks makes the clocks of CPU and GPU read what their upper limits are, as under
// load: the files become links to the limits.
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

// Unlink turns every link to a folder into a folder of its own, as a root has
// that was copied without links.
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

// Write makes the tree in a folder of the test's own.
func (tr *Tree) Write(t testing.TB) string {
	t.Helper()
	root := rootDir(t)
	check(t, tr.WriteTo(root))
	return root
}

// memory is where most Linux systems keep files in memory.
const memory = "/dev/shm"

// rootDir is an empty folder of the test's own, in memory where there is room, as sysfs and /run are, unless
// TMPDIR names another place: a tree is hundreds of small files, and a guard syncs each state.
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

// WriteTo makes the tree on disk below root, for use outside of tests.
func (tr *Tree) WriteTo(root string) error {
	for name, content := range tr.Files {
		full := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
			return err
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

// Contents reads every regular file below root except those of our own state
// folder, by name: what a test compares before and after.
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
		if d.Type().IsRegular() {
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

// Program writes a file that can be run at once. No process of the test's own is started then: it would hold the file
// open for a moment, and a file that is open for writing cannot be run (ETXTBSY).
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
