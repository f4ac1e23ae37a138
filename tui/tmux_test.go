package tui_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"jtune/internal/must"
	"jtune/internal/testhome"
	"jtune/tegra/tegratest"
	"jtune/tui/cli"
	"jtune/tui/session/fleet/fleettest"
)

// patience is how long a program may take to show or do something: longer is a hang, not a slow machine.
const patience = 3 * time.Minute

// terminal is the real program in a tmux terminal.
type terminal struct {
	t       *testing.T
	session string // on the server of all tests
	pid     int    // of the process on it
}

// program returns a script that starts the test program as jtune, from the shell of another machine too.
var program = sync.OnceValues(func() (path string, err error) {
	path = filepath.Join(os.Getenv("XDG_STATE_HOME"), "program") // removed at the end of all tests
	return path, os.WriteFile(path, []byte("#!/bin/sh\n"+asJtune+"=1 exec "+os.Args[0]+" \"$@\"\n"), 0o755)
})

// asJtune makes the test program behave like jtune.
const asJtune = "JTUNE_TEST_MAIN"

// TestMain keeps the tests away from the user's files and jobs, and leaves no files behind.
func TestMain(m *testing.M) {
	if os.Getenv(asJtune) != "" {
		os.Exit(cli.Main())
	}
	if len(os.Args) > 1 && os.Args[1] == "guard" { // a session's guard is this program: it would run all tests again
		os.Exit(1)
	}
	remove := testhome.Set()
	testhome.Together(4)
	code := m.Run()
	_ = onServer("kill-server").Run() // fails where no test started one
	remove()
	fleettest.Clean()
	os.Exit(code)
}

// inTmux starts the program in its own terminal.
func inTmux(t *testing.T, env string, args ...string) *terminal {
	t.Helper()
	if testing.Short() {
		t.Skip("builds and runs the whole program")
	}
	bin := must.Get(program())(t)
	dir := t.TempDir()
	return inTerminal(t,
		fmt.Sprintf("exec env LANG=C.UTF-8 XDG_CONFIG_HOME=%[1]s XDG_STATE_HOME=%[1]s %[2]s %[3]s --data-dir %[1]s "+
			"%[4]s",
			dir, env, bin, strings.Join(args, " ")))
}

// server starts the tmux server that all tests share. Its own session keeps it while this program runs, however that
// ends.
var server = sync.OnceValue(func() error {
	return onServer("new-session", "-d", fmt.Sprintf("exec tail --pid=%d -f /dev/null", os.Getpid())).Run()
})

// onServer returns a command to that server.
func onServer(args ...string) *exec.Cmd {
	socket := filepath.Join(os.Getenv("XDG_STATE_HOME"), "tmux")
	return exec.Command("tmux", append([]string{"-S", socket, "-f", "/dev/null"}, args...)...)
}

// inTerminal runs a shell command line in its own terminal.
func inTerminal(t *testing.T, line string) *terminal {
	t.Helper()
	if _, err := exec.LookPath("tmux"); err != nil {
		t.Skip("tmux is not here")
	}
	must.NoError(t, server())
	out, err := onServer("new-session", "-d", "-P", "-F", "#{session_id} #{pane_pid}", "-x", "80", "-y", "24",
		line).CombinedOutput()
	s := &terminal{t: t}
	if _, scan := fmt.Sscan(string(out), &s.session, &s.pid); err != nil || scan != nil {
		t.Fatalf("no terminal: %v\n%s", err, out)
	}
	t.Cleanup(func() { s.lose(); s.over() })
	return s
}

// lose takes the terminal away from the process in it.
func (s *terminal) lose() { _ = onServer("kill-session", "-t", s.session).Run() }

// over waits until the process in the terminal has ended: until then it may write to the test's folders.
func (s *terminal) over() {
	s.t.Helper()
	for end := time.Now().Add(patience); s.pid > 0 && !ended(s.pid); time.Sleep(50 * time.Millisecond) {
		if time.Now().After(end) {
			_ = syscall.Kill(s.pid, syscall.SIGKILL)
			s.t.Fatalf("process %d still runs %v after its terminal was lost", s.pid, patience)
		}
	}
}

// tmux runs a command of tmux on the terminal.
func (s *terminal) tmux(command string, args ...string) string {
	s.t.Helper()
	out, err := onServer(append([]string{command, "-t", s.session}, args...)...).CombinedOutput()
	if err != nil {
		s.t.Fatalf("tmux %s %v: %v\n%s", command, args, err, out)
	}
	return string(out)
}

func (s *terminal) screen() string { s.t.Helper(); return s.tmux("capture-pane", "-p") }

// press types keys no faster than a person: faster keys count as pasted, which neither applies nor keeps a mode.
func (s *terminal) press(keys ...string) {
	s.t.Helper()
	for _, k := range keys {
		time.Sleep(50 * time.Millisecond)
		s.tmux("send-keys", k)
	}
}

// until looks at the screen until it is as wanted, less and less often: each look is a process.
func (s *terminal) until(wanted func(screen string) bool) (screen string, ok bool) {
	s.t.Helper()
	pause := 30 * time.Millisecond
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(pause) {
		if screen = s.screen(); wanted(screen) {
			return screen, true
		}
		pause = min(pause*3/2, 500*time.Millisecond)
	}
	return screen, false
}

// sees waits until the screen holds all the words.
func (s *terminal) sees(words ...string) string {
	s.t.Helper()
	screen, ok := s.until(func(screen string) bool {
		return !slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(screen, w) })
	})
	if !ok {
		s.t.Fatalf("the screen never showed %q:\n%s", words, screen)
	}
	return screen
}

// loses waits until the screen no longer contains the words.
func (s *terminal) loses(words string) {
	s.t.Helper()
	screen, ok := s.until(func(screen string) bool { return !strings.Contains(screen, words) })
	if !ok {
		s.t.Fatalf("the screen still shows %q:\n%s", words, screen)
	}
}

func TestTmuxTunesAppliesAndKeeps(t *testing.T) {
	t.Parallel()
	s := inTmux(t, "", "--device", "virtual:agx-orin")
	s.sees("1 Live", "VIRTUAL ×1", "CPU", "GPU", "EMC", "module total")
	s.press("t")
	s.sees("workload", "limit", "coverage")
	s.press("Enter", "Enter")
	s.sees("a apply  A at once", "measured within")
	s.press("Enter")
	s.sees("best within the limit", "measured", "measured within", "limit 30 W")
	s.press("a")
	s.sees("no reboot needed")
	s.press("a")
	s.sees("keep? y / n", "the board is in it")
	s.press("y")
	s.sees("kept", "u undo")
	s.tmux("resize-window", "-x", "200", "-y", "50")
	s.sees("best within the limit", "AGX Orin")
	s.press("1")
	s.sees("Temperature, last 2 min")
	s.tmux("resize-window", "-x", "40", "-y", "12")
	s.sees("CPU", "GPU", "EMC", " W ")
	s.press("u")
	s.sees("reverted")
	s.press("q")
	s.gone()
}

func TestTmuxFollowsAnotherProcessCampaignWithOwnKeys(t *testing.T) {
	t.Parallel()
	config := filepath.Join(t.TempDir(), "config.toml")
	must.NoError(t, os.WriteFile(config, []byte("[keys]\ntune = [\"K\"]\ngroup = [\"ctrl+k\"]\n"), 0o644))
	data := t.TempDir()
	s := inTmux(t, "", "--device", "virtual:agx-orin", "--config", config, "--data-dir", data)
	s.sees("New here?", "K finds a job's best mode", "K tune", "module total")
	bin := must.Get(program())(t)
	profile := func(data string) *os.Process {
		other := exec.Command(bin, "profile", "lenet5", "--modes", "40", "--device", "virtual:agx-orin", "--data-dir",
			data)
		must.NoError(t, other.Start())
		t.Cleanup(func() { _ = other.Process.Kill(); _ = other.Wait() })
		return other.Process
	}
	stranger := profile(t.TempDir())
	s.press("3")
	other := profile(data)
	must.Lack(t, s.sees("(jtune "+strconv.Itoa(other.Pid)+")", "running", "of 40 modes"), "New here?")
	s.press("Space")
	s.sees("pause? y / n", "lenet5 of ", "(jtune "+strconv.Itoa(other.Pid)+")")
	s.press("y")
	s.sees("paused")
	s.press("x")
	s.sees("stop? y / n")
	s.press("y")
	s.sees("ended or cut off") // the other program's virtual board keeps running, which does not matter here
	must.NoError(t, stranger.Signal(os.Interrupt))
	s.press("K")
	s.sees("workload", "limit", "coverage")
	s.press("Escape")
	s.sees("n new campaign") // a terminal reads a q right after esc as one key
	s.press("q")
	s.gone()
}

func TestTmuxLostEndsTheProgram(t *testing.T) {
	t.Parallel()
	s := inTmux(t, "", "--device", "virtual:agx-orin")
	s.sees("module total")
	s.press("t", "t")
	s.lose()
	s.over()
}

// ended reports whether a process is gone or a zombie.
func ended(pid int) bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	return err != nil || strings.Contains(string(stat), ") Z ")
}

// gone waits until the terminal's only program ends by itself.
func (s *terminal) gone() {
	s.t.Helper()
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		if onServer("has-session", "-t", s.session).Run() != nil {
			return
		}
	}
	s.t.Errorf("the program has not ended:\n%s", s.screen())
}

func TestTmuxLostRestoresAJetsonsKnobs(t *testing.T) {
	t.Parallel()
	root := tegratest.AGXOrin353(t)
	found := tegratest.Contents(t, root)
	s := inTmux(t, "", "--sysroot", root)
	s.sees("module total", "MAXN")
	must.Lack(t, s.screen(), "VIRTUAL")
	s.press("6", "p", "Down", "a")
	s.sees("MODE_15W", "reboot needed")
	s.press("a")
	s.sees("keep? y / n")
	if cmp.Equal(found, tegratest.Contents(t, root)) {
		t.Fatal("nothing was written although the screen says so")
	}
	s.lose()
	s.over()
	must.Equal(t, cmp.Diff(found, tegratest.Contents(t, root)), "")
}

func TestTmuxWithNoColorShowsNoColour(t *testing.T) {
	t.Parallel()
	s := inTmux(t, "NO_COLOR=x", "--device", "virtual:agx-orin")
	s.sees("module total")
	for _, part := range strings.Split(s.tmux("capture-pane", "-p", "-e"), "\x1b[")[1:] {
		code, _, _ := strings.Cut(part, "m")
		for _, c := range strings.Split(code, ";") {
			if n, err := strconv.Atoi(c); err == nil && (n >= 30 && n <= 37 || n >= 90 && n <= 97 || n == 38 ||
				n == 48) {
				t.Fatalf("colour code %q although NO_COLOR is set", code)
			}
		}
	}
}
