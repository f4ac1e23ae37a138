package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

// hang is how long to wait for a machine. Time in which QEMU waits for a processor of a busy host does not count.
const hang = 4 * time.Minute

// emulator is a running QEMU or user-mode Linux with a serial console.
type emulator struct {
	cmd     *exec.Cmd
	keys    io.Writer // the console's keyboard
	mu      sync.Mutex
	lines   []string
	changed chan struct{} // closed and replaced with each line
	ended   chan struct{} // closed when QEMU has ended and all its output was read
}

// start starts a machine with the console on its standard output. It is killed with this process.
func start(ctx context.Context, program string, args ...string) (*emulator, error) {
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL, Setpgid: true}
	e := &emulator{cmd: cmd, changed: make(chan struct{}), ended: make(chan struct{})}
	cmd.Cancel = func() error { e.kill(); return nil }
	keys, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	e.keys = keys
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	cmd.Stderr = cmd.Stdout
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	go e.listen(out)
	return e, nil
}

func (e *emulator) listen(out io.Reader) {
	defer close(e.ended)
	for r := bufio.NewReader(out); ; {
		line, err := r.ReadString('\n')
		if err != nil {
			_ = e.cmd.Wait()
			return // an incomplete line does not count
		}
		e.mu.Lock()
		line = strings.TrimRight(line, "\r\n")
		e.lines = append(e.lines, line[strings.LastIndex(line, "\r")+1:]) // text after the last carriage return
		close(e.changed)
		e.changed = make(chan struct{})
		e.mu.Unlock()
		if strings.Contains(line, "reboot: Restarting system") { // a machine ends instead, as QEMU does by itself
			e.kill()
		}
	}
}

// said returns all complete lines of the console so far.
func (e *emulator) said() []string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.lines[:len(e.lines):len(e.lines)]
}

// until yields each line of the console from the start to the first one that contains one of the words. The last yield
// is an error if the machine ends before that, or prints nothing for long.
func (e *emulator) until(words ...string) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		for from, late := 0, e.deadline(hang); ; {
			e.mu.Lock()
			lines, changed := e.lines, e.changed
			e.mu.Unlock()
			for ; from < len(lines); from++ {
				late = e.deadline(hang)
				found := slices.ContainsFunc(words, func(w string) bool { return strings.Contains(lines[from], w) })
				if !yield(lines[from], nil) || found {
					return
				}
			}
			select {
			case <-changed:
				continue
			case <-time.After(time.Second):
				if !late() {
					continue
				}
				yield("", fmt.Errorf("the machine did not say %q:\n%s", words, strings.Join(e.said(), "\n")))
			case <-e.ended:
				if len(e.said()) > from {
					continue
				}
				yield("", fmt.Errorf("the machine ended before it said %q:\n%s", words, strings.Join(e.said(), "\n")))
			}
			return
		}
	}
}

// wait waits for a line that contains one of the words.
func (e *emulator) wait(words ...string) (err error) {
	for _, err = range e.until(words...) {
	}
	return err
}

// deadline returns a function that reports whether the machine has had this much time since. Waiting for a busy host
// does not count.
func (e *emulator) deadline(d time.Duration) (late func() bool) {
	begun, queued := time.Now(), e.queued()
	return func() bool { return time.Since(begun)-(e.queued()-queued) > d }
}

// within returns a context that ends once the machine has had this much time.
func (e *emulator) within(ctx context.Context, d time.Duration) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	go func() {
		for late := e.deadline(d); ctx.Err() == nil && !late(); {
			select {
			case <-ctx.Done():
			case <-time.After(time.Second):
			}
		}
		cancel()
	}()
	return ctx, cancel
}

// queued returns how long QEMU's runnable threads waited for a processor.
func (e *emulator) queued() (sum time.Duration) {
	tasks, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/schedstat", e.cmd.Process.Pid))
	for _, task := range tasks {
		text, _ := os.ReadFile(task) // ns on a processor, ns waiting for one, number of time slices
		if f := strings.Fields(string(text)); len(f) == 3 {
			ns, _ := strconv.ParseInt(f[1], 10, 64)
			sum += time.Duration(ns)
		}
	}
	return sum
}

// cut simulates a power cut.
func (e *emulator) cut() {
	e.kill()
	<-e.ended
}

// kill kills the machine's processes: user-mode Linux has one for each of its own.
func (e *emulator) kill() { _ = syscall.Kill(-e.cmd.Process.Pid, syscall.SIGKILL) }

// prompt ends each output of QEMU's monitor.
const prompt = "(qemu) "

// monitor gives QEMU's monitor a command and returns its answer.
func monitor(socket, command string) (answer string, err error) {
	c, err := net.Dial("unix", socket)
	if err != nil {
		return "", err
	}
	defer c.Close()
	_ = c.SetDeadline(time.Now().Add(hang))
	r := bufio.NewReader(c)
	for _, line := range []string{"", command + "\n"} { // it prints a greeting first
		if _, err := io.WriteString(c, line); err != nil {
			return "", err
		}
		for answer = ""; !strings.HasSuffix(answer, prompt); {
			b, err := r.ReadByte()
			if errors.Is(err, io.EOF) && line != "" {
				return answer, nil // it obeyed the order to quit
			}
			if err != nil {
				return answer, fmt.Errorf("QEMU's monitor: %w after %q", err, answer)
			}
			answer += string(b)
		}
	}
	return answer, nil
}
