package tui_test

import (
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"jtune/tegra/tegratest"
)

// sshServer is an OpenSSH server of the test's own on the loopback, with keys
// of its own, that lets in whoever runs the test.
type sshServer struct {
	dir  string
	port int
	user string
}

// rightless is the folder where a server of root's gives up its rights.
const rightless = "/run/sshd"

var madeRightless bool // by separated; TestMain takes it away

// separated sees to that folder, once for all tests.
var separated = sync.OnceValue(func() error {
	if os.Geteuid() != 0 {
		return nil
	}
	err := os.Mkdir(rightless, 0o755)
	if madeRightless = err == nil; errors.Is(err, os.ErrExist) {
		return nil
	}
	return err
})

// startSSH starts one, or skips the test where that cannot be.
func startSSH(t *testing.T) *sshServer {
	t.Helper()
	if os.Getenv("JTUNE_SSHD") == "" {
		t.Skip("starts an OpenSSH server on the loopback: JTUNE_SSHD=1 asks for it")
	}
	if testing.Short() {
		t.Skip("builds and runs the whole program")
	}
	sshd, err := exec.LookPath("sshd")
	if err != nil {
		sshd = "/usr/sbin/sshd" // not on everybody's path; sshd wants its own in full
	}
	for _, need := range []string{sshd, "ssh", "ssh-keygen"} {
		if _, err := exec.LookPath(need); err != nil {
			t.Skipf("%s is not here: openssh-server and openssh-client have it", need)
		}
	}
	who, err := user.Current()
	if err != nil {
		t.Skipf("nobody to log in as: %v", err)
	}
	if err := separated(); err != nil {
		t.Skipf("sshd cannot run: %v", err)
	}
	s := &sshServer{dir: t.TempDir(), port: freePort(t), user: who.Username}
	for _, key := range []string{"host", "user"} {
		if out, err := exec.Command("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f",
			filepath.Join(s.dir, key)).CombinedOutput(); err != nil {
			t.Fatalf("ssh-keygen: %v\n%s", err, out)
		}
	}
	config := fmt.Sprintf("ListenAddress 127.0.0.1\nPort %[1]d\nHostKey %[2]s/host\nAuthorizedKeysFile "+
		"%[2]s/user.pub\nPidFile none\n"+
		"StrictModes no\nUsePAM no\nPasswordAuthentication no\nPermitRootLogin yes\nPrintMotd no\nPrintLastLog no\n",
		s.port, s.dir)
	if err := os.WriteFile(filepath.Join(s.dir, "sshd_config"), []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	log, err := os.Create(filepath.Join(s.dir, "log"))
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	cmd := exec.Command(sshd, "-D", "-e", "-f", filepath.Join(s.dir, "sshd_config"))
	cmd.Stderr = log
	if err := cmd.Start(); err != nil {
		t.Skipf("sshd cannot run: %v", err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	for end := time.Now().Add(20 * time.Second); ; time.Sleep(100 * time.Millisecond) {
		out, err := exec.Command("ssh", append(s.flags(), "true")...).CombinedOutput()
		if err == nil {
			return s
		}
		if time.Now().After(end) {
			said, _ := os.ReadFile(log.Name())
			t.Skipf("nobody can log in here: %v\n%s%s", err, out, said)
		}
	}
}

func freePort(t *testing.T) int {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Skipf("no loopback: %v", err)
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port
}

func (s *sshServer) flags() []string {
	return []string{"-F", "none", "-p", strconv.Itoa(s.port), "-i", filepath.Join(s.dir, "user"), "-o",
		"IdentitiesOnly=yes", "-o", "BatchMode=yes",
		"-o", "LogLevel=ERROR", "-o", "StrictHostKeyChecking=no", "-o", "UserKnownHostsFile=/dev/null",
		s.user + "@127.0.0.1"}
}

// run starts the program on the other side, in a terminal of this one. first
// is what the shell there does before; the process it starts becomes jtune.
func (s *sshServer) run(t *testing.T, first string, args ...string) (here *terminal, pid func() int) {
	t.Helper()
	bin, err := program()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	script := filepath.Join(dir, "there")
	text := fmt.Sprintf("echo $$ > %[1]s/pid\n%[2]s\nexport LANG=C.UTF-8 XDG_CONFIG_HOME=%[1]s "+
		"XDG_STATE_HOME=%[1]s\nexec %[3]s --data-dir %[1]s %[4]s\n",
		dir, first, bin, strings.Join(args, " "))
	if err := os.WriteFile(script, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	here = inTerminal(t, "exec ssh -tt "+strings.Join(s.flags(), " ")+" sh "+script)
	return here, func() int {
		text, err := os.ReadFile(filepath.Join(dir, "pid"))
		if err != nil {
			t.Fatal(err)
		}
		n, err := strconv.Atoi(strings.TrimSpace(string(text)))
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
}

func TestSSHTuneApplyKeepAndUndo(t *testing.T) {
	t.Parallel()
	here, _ := startSSH(t).run(t, "", "--device", "virtual:agx-orin")
	here.sees("1 Live", "VIRTUAL ×1", "module total")
	here.press("t")
	here.sees("workload", "limit", "coverage")
	here.press("Enter", "Enter")
	here.sees("a apply, then keep")
	here.press("Enter")
	here.sees("measured within", "limit 30.0 W", "a apply")
	here.press("a")
	here.sees("no reboot needed")
	here.press("a")
	here.sees("keep? y / n")
	here.press("y")
	here.sees("kept", "u undo")
	here.tmux("resize-window", "-x", "120", "-y", "40")
	here.press("1")
	here.sees("Temperature, last 2 min")
	here.press("u")
	here.sees("reverted")
	here.press("q")
	here.gone()
}

func TestSSHRestoresAJetsonsKnobsAfterANo(t *testing.T) {
	t.Parallel()
	root := tegratest.AGXOrin353(t)
	found := tegratest.Contents(t, root)
	here, _ := startSSH(t).run(t, "", "--sysroot", root)
	applyUnkept(here)
	if cmp.Equal(found, tegratest.Contents(t, root)) {
		t.Fatal("nothing was written although the screen says so")
	}
	here.press("n")
	here.sees("reverted")
	if diff := cmp.Diff(found, tegratest.Contents(t, root)); diff != "" {
		t.Errorf("after n the knobs are not as found (-found +now):\n%s", diff)
	}
	here.press("q")
	here.gone()
}

// applyUnkept applies a preset and leaves the question whether to keep it.
func applyUnkept(s *terminal) {
	s.t.Helper()
	s.sees("module total", "MAXN")
	s.press("6", "p", "Down", "a")
	s.sees("MODE_15W", "reboot needed")
	s.press("a")
	s.sees("keep? y / n")
}

// TestSSHRestoresAJetsonsKnobsAfterALostConnection kills the client of a session in
// which a mode waits to be kept. The server hangs the terminal up: jtune is
// told by SIGHUP, or, where that is ignored as under nohup, by the end of its
// input and by the error of its output.
func TestSSHRestoresAJetsonsKnobsAfterALostConnection(t *testing.T) {
	t.Parallel()
	server := startSSH(t)
	for name, first := range map[string]string{"with a hang-up": "", "hang-ups ignored": `trap "" HUP`} {
		t.Run(name, func(t *testing.T) {
			root := tegratest.AGXOrin353(t)
			found := tegratest.Contents(t, root)
			here, pid := server.run(t, first, "--sysroot", root)
			applyUnkept(here)
			jtune := pid()
			if ended(jtune) || cmp.Equal(found, tegratest.Contents(t, root)) {
				t.Fatal("nothing was written although the screen says so")
			}
			if err := syscall.Kill(here.pid, syscall.SIGKILL); err != nil {
				t.Fatal(err)
			}
			for end := time.Now().Add(patience); !ended(jtune); time.Sleep(50 * time.Millisecond) {
				if time.Now().After(end) {
					_ = syscall.Kill(jtune, syscall.SIGKILL)
					t.Fatalf("jtune still runs %v after its connection was lost", patience)
				}
			}
			if diff := cmp.Diff(found, tegratest.Contents(t, root)); diff != "" {
				t.Errorf("jtune has ended and the knobs are not as found (-found +now):\n%s", diff)
			}
		})
	}
}
