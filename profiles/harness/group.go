package harness

import (
	"os"
	"os/exec"
	"sync"
	"syscall"
)

// group is the process group in which a job runs. Its leader is a watcher, a
// shell that waits for the end of a pipe whose other end jtune holds: however
// jtune ends, kill -9 included, the pipe ends with it, and the watcher removes
// the job's container and kills the group. As the watcher is reaped last, the
// group's number cannot come to mean other processes meanwhile.
type group struct {
	watcher *exec.Cmd
	pipe    *os.File

	mu   sync.Mutex
	over bool // the number may mean other processes
}

// watch ignores the signals that end the job; $@ removes the job's container.
const watch = `trap '' HUP INT QUIT TERM; read -r _; [ $# = 0 ] || "$@"; kill -TERM 0; sleep 1; kill -KILL 0`

func newGroup(remove []string) (*group, error) {
	held, pipe, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer held.Close()
	g := &group{
		watcher: exec.Command("/bin/sh", append([]string{"-c", watch, "jtune-watch"}, remove...)...),
		pipe:    pipe,
	}
	g.watcher.Stdin = held
	g.watcher.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := g.watcher.Start(); err != nil {
		pipe.Close()
		return nil, err
	}
	return g, nil
}

// add makes a command that has not been started a process of the group.
func (g *group) add(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pgid: g.watcher.Process.Pid}
}

// signal reaches every process of the group.
func (g *group) signal(sig syscall.Signal) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if !g.over {
		syscall.Kill(-g.watcher.Process.Pid, sig)
	}
}

// end kills what is left of the group, the watcher with it.
func (g *group) end() {
	g.signal(syscall.SIGKILL)
	g.mu.Lock()
	defer g.mu.Unlock()
	if !g.over {
		g.watcher.Wait()
		g.pipe.Close()
		g.over = true
	}
}
