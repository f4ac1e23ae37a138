// Package fleettest starts OpenSSH servers for tests: on the loopback, with their own keys, for the user who runs the
// test.
package fleettest

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"sync"
	"syscall"
	"testing"
	"time"
)

// Server is a server that runs until its test ends.
type Server struct {
	Port int
	User string
	dir  string
	cmd  *exec.Cmd
}

// rightless is the folder in which root's server drops its privileges. Test programs run at the same time: each holds a
// lock on it, and the last one removes it if a test made it, which its mode says.
const (
	rightless = "/run/sshd"
	made      = fs.ModeDir | 0o711 // packages make it as 0755
)

var held *os.File // its lock

// separated makes that folder where it is missing, and locks it.
var separated = sync.OnceValue(func() error {
	if os.Geteuid() != 0 {
		return nil
	}
	for {
		if err := os.Mkdir(rightless, made.Perm()); err != nil && !errors.Is(err, fs.ErrExist) {
			return err
		}
		f, err := os.Open(rightless)
		if errors.Is(err, fs.ErrNotExist) { // another one removed it
			continue
		}
		if err != nil {
			return err
		}
		if err := syscall.Flock(int(f.Fd()), syscall.LOCK_SH); err != nil {
			return err
		}
		locked, err := f.Stat()
		now, gone := os.Stat(rightless)
		if held = f; err == nil && gone == nil && os.SameFile(locked, now) {
			return nil
		}
		f.Close()
	}
})

// Clean removes what the servers of a test program needed; TestMain calls it at the end.
func Clean() {
	if held == nil {
		return
	}
	info, err := held.Stat()
	if err == nil && info.Mode() == made && syscall.Flock(int(held.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) == nil {
		_ = os.Remove(rightless)
	}
	held.Close()
}

// Start starts a server, or skips the test if that is impossible. environment is set for every command, as NAME=VALUE.
func Start(t *testing.T, environment ...string) *Server {
	t.Helper()
	if os.Getenv("JTUNE_SSHD") == "" && os.Getenv("JTUNE_LONG") == "" {
		t.Skip("starts an OpenSSH server on the loopback: JTUNE_SSHD=1 asks for it")
	}
	if testing.Short() {
		t.Skip("builds and runs the whole program")
	}
	sshd, err := exec.LookPath("sshd")
	if err != nil {
		sshd = "/usr/sbin/sshd" // not in everyone's PATH; sshd requires its own full path
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
	s := &Server{dir: t.TempDir(), Port: freePort(t), User: who.Username}
	for _, key := range []string{"host", "user"} {
		if out, err := exec.Command("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f",
			filepath.Join(s.dir, key)).CombinedOutput(); err != nil {
			t.Fatalf("ssh-keygen: %v\n%s", err, out)
		}
	}
	config := fmt.Sprintf("ListenAddress 127.0.0.1\nPort %[1]d\nHostKey %[2]s/host\nAuthorizedKeysFile "+
		"%[2]s/user.pub\nPidFile none\n"+
		"StrictModes no\nUsePAM no\nPasswordAuthentication no\nPermitRootLogin yes\nPrintMotd no\nPrintLastLog no\n",
		s.Port, s.dir)
	for i, one := range environment { // all on one line: sshd reads only the first SetEnv
		if i == 0 {
			config += "SetEnv"
		}
		config += " " + strconv.Quote(one)
	}
	if err := os.WriteFile(filepath.Join(s.dir, "sshd_config"), []byte(config+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	log, err := os.Create(filepath.Join(s.dir, "log"))
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	s.cmd = exec.Command(sshd, "-D", "-e", "-f", filepath.Join(s.dir, "sshd_config"))
	s.cmd.Stderr = log
	if err := s.cmd.Start(); err != nil {
		t.Skipf("sshd cannot run: %v", err)
	}
	t.Cleanup(s.Kill)
	for end := time.Now().Add(20 * time.Second); ; time.Sleep(100 * time.Millisecond) {
		out, err := exec.Command("ssh", append(s.Flags(), s.Host(), "true")...).CombinedOutput()
		if err == nil {
			return s
		}
		if time.Now().After(end) {
			said, _ := os.ReadFile(log.Name())
			t.Skipf("nobody can log in here: %v\n%s%s", err, out, said)
		}
	}
}

// Kill kills the server once; open connections stay.
func (s *Server) Kill() {
	if s.cmd.ProcessState == nil {
		_ = s.cmd.Process.Signal(syscall.SIGKILL)
		_ = s.cmd.Wait()
	}
}

// Host returns the server as a destination for ssh.
func (s *Server) Host() string { return s.User + "@127.0.0.1" }

// Flags returns the ssh options to reach the server.
func (s *Server) Flags() []string {
	return []string{"-F", "none", "-p", strconv.Itoa(s.Port), "-i", filepath.Join(s.dir, "user"), "-o",
		"IdentitiesOnly=yes", "-o", "BatchMode=yes",
		"-o", "LogLevel=ERROR", "-o", "StrictHostKeyChecking=no", "-o", "UserKnownHostsFile=/dev/null"}
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
