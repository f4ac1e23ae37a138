// Package process controls a job's processes: their process group, which ends however jtune ends, their control group,
// and the log that they write.
package process

import (
	"bytes"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"jtune/internal/procid"
	"jtune/profiles/harness/engine"
)

// Group is the process group in which a job runs. Its leader is a watcher, a shell that waits for the end of a pipe
// whose other end jtune holds. However jtune ends, even with kill -9, the pipe ends with it; the watcher then kills the
// job and removes its container. The watcher is reaped last, so the group's number cannot be reused in
// between. If the watcher itself is killed, the group is killed at once, because nothing would do it later.
//
// A process that leaves the group with setsid is found in the job's control group, if there is one, or else by an
// environment variable; a process that also clears its environment is then lost. If jtune and the watcher are killed
// together, EndOrphans ends the job by the same two means when the next jtune starts one.
type Group struct {
	watcher *exec.Cmd
	pipe    *os.File
	cgroup  *os.File      // folder of the job's control group; nil for none
	run     string        // value of the variable runVariable
	dead    chan struct{} // closed when the watcher has ended and was reaped

	mu   sync.Mutex
	over bool // the number may have been reused
	ends bool // the watcher is about to end
	lost bool // it ended before that
}

// runVariable returns the name of the environment variable that marks a job's processes. Its value is the process that
// started the job, "-", and a random text. Tests add to the name, so that they end no job of the user's.
func runVariable() string { return "JTUNE_RUN" + os.Getenv("JTUNE_TEST_MARK") }

// watch ignores the signals that end the job, and those by which a terminal stops the whole group. $1 is the mark in
// its processes' environment, $2 the folder of its control group, $3 the name of its container; the remaining arguments
// begin commands of that container's engine. The container is removed when its client has been killed, which may still
// be creating it, or removing it too.
const watch = `trap '' HUP INT QUIT TERM TTIN TTOU TSTP; mark=$1; cgroup=$2; name=$3; shift 3; read -r _
kill -TERM 0; sleep 1
[ -z "$cgroup" ] || echo 1 >"$cgroup/cgroup.kill"
for p in /proc/[0-9]*; do grep -qsaF "$mark" "$p/environ" && kill -KILL "${p#/proc/}"; done
[ -z "$name" ] || { "$@" kill "$name"; "$@" rm -f "$name"; }
[ -z "$cgroup" ] || rmdir "$cgroup"
kill -KILL 0`

// NewGroup starts a watcher and with it the group. The job's container, if any, is removed when jtune has ended.
func NewGroup(box engine.Container) (*Group, error) {
	held, pipe, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer held.Close()
	g := &Group{pipe: pipe, run: procid.Of(os.Getpid()) + "-" + rand.Text(), dead: make(chan struct{})}
	folder := ""
	if g.cgroup = newCgroup(g.mark()); g.cgroup != nil {
		folder = g.cgroup.Name()
	}
	g.watcher = exec.Command("/bin/sh", append([]string{"-c", watch, "jtune-watch", g.mark(), folder, box.Name},
		box.Engine...)...)
	g.watcher.Stdin = held
	g.watcher.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := g.watcher.Start(); err != nil {
		pipe.Close()
		g.endCgroup()
		return nil, err
	}
	go g.wait()
	return g, nil
}

// wait waits for the watcher's end, and reaps it when the group has been killed.
func (g *Group) wait() {
	defer close(g.dead)
	pid := g.watcher.Process.Pid
	for unix.Waitid(unix.P_PID, pid, nil, unix.WEXITED|unix.WNOWAIT, nil) == unix.EINTR {
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.lost = !g.ends; g.lost {
		syscall.Kill(-pid, syscall.SIGKILL)
	}
	g.over = true
	g.watcher.Wait()
}

// Add makes a command that has not been started a process of the group.
func (g *Group) Add(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pgid: g.watcher.Process.Pid}
	if g.cgroup != nil {
		cmd.SysProcAttr.UseCgroupFD, cmd.SysProcAttr.CgroupFD = true, int(g.cgroup.Fd())
	}
	cmd.Env = append(cmd.Environ(), g.mark())
}

// Watcher returns the watcher's process number, which is also the group's.
func (g *Group) Watcher() int { return g.watcher.Process.Pid }

// Cgroup returns the folder of the job's control group; "" without one.
func (g *Group) Cgroup() string {
	if g.cgroup == nil {
		return ""
	}
	return g.cgroup.Name()
}

// mark returns the environment entry of the job's processes.
func (g *Group) mark() string { return runVariable() + "=" + g.run }

// Signal reaches every process of the group.
func (g *Group) Signal(sig syscall.Signal) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if !g.over {
		g.ends = g.ends || sig == syscall.SIGKILL
		syscall.Kill(-g.watcher.Process.Pid, sig)
	}
}

// KillStrays kills the job's processes that left the group and returns how many.
func (g *Group) KillStrays() (killed int) {
	return g.endCgroup() + killMarked(func(run string) bool { return run == g.run })
}

// endCgroup kills what is left in the job's control group, removes the group, and returns how many processes had left
// the process group.
func (g *Group) endCgroup() (killed int) {
	if g.cgroup == nil {
		return 0
	}
	defer g.cgroup.Close() // may be closed more than once
	leader := 0
	if g.watcher.Process != nil {
		leader = g.watcher.Process.Pid
	}
	return killCgroup(g.cgroup.Name(), leader)
}

// EndOrphans kills the processes of jobs whose jtune and watcher were both killed, and returns how many. It leaves
// other users' processes alone.
func EndOrphans() (killed int) {
	over := func(run string) bool {
		by, _, ok := strings.Cut(run, "-")
		space, pid, _ := strings.Cut(by, "/")
		n, err := strconv.Atoi(strings.Split(pid, "/")[0])
		here, _, _ := strings.Cut(procid.Of(os.Getpid()), "/")
		if !ok || err != nil || space != here {
			return false
		}
		// A process that is hidden, as by a /proc with hidepid, has not ended.
		now := procid.Of(n)
		return now != by && (now != "" || syscall.Kill(n, 0) == syscall.ESRCH)
	}
	return killCgroups(over) + killMarked(over)
}

// runIn returns the run that an environment marks; "" without a mark.
func runIn(env []byte) string {
	prefix := []byte(runVariable() + "=")
	for v := range bytes.SplitSeq(env, []byte{0}) {
		if run, ok := bytes.CutPrefix(v, prefix); ok {
			return string(run)
		}
	}
	return ""
}

// Left returns the command lines of the job's living processes, the watcher's left out. It gives processes that are
// about to end, such as loaders whose training has ended, up to patience to do so.
func (g *Group) Left(patience time.Duration) (commands []string) {
	for end := time.Now().Add(patience); ; time.Sleep(20 * time.Millisecond) {
		if commands = g.living(); len(commands) == 0 || time.Now().After(end) {
			return commands
		}
	}
}

func (g *Group) living() (commands []string) {
	names, _ := filepath.Glob("/proc/[0-9]*")
	for _, name := range names {
		pid, _ := strconv.Atoi(filepath.Base(name))
		if pid == g.Watcher() || !Alive(pid, "") || !g.has(pid) {
			continue
		}
		line, err := os.ReadFile(filepath.Join(name, "cmdline"))
		if words := strings.TrimRight(string(line), "\x00"); err == nil && words != "" {
			commands = append(commands, strings.ReplaceAll(words, "\x00", " "))
		}
	}
	return commands
}

// has reports whether a process belongs to the job: by its group, its control group or its mark.
func (g *Group) has(pid int) bool {
	if in, err := syscall.Getpgid(pid); err == nil && in == g.Watcher() {
		return true
	}
	if g.cgroup != nil {
		in, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cgroup", pid))
		return strings.Contains(string(in), "/"+filepath.Base(g.cgroup.Name())+"\n")
	}
	env, _ := os.ReadFile(fmt.Sprintf("/proc/%d/environ", pid))
	return runIn(env) == g.run
}

// killMarked kills the processes that have the mark of a run.
func killMarked(of func(run string) bool) (killed int) {
	for range 10 { // processes may start others meantime
		before := killed
		names, _ := filepath.Glob("/proc/[0-9]*/environ")
		for _, name := range names {
			pid, err := strconv.Atoi(filepath.Base(filepath.Dir(name)))
			if err != nil {
				continue
			}
			p, err := os.FindProcess(pid) // opened before its environment is read: the number may be reused
			if err != nil {
				continue
			}
			if env, err := os.ReadFile(name); err == nil && of(runIn(env)) && p.Kill() == nil {
				killed++
			}
			p.Release()
		}
		if killed == before {
			break
		}
	}
	return killed
}

// End kills what is left of the group, including the watcher.
func (g *Group) End() {
	g.Signal(syscall.SIGKILL)
	g.endCgroup()
	<-g.dead
	g.pipe.Close()
}

// Abandoned reports whether the watcher was killed.
func (g *Group) Abandoned() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.lost
}

// Alive reports whether a process with that identity is running; "" matches any.
func Alive(pid int, id string) bool {
	now := procid.Of(pid)
	return now != "" && !strings.HasSuffix(now, "/ended") && (id == "" || id == now)
}

// Foreign reports whether a process belongs to another user, such as sudo's, so that it cannot be signalled.
func Foreign(p *os.Process) bool { return errors.Is(p.Signal(syscall.Signal(0)), syscall.EPERM) }

// StillRuns returns the error for a process that does not end although it was killed.
func StillRuns(name string, p *os.Process) error {
	if Foreign(p) {
		return fmt.Errorf("%s (process %d) still runs: it belongs to another user, so jtune may not end it; end it "+
			"with sudo kill %d", name, p.Pid, p.Pid)
	}
	return fmt.Errorf("%s (process %d) still runs although it was killed", name, p.Pid)
}
