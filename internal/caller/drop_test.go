package caller

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"jtune/internal/must"
)

// asProgram makes the test program run as root through sudo; its value is a file that only root can read.
const asProgram = "JTUNE_TEST_CALLER"

func TestMain(m *testing.M) {
	if secret := os.Getenv(asProgram); secret != "" {
		if err := program(secret); err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// program drops root and checks what remains.
func program(secret string) error {
	if err := Drop(); err != nil {
		return err
	}
	closed := func() error {
		if _, err := os.ReadFile(secret); !errors.Is(err, fs.ErrPermission) {
			return fmt.Errorf("root's file: %v", err)
		}
		return nil
	}
	var all sync.WaitGroup
	errs := make(chan error, 100)
	for range 50 { // on many threads, some raised
		all.Go(func() { errs <- AsRoot(func() error { _, err := os.ReadFile(secret); return err }) })
		all.Go(func() { errs <- closed() })
	}
	all.Wait()
	close(errs)
	for err := range errs {
		if err != nil {
			return err
		}
	}
	if err := AsRoot(func() error { _, err := os.ReadFile("/proc/self/io"); return err }); err != nil {
		return err
	}
	if !Root() {
		return errors.New("no root in reserve")
	}
	for _, c := range []struct {
		raise bool
		want  string
	}{{false, "Uid:\t65534\t65534\t65534\t65534"}, {true, "Uid:\t65534\t0\t0\t0"}} {
		cmd := exec.Command("cat", "/proc/self/status")
		if c.raise {
			Privileged(cmd)
		}
		if out, err := cmd.Output(); err != nil || !strings.Contains(string(out), c.want+"\n") {
			return fmt.Errorf("a child, as root %v: %s%v", c.raise, out, err)
		}
	}
	return os.WriteFile("made", nil, 0o644)
}

func TestDropLeavesRootForWhatAsksForItAlone(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		t.Skip("takes root, to be root through sudo")
	}
	home := t.TempDir()
	secret := filepath.Join(home, "secret")
	must.NoError(t, os.WriteFile(secret, []byte("x"), 0o600))
	for dir := home; strings.HasPrefix(dir, os.TempDir()+"/"); dir = filepath.Dir(dir) {
		must.NoError(t, os.Chmod(dir, 0o755))
	}
	must.NoError(t, os.Chown(home, 65534, 65534))
	cmd := exec.Command(os.Args[0])
	cmd.Dir = home
	cmd.Env = []string{asProgram + "=" + secret, "SUDO_UID=65534", "SUDO_GID=65534", "PATH=/usr/bin:/bin"}
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s%v", out, err)
	}
	st, err := os.Stat(filepath.Join(home, "made"))
	if err != nil || st.Sys().(*syscall.Stat_t).Uid != 65534 || st.Sys().(*syscall.Stat_t).Gid != 65534 {
		t.Errorf("the file that it made: %+v, %v", st, err)
	}
}
