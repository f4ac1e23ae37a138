package safefile

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"jtune/internal/must"
)

func TestReplaceNamedKeepsALinkAndDoesNotWaitForAReader(t *testing.T) {
	dir := t.TempDir()
	page, link, pipe := filepath.Join(dir, "page"), filepath.Join(dir, "link"), filepath.Join(dir, "pipe")
	must.NoError(t, errors.Join(os.WriteFile(page, []byte("old"), 0o600), os.Symlink(page, link),
		syscall.Mkfifo(pipe, 0o600)))
	old := must.Get(os.Open(page))(t)
	defer old.Close()
	must.NoError(t, ReplaceNamed(link, []byte("new")))
	if is, err := os.Lstat(link); err != nil || is.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link was replaced: %v, %v", is, err)
	}
	if got, _ := os.ReadFile(page); string(got) != "new" {
		t.Errorf("the file reads %q", got)
	}
	if got, _ := io.ReadAll(old); string(got) != "old" {
		t.Errorf("who has the old page open reads %q: it was written over", got)
	}
	if err := ReplaceNamed(pipe, []byte("new")); !errors.Is(err, syscall.ENXIO) {
		t.Errorf("a pipe that nobody reads: got %v, want an error at once", err)
	}
	reader := must.Get(os.OpenFile(pipe, os.O_RDONLY|syscall.O_NONBLOCK, 0))(t)
	defer reader.Close()
	must.NoError(t, ReplaceNamed(pipe, []byte("piped")))
	got := make([]byte, 16)
	if n, err := reader.Read(got); string(got[:n]) != "piped" {
		t.Errorf("the pipe brought %q, %v", got[:n], err)
	}
}

func TestReplaceNamedFollowsNoLinkOfAnotherUser(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can make a link of another user")
	}
	dir := t.TempDir()
	target, link := filepath.Join(dir, "of root"), filepath.Join(dir, "planted")
	must.NoError(t, os.WriteFile(target, []byte("secret"), 0o600))
	must.NoError(t, errors.Join(os.Symlink(target, link), os.Lchown(link, 12345, 12345)))
	must.NoError(t, ReplaceNamed(link, []byte("report")))
	kept, _ := os.ReadFile(target)
	st, err := os.Lstat(link)
	if string(kept) != "secret" || err != nil || !st.Mode().IsRegular() {
		t.Errorf("the file that another user's link names holds %q; the report is %v, %v", kept, st.Mode(), err)
	}
}
