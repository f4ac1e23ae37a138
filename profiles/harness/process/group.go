// Package process keeps hold of a job's processes: their group, which ends however jtune ends, their control group, and
// what they write to a log.
package process

import (
	"bytes"
	"cmp"
	"crypto/rand"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"
)

// Group is the process group in which a job runs. Its leader is a watcher, a shell that waits for the end of a pipe
// whose other end jtune holds: however jtune ends, kill -9 included, the pipe ends with it, and the watcher removes the
// job's container and kills the group. As the watcher is reaped last, the group's number cannot come to mean other
// processes in between. Where the watcher is killed, the group is killed at once: nobody would do it later.
//
// A process of the job that leaves the group, with setsid, is found in the
// job's control group where there is one, else by a variable of its environment:
// then one that empties its environment too is lost. Where jtune and the watcher
// are killed together, EndOrphans ends the job by the same two when the next one
// starts.
type Group struct {
	watcher *exec.Cmd
	pipe    *os.File
	cgroup  *os.File      // folder of the job's control group; nil for none
	run     string        // value of the variable runVariable
	dead    chan struct{} // closed when the watcher has ended and was reaped

	mu   sync.Mutex
	over bool // the number may mean other processes
	ends bool // the watcher is to end
	lost bool // it ended before
}

// runVariable names the environment variable that marks the processes of a job: the process that
// started it, "-", a random text. Tests have one of their own, and end no job of the user's.
func runVariable() string { return cmp.Or(os.Getenv("JTUNE_MARK"), "JTUNE_RUN") }

// watch ignores the signals that end the job, and those by which a terminal stops the whole group; $1 is in the
// environment of its processes, $2 the folder of its control group, what follows removes its container.
const watch = `trap '' HUP INT QUIT TERM TTIN TTOU TSTP; mark=$1; cgroup=$2; shift 2; read -r _; [ $# = 0 ] || "$@"
kill -TERM 0; sleep 1
[ -z "$cgroup" ] || echo 1 >"$cgroup/cgroup.kill"
for p in /proc/[0-9]*; do grep -qsaF "$mark" "$p/environ" && kill -KILL "${p#/proc/}"; done
[ -z "$cgroup" ] || rmdir "$cgroup"
kill -KILL 0`

// NewGroup starts a watcher and with it the group. The command remove, if any, removes the job's container when jtune
// has ended.
func NewGroup(remove []string) (*Group, error) {
	held, pipe, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer held.Close()
	g := &Group{pipe: pipe, run: ID(os.Getpid()) + "-" + rand.Text(), dead: make(chan struct{})}
	folder := ""
	if g.cgroup = newCgroup(g.mark()); g.cgroup != nil {
		folder = g.cgroup.Name()
	}
	g.watcher = exec.Command("/bin/sh", append([]string{"-c", watch, "jtune-watch", g.mark(), folder}, remove...)...)
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

// Watcher is the process number of the watcher, which is the number of the group.
func (g *Group) Watcher() int { return g.watcher.Process.Pid }

// Cgroup is the folder of the job's control group; "" without one.
func (g *Group) Cgroup() string {
	if g.cgroup == nil {
		return ""
	}
	return g.cgroup.Name()
}

// mark is what the job's processes have in their environment.
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

// KillStrays kills the job's processes that left the group, and returns how many.
func (g *Group) KillStrays() (killed int) {
	return g.endCgroup() + killMarked(func(run string) bool { return run == g.run })
}

// endCgroup kills what is left in the job's control group, removes it, and returns how many processes had left the
// process group.
func (g *Group) endCgroup() (killed int) {
	if g.cgroup == nil {
		return 0
	}
	defer g.cgroup.Close() // more than once
	leader := 0
	if g.watcher.Process != nil {
		leader = g.watcher.Process.Pid
	}
	return killCgroup(g.cgroup.Name(), leader)
}

// EndOrphans kills the processes of jobs whose jtune and watcher were both killed, and returns how
// many. Another user's are left.
func EndOrphans() (killed int) {
	over := func(run string) bool {
		by, _, ok := strings.Cut(run, "-")
		space, pid, _ := strings.Cut(by, "/")
		n, err := strconv.Atoi(strings.Split(pid, "/")[0])
		here, _, _ := strings.Cut(ID(os.Getpid()), "/")
		if !ok || err != nil || space != here {
			return false
		}
		// One that is hidden, as by a /proc with hidepid, has not ended.
		now := ID(n)
		return now != by && (now != "" || syscall.Kill(n, 0) == syscall.ESRCH)
	}
	return killCgroups(over) + killMarked(over)
}

// ID names a process for as long as the system runs: its name space of numbers, its number,
// and when it started, in clock ticks since boot. It is "" where that cannot be read.
func ID(pid int) string {
	space, _ := os.Readlink("/proc/self/ns/pid")
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	f := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:])) // from the third field of proc(5)
	if err != nil || len(f) < 20 {
		return ""
	}
	started := f[19]
	if f[0] == "Z" {
		started = "ended"
	}
	return fmt.Sprintf("%s/%d/%s", space, pid, started)
}

// killMarked kills the processes that have the mark of a run.
func killMarked(of func(run string) bool) (killed int) {
	prefix := []byte(runVariable() + "=")
	marked := func(env []byte) bool {
		for v := range bytes.SplitSeq(env, []byte{0}) {
			if run, ok := bytes.CutPrefix(v, prefix); ok {
				return of(string(run))
			}
		}
		return false
	}
	for range 10 { // what they started in between
		before := killed
		names, _ := filepath.Glob("/proc/[0-9]*/environ")
		for _, name := range names {
			pid, err := strconv.Atoi(filepath.Base(filepath.Dir(name)))
			if err != nil {
				continue
			}
			p, err := os.FindProcess(pid) // before its environment is read: the number may pass on
			if err != nil {
				continue
			}
			if env, err := os.ReadFile(name); err == nil && marked(env) && p.Kill() == nil {
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

// End kills what is left of the group, the watcher with it.
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

// Alive reports whether a process runs that has that identity; "": any.
func Alive(pid int, id string) bool {
	now := ID(pid)
	return now != "" && !strings.HasSuffix(now, "/ended") && (id == "" || id == now)
}
