package cli

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"jtune/internal/must"
	"jtune/tegra/tegratest"
)

const (
	inNamespace = "JTUNE_TEST_NAMESPACE" // folder that the test in the namespace can fill
	installed   = "/usr/local/bin/jtune"
	rule        = "worker ALL=(root) NOPASSWD: " + installed + " guard -sysroot=/\n" // as in docs/howto/many-boards.md
	secret      = "/etc/secret"                                                      // readable only by root
)

// users are the users in the namespace. Each has a home folder and no password.
var users = map[string]uint32{"worker": 7001, "other": 7002}

// TestRealSudoWithTheExactLine runs jtune as an ordinary user through the real sudo, in its own mount namespace: /sys
// is a fake board's, and /etc, /run, /home, /var/lib and /usr/local are the test's. The real system does not change.
func TestRealSudoWithTheExactLine(t *testing.T) {
	t.Parallel()
	if os.Getenv("JTUNE_SUDO") == "" {
		t.Skip("runs sudo in a mount namespace: JTUNE_SUDO=1 asks for it")
	}
	if dir := os.Getenv(inNamespace); dir != "" {
		if t.Name() == os.Getenv(inNamespace+"_TEST") {
			newSudoSystem(t, dir).check(t)
		}
		return
	}
	if os.Geteuid() != 0 {
		t.Skip("a mount namespace with several users takes root")
	}
	for _, need := range []string{"sudo", "flock"} {
		if _, err := exec.LookPath(need); err != nil {
			t.Skipf("%s is not here: apt-get install sudo util-linux", need)
		}
	}
	var out bytes.Buffer
	cmd := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$", "-test.v")
	cmd.Env = append(os.Environ(), inNamespace+"="+readable(t, t.TempDir()), inNamespace+"_TEST="+t.Name())
	cmd.Stdout, cmd.Stderr = &out, &out
	cmd.SysProcAttr = &syscall.SysProcAttr{Unshareflags: syscall.CLONE_NEWNS} // mounts do not propagate back
	if err := cmd.Start(); err != nil {
		t.Skipf("no mount namespaces here: %v", err)
	}
	err := cmd.Wait()
	if err != nil || !strings.Contains(out.String(), "--- PASS: "+t.Name()+" ") {
		t.Fatalf("in the namespace: %v\n%s", err, out.String())
	}
	t.Log(out.String())
}

// sudoSystem is the system in the namespace.
type sudoSystem struct{ board string } // the fake board's files

func newSudoSystem(t *testing.T, dir string) sudoSystem {
	t.Helper()
	board := filepath.Join(dir, "board")
	tree := tegratest.New("agx-orin-36")
	tree.FollowClocks()
	must.NoError(t, tree.WriteTo(board))
	// As on a Jetson: /proc/device-tree is a link to this, and only root can read debugfs.
	must.NoError(t, os.MkdirAll(filepath.Join(board, "sys/firmware/devicetree"), 0o755))
	must.NoError(t, os.Rename(filepath.Join(board, "proc/device-tree"),
		filepath.Join(board, "sys/firmware/devicetree/base")))
	must.NoError(t, os.Chmod(filepath.Join(board, "sys/kernel/debug"), 0o700))

	etc := filepath.Join(dir, "etc")
	for _, copied := range [][2]string{{"/etc/.", etc}, {filepath.Join(board, "etc") + "/.", etc}} {
		must.NoError(t, os.MkdirAll(copied[1], 0o755))
		out, err := exec.Command("cp", "-a", copied[0], copied[1]).CombinedOutput()
		if err != nil {
			t.Fatalf("cp: %v\n%s", err, out)
		}
	}
	for target, source := range map[string]string{"/sys": filepath.Join(board, "sys"), "/etc": etc} {
		must.NoError(t, unix.Mount(source, target, "", unix.MS_BIND, ""))
	}
	for _, target := range []string{"/run", "/home", "/var/lib", "/usr/local"} {
		must.NoError(t, unix.Mount("tmpfs", target, "tmpfs", 0, "mode=0755"))
	}
	must.NoError(t, os.MkdirAll("/var/lib/nvpmodel", 0o755))
	must.NoError(t, os.CopyFS("/var/lib/nvpmodel", os.DirFS(filepath.Join(board, "var/lib/nvpmodel"))))
	var passwd, shadow strings.Builder
	passwd.WriteString("root:x:0:0:root:/root:/bin/sh\n")
	shadow.WriteString("root:*:20000:0:99999:7:::\n")
	for name, id := range users {
		number := strings.Repeat(fmt.Sprintf(":%d", id), 2)
		passwd.WriteString(name + ":x" + number + "::/home/" + name + ":/bin/sh\n")
		shadow.WriteString(name + ":*:20000:0:99999:7:::\n")
		must.NoError(t, os.Mkdir("/home/"+name, 0o755))
		must.NoError(t, os.Chown("/home/"+name, int(id), int(id)))
	}
	must.NoError(t, os.WriteFile("/etc/passwd", []byte(passwd.String()), 0o644))
	must.NoError(t, os.WriteFile("/etc/shadow", []byte(shadow.String()), 0o600))
	must.NoError(t, os.WriteFile(secret, []byte("root:hash\n"), 0o600))
	must.NoError(t, os.RemoveAll("/etc/sudoers.d"))
	must.NoError(t, os.Mkdir("/etc/sudoers.d", 0o750))
	must.NoError(t, os.Remove("/etc/sudoers"))
	sudoers := "Defaults env_reset\nroot ALL=(ALL:ALL) ALL\n@includedir /etc/sudoers.d\n"
	must.NoError(t, os.WriteFile("/etc/sudoers", []byte(sudoers), 0o440))
	program := must.Read(t, os.Args[0])
	must.NoError(t, os.Mkdir(filepath.Dir(installed), 0o755))
	must.NoError(t, os.WriteFile(installed, program, 0o755))
	return sudoSystem{board}
}

// as returns a user's command line without a terminal: sudo cannot ask for a password.
func (s sudoSystem) as(t *testing.T, user string, words ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), words[0], words[1:]...)
	cmd.Dir = "/home/" + user
	cmd.Env = []string{asJtune + "=1", "HOME=/home/" + user, "USER=" + user, "PATH=/usr/local/bin:/usr/bin:/bin"}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true,
		Credential: &syscall.Credential{Uid: users[user], Gid: users[user]}}
	return cmd
}

func (s sudoSystem) run(t *testing.T, user string, words ...string) outcome {
	t.Helper()
	var out, errs bytes.Buffer
	cmd := s.as(t, user, words...)
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return outcome{cmd.ProcessState.ExitCode(), out.String(), errs.String()}
}

// allow makes this the only file of sudo rules.
func (s sudoSystem) allow(t *testing.T, text string) {
	t.Helper()
	must.NoError(t, errors.Join(os.RemoveAll("/etc/sudoers.d/jtune"),
		os.WriteFile("/etc/sudoers.d/jtune", []byte(text), 0o440)))
}

const sudoMode = "4c/0.73C/0.31G/2.13M"

func (s sudoSystem) check(t *testing.T) {
	found := tegratest.Contents(t, s.board)
	asFound := func(t *testing.T) {
		t.Helper()
		if diff := tegratest.Differences(found, tegratest.Contents(t, s.board)); len(diff) > 0 {
			t.Errorf("the board is not restored: %v", diff)
		}
	}
	t.Run("the line lets its user set a mode and revert it", func(t *testing.T) {
		s.allow(t, rule)
		o := s.run(t, "worker", installed, "apply", sudoMode, "--yes", "--json").done(t)
		if actual := o.object(t, appliedKeys)["actual"]; actual == nil {
			t.Errorf("no mode was read back: %s", o.out)
		}
		for name, want := range map[string]string{
			"/sys/devices/system/cpu/cpu3/online":                   "1",
			"/sys/devices/system/cpu/cpu4/online":                   "0",
			"/sys/devices/system/cpu/cpu0/cpufreq/scaling_max_freq": "729600",
			"/sys/kernel/debug/bpmp/debug/clk/emc/rate":             "2133000000",
			"/sys/class/devfreq/17000000.gpu/max_freq":              "306000000",
		} {
			if got, err := os.ReadFile(name); err != nil || strings.TrimSpace(string(got)) != want {
				t.Errorf("%s: got %q, %v, want %q", name, got, err, want)
			}
		}
		s.run(t, "worker", installed, "revert").done(t)
		asFound(t)
	})
	t.Run("a killed client's mode is restored, and nobody else can hold the lock", func(t *testing.T) {
		s.allow(t, rule+strings.Replace(rule, "worker", "other", 1))
		client := s.as(t, "worker", installed, "apply", sudoMode, "--keep-after", "10m")
		var said safeBuffer
		client.Stderr = &said
		answer, err := client.StdinPipe()
		must.NoError(t, err)
		defer answer.Close()
		must.NoError(t, client.Start())
		must.Until(t, "it asks", func() bool { return strings.Contains(said.String(), "keep this mode?") })
		s.run(t, "other", installed, "apply", "MAXN", "--yes").fails(t, exitNoDevice, "another jtune guard is at work")
		_ = client.Process.Kill()
		_ = client.Wait()
		must.Until(t, "the mode is restored", func() bool {
			return len(tegratest.Differences(found, tegratest.Contents(t, s.board))) == 0
		})
		lock := "/run/jtune/guard.lock"
		if o := s.run(t, "other", "flock", "--nonblock", lock, "true"); o.code == 0 {
			t.Errorf("another user can hold %s", lock)
		}
		s.run(t, "other", installed, "apply", sudoMode, "--yes").done(t)
		s.run(t, "worker", installed, "revert").done(t)
		asFound(t)
	})
	t.Run("the line allows nothing else", func(t *testing.T) {
		s.allow(t, rule)
		trap := filepath.Join("/home/worker", "board/run/jtune")
		if out, err := s.as(t, "worker", "sh", "-c", "mkdir -p "+trap+"; ln -s "+secret+" "+trap+"/guard.lock").
			CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		before, _ := os.ReadFile(secret)
		for _, words := range [][]string{
			{"cat", secret},
			{installed},
			{installed, "apply", "MAXN", "--yes"},
			{installed, "guard"},
			{installed, "guard", "-sysroot=/home/worker/board"},
			{installed, "guard", "-sysroot=/", "-stage=watch"},
			{installed, "guard", "-sysroot=/", "-sysroot=/home/worker/board"},
			{"-u", "other", installed, "guard", "-sysroot=/"},
		} {
			o := s.run(t, "worker", slices.Concat([]string{"sudo", "-n"}, words)...)
			if o.code == 0 || !strings.Contains(o.err, "password is required") {
				t.Errorf("sudo %q: got %d, %q", words, o.code, o.err)
			}
		}
		if after, _ := os.ReadFile(secret); !bytes.Equal(after, before) {
			t.Errorf("%s: %q became %q", secret, before, after)
		}
		asFound(t)
	})
	t.Run("a guard through sudo obeys no other root, whatever the rule allows", func(t *testing.T) {
		s.allow(t, strings.Replace(rule, " -sysroot=/", " *", 1))
		before, _ := os.ReadFile(secret)
		o := s.run(t, "worker", "sudo", "-n", installed, "guard", "-sysroot=/home/worker/board")
		o.fails(t, exitPermission, "through sudo the guard works on / only")
		if after, _ := os.ReadFile(secret); !bytes.Equal(after, before) {
			t.Errorf("%s: %q became %q", secret, before, after)
		}
	})
	for name, text := range map[string]string{
		"no line at all":              "",
		"a line for another user":     strings.Replace(rule, "worker", "other", 1),
		"a line for another program":  strings.Replace(rule, "/usr/local/bin", "/usr/bin", 1),
		"a line without the argument": strings.Replace(rule, " -sysroot=/", " \"\"", 1),
		"a line that is no rule":      "worker NOPASSWD\n",
	} {
		t.Run("wrong setup: "+name, func(t *testing.T) {
			s.allow(t, text)
			o := s.run(t, "worker", installed, "apply", sudoMode, "--yes")
			o.fails(t, exitPermission, "sudo", "no permission")
			must.Equal(t, strings.Count(o.err, "\n"), 1, o.err)
			asFound(t)
		})
	}
}
