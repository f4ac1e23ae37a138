package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"time"
)

// hang is how long a machine may say nothing that is waited for: emulated, on a busy host.
const hang = 4 * time.Minute

// emulator is a running QEMU with a serial console.
type emulator struct {
	cmd     *exec.Cmd
	keys    io.Writer // the console's keyboard
	mu      sync.Mutex
	lines   []string
	changed chan struct{} // closed and replaced with each line
	ended   chan struct{} // closed when QEMU has ended and all that it said was read
}

// start starts QEMU with the console on its standard output. It is killed with this process.
func start(ctx context.Context, program string, args ...string) (*emulator, error) {
	cmd := exec.CommandContext(ctx, program, append([]string{"-nodefaults", "-nographic", "-no-reboot",
		"-serial", "stdio"}, args...)...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL, Setpgid: true}
	keys, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	cmd.Stderr = cmd.Stdout
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	e := &emulator{cmd: cmd, keys: keys, changed: make(chan struct{}), ended: make(chan struct{})}
	go e.listen(out)
	return e, nil
}

func (e *emulator) listen(out io.Reader) {
	defer close(e.ended)
	for r := bufio.NewReader(out); ; {
		line, err := r.ReadString('\n')
		if err != nil {
			_ = e.cmd.Wait()
			return // a line without its end was not said
		}
		e.mu.Lock()
		line = strings.TrimRight(line, "\r\n")
		e.lines = append(e.lines, line[strings.LastIndex(line, "\r")+1:]) // what stands there in the end
		close(e.changed)
		e.changed = make(chan struct{})
		e.mu.Unlock()
	}
}

// said is every whole line of the console so far.
func (e *emulator) said() []string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.lines[:len(e.lines):len(e.lines)]
}

// wait waits for a line that contains one of the words.
func (e *emulator) wait(words ...string) error {
	late := time.After(hang)
	for from := 0; ; {
		e.mu.Lock()
		lines, changed := e.lines, e.changed
		e.mu.Unlock()
		for ; from < len(lines); from++ {
			for _, w := range words {
				if strings.Contains(lines[from], w) {
					return nil
				}
			}
		}
		select {
		case <-changed:
			late = time.After(hang)
		case <-e.ended:
			return fmt.Errorf("the machine ended before it said %q:\n%s", words, strings.Join(e.said(), "\n"))
		case <-late:
			return fmt.Errorf("the machine did not say %q:\n%s", words, strings.Join(e.said(), "\n"))
		}
	}
}

// cut is a power cut.
func (e *emulator) cut() {
	_ = e.cmd.Process.Kill()
	<-e.ended
}

// prompt ends what QEMU's monitor says.
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
	for _, line := range []string{"", command + "\n"} { // it greets first
		if _, err := io.WriteString(c, line); err != nil {
			return "", err
		}
		for answer = ""; !strings.HasSuffix(answer, prompt); {
			b, err := r.ReadByte()
			if errors.Is(err, io.EOF) && line != "" {
				return answer, nil // it was told to end
			}
			if err != nil {
				return answer, fmt.Errorf("QEMU's monitor: %w after %q", err, answer)
			}
			answer += string(b)
		}
	}
	return answer, nil
}
