package profiles

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
)

// Running is a campaign that another process holds now.
type Running struct {
	Dir string
	PID int
}

// FindRunning lists the campaign folders that other processes hold: those that
// processes of this user have open, wherever they lie, and those right below
// the given parents. It takes no lock itself, so nobody is kept out by it.
func FindRunning(parents ...string) []Running {
	return findRunning("/proc", os.Getpid(), parents)
}

func findRunning(proc string, self int, parents []string) []Running {
	text, err := os.ReadFile(filepath.Join(proc, "locks"))
	if err != nil {
		return nil
	}
	held := parseLocks(string(text))
	var dirs []string
	for _, h := range held {
		fds, _ := filepath.Glob(filepath.Join(proc, strconv.Itoa(h.pid), "fd", "*"))
		for _, fd := range fds {
			if name, err := os.Readlink(fd); err == nil && filepath.Base(name) == lockName {
				dirs = append(dirs, filepath.Dir(name))
			}
		}
	}
	for _, parent := range parents {
		found, _ := filepath.Glob(filepath.Join(parent, "*", lockName))
		for _, name := range found {
			dirs = append(dirs, filepath.Dir(name))
		}
	}
	slices.Sort(dirs)
	var out []Running
	for _, dir := range slices.Compact(dirs) {
		if pid, ok := holder(dir, held); ok && pid != self {
			out = append(out, Running{dir, pid})
		}
	}
	return out
}

// lockHeld is a line of /proc/locks: a process holds a lock of the flock kind
// on a file.
type lockHeld struct {
	pid   int
	inode uint64
}

// parseLocks reads lines such as
//
//	2: FLOCK  ADVISORY  WRITE 4242 08:01:1311 0 EOF
//
// (kernel, fs/locks.c). Waiting locks, whose number is followed by ->, are
// left out.
func parseLocks(text string) []lockHeld {
	var out []lockHeld
	for line := range strings.SplitSeq(text, "\n") {
		f := strings.Fields(line)
		if len(f) < 6 || f[1] != "FLOCK" {
			continue
		}
		pid, err := strconv.Atoi(f[4])
		_, inode, ok := cutLast(f[5], ":")
		n, err2 := strconv.ParseUint(inode, 10, 64)
		if err == nil && err2 == nil && ok && pid > 0 {
			out = append(out, lockHeld{pid, n})
		}
	}
	return out
}

func cutLast(s, sep string) (before, after string, found bool) {
	if i := strings.LastIndex(s, sep); i >= 0 {
		return s[:i], s[i+len(sep):], true
	}
	return s, "", false
}

// holder is the process that holds a campaign folder.
func holder(dir string, held []lockHeld) (pid int, ok bool) {
	st, err := os.Stat(filepath.Join(dir, lockName))
	if err != nil {
		return 0, false
	}
	sys, isUnix := st.Sys().(*syscall.Stat_t)
	if !isUnix {
		return 0, false
	}
	for _, h := range held {
		if h.inode == sys.Ino {
			return h.pid, true
		}
	}
	return 0, false
}
