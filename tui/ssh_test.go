package tui_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"jtune/internal/must"
	"jtune/tegra/tegratest"
	"jtune/tui/session/fleet/fleettest"
)

// runOver starts the program over SSH, in a terminal of this machine. The remote shell runs first before it; its
// process becomes jtune.
func runOver(t *testing.T, s *fleettest.Server, first string, args ...string) (here *terminal, pid func() int) {
	t.Helper()
	bin := must.Get(program())(t)
	dir := t.TempDir()
	script := filepath.Join(dir, "there")
	text := fmt.Sprintf("echo $$ > %[1]s/pid\n%[2]s\nexport LANG=C.UTF-8 XDG_CONFIG_HOME=%[1]s "+
		"XDG_STATE_HOME=%[1]s\nexec %[3]s --data-dir %[1]s %[4]s\n",
		dir, first, bin, strings.Join(args, " "))
	must.NoError(t, os.WriteFile(script, []byte(text), 0o600))
	here = inTerminal(t, "exec ssh -tt "+strings.Join(s.Flags(), " ")+" "+s.Host()+" sh "+script)
	return here, func() int {
		text := must.Read(t, filepath.Join(dir, "pid"))
		n := must.Get(strconv.Atoi(strings.TrimSpace(string(text))))(t)
		return n
	}
}

func TestSSHTuneApplyKeepAndUndo(t *testing.T) {
	t.Parallel()
	here, _ := runOver(t, fleettest.Start(t), "", "--device", "virtual:agx-orin")
	here.sees("1 Live", "VIRTUAL ×1", "module total")
	here.press("t")
	here.sees("workload", "limit", "coverage")
	here.press("Enter", "Enter")
	here.sees("a apply  A at once")
	here.press("Enter")
	here.sees("measured within", "limit 30 W", "a apply")
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
	here, _ := runOver(t, fleettest.Start(t), "", "--sysroot", root)
	applyUnkept(here)
	if cmp.Equal(found, tegratest.Contents(t, root)) {
		t.Fatal("nothing was written although the screen says so")
	}
	here.press("n")
	here.sees("reverted")
	must.Equal(t, cmp.Diff(found, tegratest.Contents(t, root)), "")
	here.press("q")
	here.gone()
}

// TestSSHShowsTheScreensOfOtherBoards has two boards behind a server, each with its own search, and a local one.
func TestSSHShowsTheScreensOfOtherBoards(t *testing.T) {
	t.Parallel()
	server := fleettest.Start(t)
	bin := must.Get(program())(t)
	options := must.Get(json.Marshal(server.Flags()))(t)
	dir := t.TempDir()
	config := ""
	for name, board := range map[string]string{"bench": "nano", "field": "xavier-nx"} {
		config += fmt.Sprintf("[board.%s]\nssh = %q\noptions = %s\njtune = %q\nargs = [\"--device\", \"virtual:%s\", "+
			"\"--data-dir\", %q]\n", name, server.Host(), options, bin, board, filepath.Join(dir, name))
	}
	file := filepath.Join(dir, "config.toml")
	must.NoError(t, os.WriteFile(file, []byte(config), 0o600))
	here := inTmux(t, "", "--device", "virtual:agx-orin", "--config", file)
	here.sees("AGX Orin", "VIRTUAL ×1")
	here.press("B")
	here.sees("its screens", "bench", "field")
	here.press("Down", "Enter")
	here.sees("bench Nano", "module total")
	here.press("t", "t")
	here.sees("tuning lenet5")
	here.press("B")
	here.sees("its screens", "open", "AGX Orin")
	here.press("Down", "Enter")
	here.sees("field Xavier NX")
	here.press("B")
	here.sees("its screens")
	here.press("g", "Enter", "t", "t")
	here.sees("tuning resnet18")
	here.press("B", "Down", "Enter")
	here.sees("bench Nano", "measured within")
	here.tmux("resize-window", "-x", "120", "-y", "40")
	here.sees("bench Nano  VIRTUAL")
	here.press("q") // on the other board: its end returns to the list
	here.sees("its screens", "ended", "AGX Orin")
	here.press("Escape")
	here.loses("its screens")
	here.press("q")
	here.sees("quitting ends the screens of field too")
	here.press("y")
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

// TestSSHRestoresAJetsonsKnobsAfterALostConnection kills the client of a session in which a mode waits to be kept. The
// server hangs up the terminal: jtune notices by SIGHUP or, if that is ignored as under nohup, by the end of its input
// and the error of its output.
func TestSSHRestoresAJetsonsKnobsAfterALostConnection(t *testing.T) {
	t.Parallel()
	server := fleettest.Start(t)
	for name, first := range map[string]string{"with a hang-up": "", "hang-ups ignored": `trap "" HUP`} {
		t.Run(name, func(t *testing.T) {
			root := tegratest.AGXOrin353(t)
			found := tegratest.Contents(t, root)
			here, pid := runOver(t, server, first, "--sysroot", root)
			applyUnkept(here)
			jtune := pid()
			if ended(jtune) || cmp.Equal(found, tegratest.Contents(t, root)) {
				t.Fatal("nothing was written although the screen says so")
			}
			must.NoError(t, syscall.Kill(here.pid, syscall.SIGKILL))
			for end := time.Now().Add(patience); !ended(jtune); time.Sleep(50 * time.Millisecond) {
				if time.Now().After(end) {
					_ = syscall.Kill(jtune, syscall.SIGKILL)
					t.Fatalf("jtune still runs %v after its connection was lost", patience)
				}
			}
			must.Equal(t, cmp.Diff(found, tegratest.Contents(t, root)), "")
		})
	}
}
