package guard

import (
	"bufio"
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

// nobody is a user without rights on Linux.
const nobody = 65534

// fakeSudo records its arguments and runs them, like sudo after a correct password. The fake root replaces the
// machine's own.
const fakeSudo = `#!/bin/sh
echo "$@" >> "$SUDO_LOG"
[ "$1" = -- ] || exit 1
shift
for word; do
  shift
  [ "$word" = -sysroot=/ ] && word=-sysroot=$SUDO_ROOT
  set -- "$@" "$word"
done
exec "$@"
`

// ordinary prepares a client of a guard as a user other than root runs it:
// the board is the machine's own, so sudo is the only way.
func ordinary(t *testing.T, root, sudo string) (client *exec.Cmd, log string) {
	t.Helper()
	place := t.TempDir()
	program := must.Read(t, os.Args[0])
	tegratest.Program(t, filepath.Join(place, "jtune"), string(program))
	if sudo != "" {
		tegratest.Program(t, filepath.Join(place, "sudo"), sudo)
	}
	log = filepath.Join(place, "log")
	client = exec.Command(filepath.Join(place, "jtune"))
	client.Env = []string{asGuard + "=1", asClient + "=/", "PATH=" + place + ":/no/such/folder", "SUDO_LOG=" + log,
		"SUDO_ROOT=" + root}
	if os.Geteuid() == 0 {
		client.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
		give(t, place)
		give(t, root)
	}
	return client, log
}

// give makes a folder of the test's nobody's own.
func give(t *testing.T, dir string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(name string, _ fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		return os.Lchown(name, nobody, nobody)
	})
	for d := dir; err == nil && strings.HasPrefix(d, os.TempDir()+"/"); d = filepath.Dir(d) {
		err = os.Chmod(d, 0o755)
	}
	must.NoError(t, err)
}

func TestStartAsksSudoOnceAndItsGuardRestores(t *testing.T) {
	t.Parallel()
	root := tegratest.AGXOrin35(t)
	before := tegratest.Contents(t, root)
	client, log := ordinary(t, root, fakeSudo)
	out := must.Get(client.StdoutPipe())(t)
	if err := client.Start(); err != nil {
		if errors.Is(err, fs.ErrPermission) {
			t.Skipf("cannot run as another user here: %v", err)
		}
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	for n := range 5 {
		if !lines.Scan() || !strings.HasPrefix(lines.Text(), "applied") {
			t.Fatalf("mode %d: the client says %q", n, lines.Text())
		}
	}
	if len(tegratest.Differences(before, tegratest.Contents(t, root))) == 0 {
		t.Error("nothing was set")
	}
	_ = client.Process.Kill()
	_ = client.Wait()
	waitFree(t, root)
	wantSame(t, before, root, "after the client was killed")
	calls, err := os.ReadFile(log)
	if want := "-- " + client.Path + " -sysroot=/\n"; err != nil || string(calls) != want {
		t.Errorf("sudo was called as %q, %v, want once: %q", calls, err, want)
	}
}

func TestStartWithoutSudosConsentIsErrPermission(t *testing.T) {
	t.Parallel()
	for name, sudo := range map[string]string{
		"a wrong password":     "#!/bin/sh\nexit 1\n",
		"no sudo on this disk": "",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			root := tegratest.AGXOrin35(t)
			before := tegratest.Contents(t, root)
			client, _ := ordinary(t, root, sudo)
			out, err := client.Output()
			if errors.Is(err, fs.ErrPermission) {
				t.Skipf("cannot run as another user here: %v", err)
			}
			if !strings.HasPrefix(string(out), "failed: ") ||
				!strings.Contains(string(out), tegra.ErrPermission.Error()) {
				t.Errorf("got %q, %v, want %v", out, err, tegra.ErrPermission)
			}
			wantSame(t, before, root, "after the refusal")
		})
	}
}

// Through sudo the client keeps the user's rights; its guard still runs as root, without a second sudo call.
func TestStartOfAClientThatDroppedRootIsOfARootGuard(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		t.Skip("takes root, to be root through sudo")
	}
	root := tegratest.AGXOrin35(t)
	if err := os.Mkdir(filepath.Join(root, "run"), 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		t.Fatal(err)
	}
	before := tegratest.Contents(t, root)
	client, log := ordinary(t, root, fakeSudo)
	client.SysProcAttr = nil
	client.Env = append(client.Env, throughSudo+"=1", "SUDO_UID=65534", "SUDO_GID=65534", asMachine+"="+root)
	must.NoError(t, filepath.WalkDir(root, func(name string, _ fs.DirEntry, err error) error {
		return errors.Join(err, os.Lchown(name, 0, 0))
	}))
	out, err := client.StdoutPipe()
	if err == nil {
		err = client.Start()
	}
	must.NoError(t, err)
	lines := bufio.NewScanner(out)
	for n := range 5 {
		if !lines.Scan() || !strings.HasPrefix(lines.Text(), "applied") {
			t.Fatalf("mode %d: the client says %q", n, lines.Text())
		}
	}
	if st, err := os.Stat(fmt.Sprintf("/proc/%d", client.Process.Pid)); err != nil ||
		st.Sys().(*syscall.Stat_t).Uid != nobody {
		t.Errorf("the client is not the user's: %+v, %v", st, err)
	}
	if calls, err := os.ReadFile(log); err == nil {
		t.Errorf("sudo was called: %s", calls)
	}
	_ = client.Process.Kill()
	_ = client.Wait()
	waitFree(t, root)
	wantSame(t, before, root, "after the client was killed")
}

func TestStartThatSudoRefusesSaysWhatSudoSaid(t *testing.T) {
	t.Parallel()
	log := filepath.Join(t.TempDir(), "guard.log")
	must.NoError(t, os.WriteFile(log, []byte("sudo: of an earlier day\n"), 0o600))
	for said, want := range map[string]string{
		"Sorry, try again.\\nsudo: 3 incorrect password attempts": " (sudo: 3 incorrect password attempts): ",
		"guest is not in the sudoers file.\\nThis is reported.":   " (guest is not in the sudoers file.): ",
		"nothing of use": "the guard: ",
	} {
		sudo := []string{"/bin/sh", "-c", "printf '" + said + "\\n' >&2; exit 1"}
		_, err := spawn(t.Context(), sudo, false, log, true)
		if !errors.Is(err, tegra.ErrPermission) || !strings.Contains(fmt.Sprint(err), want) {
			t.Errorf("sudo said %q: got %v, want %q", said, err, want)
		}
	}
}
