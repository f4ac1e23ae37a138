package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// adopt makes this process the parent of all its descendants whose own parent has ended, including those that left the
// group and session of their test.
func adopt() error {
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("processes that tests leave behind could not be ended: %w", err)
	}
	return nil
}

// endsWithin is how long the remaining processes of a run may take to end.
const endsWithin = 10 * time.Second

// alone runs a command and then ends every process that it left behind: a watchdog without its guard would slow down
// the following mutants. Only one command may run at a time, and nothing else may start processes.
func alone(c *exec.Cmd) error {
	err := c.Run()
	for end := time.Now().Add(endsWithin); ; {
		left := children()
		if len(left) == 0 {
			return err
		}
		if time.Now().After(end) {
			return fmt.Errorf("processes %v of a test do not end", left)
		}
		for _, pid := range left {
			_ = syscall.Kill(pid, syscall.SIGKILL)
			_, _ = syscall.Wait4(pid, nil, syscall.WNOHANG, nil)
		}
		time.Sleep(time.Millisecond)
	}
}

// combined runs a command like alone and returns its output.
func combined(c *exec.Cmd) ([]byte, error) {
	var out bytes.Buffer
	c.Stdout, c.Stderr = &out, &out
	err := alone(c)
	return out.Bytes(), err
}

// children returns the child processes of this one, including zombies.
func children() (all []int) {
	folders, _ := os.ReadDir("/proc")
	for _, f := range folders {
		pid, err := strconv.Atoi(f.Name())
		if err != nil {
			continue
		}
		text, err := os.ReadFile("/proc/" + f.Name() + "/stat")
		if err != nil {
			continue
		}
		after := text[bytes.LastIndexByte(text, ')')+1:] // a name may contain anything
		if f := strings.Fields(string(after)); len(f) > 1 && f[1] == strconv.Itoa(os.Getpid()) {
			all = append(all, pid)
		}
	}
	return all
}
