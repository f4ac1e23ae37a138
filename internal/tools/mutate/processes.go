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

// adopt makes this process the parent of every process below it whose own parent is gone, also of one that left the
// group and the session of its test.
func adopt() error {
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("processes that tests leave behind could not be ended: %w", err)
	}
	return nil
}

// endsWithin bounds how long what is left of a run may take to end.
const endsWithin = 10 * time.Second

// alone runs a command and then ends every process that it left behind: a watchdog without its guard would compute for
// the mutants after it. Only one command may run at a time, and none may be started by others.
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

// combined runs a command like alone and returns what it printed.
func combined(c *exec.Cmd) ([]byte, error) {
	var out bytes.Buffer
	c.Stdout, c.Stderr = &out, &out
	err := alone(c)
	return out.Bytes(), err
}

// children are the processes whose parent is this one, ended ones that nobody waited for included.
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
		after := text[bytes.LastIndexByte(text, ')')+1:] // a name may hold anything
		if f := strings.Fields(string(after)); len(f) > 1 && f[1] == strconv.Itoa(os.Getpid()) {
			all = append(all, pid)
		}
	}
	return all
}
