package guard

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"jtune/internal/must"
	"jtune/tegra"
	"jtune/tegra/tegratest"
)

func TestGuardThroughSudoRefusesEveryRootButTheMachines(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		root    string
		euid    int
		sudoUID string
		refused bool
	}{
		{"/", 0, "1000", false},
		{"/home/mallory/tree", 0, "1000", true},
		{"/home/mallory/tree", 0, "0", false},
		{"/srv/tree", 0, "", false},
		{"/home/mallory/tree", 1000, "", false},
	} {
		err := allowed(c.root, c.euid, c.sudoUID)
		if refused := errors.Is(err, tegra.ErrPermission); refused != c.refused {
			t.Errorf("%+v: %v", c, err)
		}
	}
}

// TestGuardMainThroughSudoTouchesNoFolderOfTheCaller runs the program as sudo does.
func TestGuardMainThroughSudoTouchesNoFolderOfTheCaller(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		t.Skip("only root can play sudo")
	}
	root := tegratest.AGXOrin35(t)
	secret := filepath.Join(t.TempDir(), "secret")
	lockLink(t, root, secret)
	guard := exec.Command(os.Args[0], "-sysroot="+root)
	guard.Env = append(os.Environ(), "SUDO_UID=65534", "SUDO_GID=65534")
	guard.Stdin = strings.NewReader(`{"id":1,"op":"keep"}` + "\n")
	out, err := guard.CombinedOutput()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != exitPermission ||
		!strings.Contains(string(out), "works on / only") {
		t.Errorf("%v: %s", err, out)
	}
	unharmed(t, secret)
}

func TestGuardLockFollowsNoLinkOutOfItsRoot(t *testing.T) {
	t.Parallel()
	root := tegratest.AGXOrin35(t)
	secret := filepath.Join(t.TempDir(), "secret")
	lockLink(t, root, secret)
	c, err := Start(context.Background(), StartOptions{Sysroot: root, Command: os.Args[:1]})
	if err == nil {
		c.Close()
		t.Error("a guard locked through a link")
	}
	unharmed(t, secret)
}

// lockLink makes the lock of a fake root a link to a new file outside.
func lockLink(t *testing.T, root, secret string) {
	t.Helper()
	dir := filepath.Join(root, StateDir)
	must.NoError(t, errors.Join(os.WriteFile(secret, []byte("root:hash\n"), 0o600), os.MkdirAll(dir, 0o755),
		os.Symlink(secret, filepath.Join(dir, lockFile))))
}

func unharmed(t *testing.T, secret string) {
	t.Helper()
	if data, err := os.ReadFile(secret); err != nil || string(data) != "root:hash\n" {
		t.Errorf("the file outside holds %q, %v", data, err)
	}
}

// TestGuardLockOpensForNobodyElse also covers a lock that an earlier version left readable. A user who may not open it
// still sees that a guard is running.
func TestGuardLockOpensForNobodyElse(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can be somebody else")
	}
	t.Parallel()
	root := tegratest.AGXOrin35(t)
	name := filepath.Join(root, StateDir, lockFile)
	must.NoError(t, errors.Join(os.MkdirAll(filepath.Dir(name), 0o755), os.WriteFile(name, nil, 0o644),
		os.WriteFile(filepath.Join(root, StateDir, foundFile), []byte("{}\n"), 0o644)))
	show(t, root)
	client := exec.Command(os.Args[0])
	client.Env = append(os.Environ(), asStranger+"="+root)
	client.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	program := must.Read(t, os.Args[0])
	client.Path = filepath.Join(t.TempDir(), "jtune")
	tegratest.Program(t, client.Path, string(program))
	show(t, filepath.Dir(client.Path))

	c := startGuard(t, root)
	if st, err := os.Stat(name); err != nil || st.Mode().Perm() != 0o600 {
		t.Errorf("the lock: %v, %v", st.Mode(), err)
	}
	out, err := client.Output()
	if errors.Is(err, fs.ErrPermission) {
		t.Skipf("cannot run as another user here: %v", err)
	}
	if want := "open: permission denied; at work: true\n"; err != nil || string(out) != want {
		t.Errorf("another user sees %q, %v; want %q", out, err, want)
	}
	c.Close()
	waitFree(t, root)
}

// show lets every user into a folder of this test.
func show(t *testing.T, dir string) {
	t.Helper()
	for ; strings.HasPrefix(dir, os.TempDir()+"/"); dir = filepath.Dir(dir) {
		must.NoError(t, os.Chmod(dir, 0o755))
	}
}

// stranger is another user who tries to take the lock of the board below root.
func stranger(root string) int {
	s, err := stateStore(tegra.DiskFS(root), false)
	if err != nil {
		return 1
	}
	_, err = os.OpenFile(filepath.Join(root, StateDir, lockFile), os.O_RDONLY, 0)
	fmt.Printf("open: %v; at work: %v\n", errors.Unwrap(err), s.locked())
	return 0
}
