package process

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
)

// LineBuffered makes a command that has not been started write its standard output line by line, and reports whether it
// could. C programs, and others that use C's standard library for output, write a pipe in blocks of 4,096 bytes: 95
// steps may arrive at once. The library of stdbuf(1), which the loader puts before the program, sets the buffer; the
// program's children get it too, as in a pipeline. Programs that are linked statically, or have buffers of their own,
// ignore it.
func LineBuffered(cmd *exec.Cmd) bool {
	preload := stdbuf()
	if preload == "" {
		return false
	}
	env := cmd.Environ()
	add := func(name, separator, value string) {
		for _, v := range env {
			if old, ok := strings.CutPrefix(v, name+"="); ok && old != "" {
				value = old + separator + value
				break
			}
		}
		cmd.Env = append(cmd.Env, name+"="+value)
	}
	add("LD_PRELOAD", ":", preload)
	add("ASAN_OPTIONS", ":", "verify_asan_link_order=0") // otherwise a program with this sanitizer ends at once
	cmd.Env = append(cmd.Env, "_STDBUF_O=L")
	return true
}

// HasLineBuffer reports whether a process has loaded that library: static programs do not, nor those that sudo starts.
func HasLineBuffer(pid int) bool {
	maps, err := os.ReadFile(fmt.Sprintf("/proc/%d/maps", pid))
	return err == nil && strings.Contains(string(maps), stdbuf())
}

// stdbuf returns the path of stdbuf's library, which stdbuf itself knows; "" without it.
var stdbuf = sync.OnceValue(func() string {
	cmd := exec.Command("stdbuf", "-oL", "env")
	cmd.Env = []string{"PATH=" + os.Getenv("PATH")}
	out, _ := cmd.Output() // no such program, or a failure: no path either
	for line := range strings.Lines(string(out)) {
		if path, ok := strings.CutPrefix(strings.TrimSpace(line), "LD_PRELOAD="); ok {
			if _, err := os.Stat(path); err == nil {
				return path
			}
		}
	}
	return ""
})
