package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"jtune/internal/must"
)

// Whatever a command does, jtune prints one line about it, prints its cost, and leaves nothing running.
func TestRunOfABadCommandSaysOneLineAndLeavesNothing(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write := func(name, text string, mode os.FileMode) string {
		path := filepath.Join(dir, name)
		must.NoError(t, os.WriteFile(path, []byte(text), mode))
		return path
	}
	plain, strange := write("plain", "echo a\n", 0o644), write("strange", "neither a program nor a script\n", 0o755)
	sh := func(script string) []string { return []string{"sh", "-c", script} }
	for _, c := range []struct {
		name    string
		command []string
		code    int
		want    string // of the one line; "": no line
		wall    float64
	}{
		{"not found", []string{"no-such-program"}, exitFailed, "was not found in PATH", 0},
		{"a path that is not there", []string{"./no/such"}, exitFailed, "./no/such", 0},
		{"not executable", []string{plain}, exitFailed, "chmod +x", 0},
		{"no program", []string{strange}, exitFailed, "#! line", 0},
		{"a folder", []string{dir}, exitFailed, "cannot be run", 0},
		{"ends at once", sh("exit 0"), exitOK, "", 0.001},
		{"fails at once", sh("exit 7"), exitFailed, "exit status 7", 0.001},
		{"a file that is not there", []string{"python3", "no-such-file.py"}, exitFailed, "no-such-file.py", 0.001},
		{"prints without a line's end", sh("timeout 1 cat /dev/zero; true"), exitOK, "", 0.9},
		{"prints binary", sh("seq 1000000 | gzip"), exitOK, "", 0.001},
		{"never prints", sh("sleep 0.4"), exitOK, "", 0.4},
		{"dies in the middle", steps("30", "kill -9 $$")[1:], exitFailed, "killed", 0.4},
		{"runs out of memory", steps("30", "echo 'RuntimeError: CUDA out of memory' >&2; exit 1")[1:], exitFailed,
			"CUDA out of memory", 0.4},
		{"wants to know whether it has a terminal", sh("test -t 1 || { echo 'no tty' >&2; exit 1; }"), exitFailed,
			"no tty", 0.001},
		{"opens the terminal", sh("read answer </dev/tty"), exitFailed, "/dev/tty", 0.001},
		{"is stopped as the background of a terminal is", sh("kill -TTIN $$"), exitFailed, "waits for the terminal",
			0.001},
		{"waits for an answer", sh("read answer || { echo 'no answer' >&2; exit 1; }"), exitFailed, "no answer", 0.001},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			o := jtune(t, with(append([]string{}, noDevice...), with([]string{"--"}, c.command...)...)...)
			o.ends(t, c.code)
			var said []string
			for line := range strings.Lines(o.err) {
				if strings.HasPrefix(line, "jtune: ") && !strings.Contains(line, "no device") &&
					!strings.HasPrefix(line, "jtune: reads: ") && // after 10 s, which a busy machine makes of any job
					!strings.Contains(line, "measured on this board too") && // of a test beside this one
					!strings.Contains(line, "The command continues") {
					said = append(said, line)
				}
			}
			if c.want == "" && len(said) > 0 || c.want != "" && (len(said) != 1 || !strings.Contains(said[0], c.want)) {
				t.Errorf("%q, want one line with %q", said, c.want)
			}
			if c.wall == 0 {
				return
			}
			if v := o.object(t, runKeys+ownKeys); v["wall_s"].(float64) < c.wall {
				t.Errorf("%v s, want %v at least", v["wall_s"], c.wall)
			}
		})
	}
}

// A command that prints as fast as it can is read in bounded memory, loses no line, and ends normally.
func TestRunOfACommandThatPrintsWithoutEnd(t *testing.T) {
	t.Parallel()
	least, mostKB := 8<<20, 80<<10 // bytes that reach the terminal; it takes 30 MB
	if testing.Short() {
		least, mostKB = 2<<20, 500<<10 // the race detector takes a minute for 20 MB, and 250 MB of its own
	}
	script := fmt.Sprintf("i=0; while [ $i -lt 30 ]; do echo step $i; i=$((i+1)); sleep 0.02; done; "+
		"yes 'a line of no use, neither of how far it is nor of how long it took' | head -c %d; echo all done", least)
	cmd := child(with(noDevice, "--", "sh", "-c", script)...)
	var out strings.Builder
	var said endOf
	cmd.Stdout, cmd.Stderr = &out, &said
	must.NoError(t, cmd.Start())
	most := mostMemory(cmd.Process.Pid)
	if err := cmd.Wait(); err != nil {
		t.Fatal(err, said.text)
	}
	if said.n < least || !strings.Contains(said.text, "all done\n") {
		t.Errorf("%d bytes, the last %q", said.n, said.text)
	}
	if kb := <-most; kb == 0 || kb > mostKB {
		t.Errorf("%d kB of memory", kb)
	}
	v := outcome{out: out.String()}.object(t, runKeys+ownKeys)
	if r := v["reading"].(map[string]any); r["form"] != "step" && r["form"] != "whole" || v["wall_s"].(float64) < 0.6 {
		t.Errorf("%v", v)
	}
}

// mostMemory sends the peak resident memory of a process in kB when it has ended. Rusage starts with the parent's peak
// and cannot be used.
func mostMemory(pid int) <-chan int {
	out := make(chan int, 1)
	go func() {
		kb := 0
		for {
			status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
			_, of, there := strings.Cut(string(status), "VmHWM:")
			if err != nil || !there { // it has ended
				out <- kb
				return
			}
			fmt.Sscan(of, &kb)
			time.Sleep(20 * time.Millisecond)
		}
	}()
	return out
}

// endOf keeps the end of its input.
type endOf struct {
	n    int
	text string
}

func (e *endOf) Write(b []byte) (int, error) {
	e.n += len(b)
	e.text = tailOf(e.text + string(b))
	return len(b), nil
}

func tailOf(s string) string { return s[max(0, len(s)-3000):] }

// Processes that a command left behind are ended, even in another session.
func TestRunOfACommandThatForksAndLeavesEndsWhatItLeft(t *testing.T) {
	t.Parallel()
	pids := filepath.Join(t.TempDir(), "pids")
	script := fmt.Sprintf("sleep 300 & echo $! >%s; setsid sh -c 'echo $$ >>%s; exec sleep 300' & sleep 0.3; echo over",
		pids, pids)
	jtune(t, with(noDevice, "--", "sh", "-c", script)...).done(t)
	list, err := os.ReadFile(pids)
	if err != nil || len(strings.Fields(string(list))) != 2 {
		t.Fatalf("%q, %v", list, err)
	}
	for _, pid := range strings.Fields(string(list)) {
		must.Until(t, "process "+pid+" is ended", func() bool { return !runs(pid) })
	}
}

// runs reports whether a process exists and is no zombie.
func runs(pid string) bool {
	stat, err := os.ReadFile("/proc/" + pid + "/stat")
	return err == nil && !strings.Contains(string(stat), ") Z ")
}

// An interrupted run prints the cost of the command so far, like time(1).
func TestRunOfACommandThatIsInterruptedTellsWhatItCost(t *testing.T) {
	t.Parallel()
	cmd := child(with(noDevice, steps("100000", ":")...)...)
	var out, said safeBuffer
	cmd.Stdout, cmd.Stderr = &out, &said
	must.NoError(t, cmd.Start())
	must.Until(t, "its steps are read", func() bool { return strings.Contains(said.String(), "reads: ") })
	must.NoError(t, cmd.Process.Signal(syscall.SIGINT))
	exited(t, cmd.Wait(), exitInterrupted)
	v := outcome{code: exitInterrupted, out: out.String()}.object(t, runKeys+ownKeys)
	has(t, v, "reading.form = step", "wall_s >= 1")
}
