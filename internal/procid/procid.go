// Package procid identifies processes, whose numbers come again.
package procid

import (
	"bytes"
	"fmt"
	"os"
	"strings"
)

// Of returns the identity of a process while the system runs: its PID name space, its number, and its start in clock
// ticks since boot. It is "" where these cannot be read.
func Of(pid int) string {
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
