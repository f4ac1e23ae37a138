package record

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
)

// Running is a campaign that another process holds now.
type Running struct {
	Dir string
	PID int
}

// Finder finds campaigns that other processes run: those that processes of this user have open,
// wherever they are, and those of other users directly below Parents. It takes no lock itself
// and so blocks no campaign. It examines each lock of the system only once, so frequent calls
// are cheap. It is safe for use by several goroutines.
type Finder struct {
	Parents []string

	mu   sync.Mutex
	seen map[lockHeld]string // a campaign's folder; "" for other locks
}

// Running lists the campaign folders that other processes hold now.
func (f *Finder) Running() []Running { return f.running("/proc", os.Getpid()) }

// Held lists the campaign folders that any process holds now, this one too.
func (f *Finder) Held() []Running { return f.running("/proc", 0) }

func (f *Finder) running(proc string, self int) []Running {
	text, err := os.ReadFile(filepath.Join(proc, "locks"))
	if err != nil {
		return nil
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	now := map[lockHeld]string{}
	var out []Running
	for _, h := range parseLocks(string(text)) {
		dir, known := f.seen[h]
		if !known {
			dir = f.folderOf(proc, h)
		}
		now[h] = dir
		if dir != "" && h.pid != self {
			out = append(out, Running{dir, h.pid})
		}
	}
	f.seen = now
	return out
}

// folderOf finds the campaign folder that a lock belongs to; "" for other locks.
func (f *Finder) folderOf(proc string, h lockHeld) string {
	fds := filepath.Join(proc, strconv.Itoa(h.pid), "fd")
	entries, err := os.ReadDir(fds)
	var names []string
	for _, e := range entries {
		if name, err := os.Readlink(filepath.Join(fds, e.Name())); err == nil && filepath.Base(name) == lockName {
			names = append(names, name)
		}
	}
	if err != nil { // another user's process
		for _, parent := range f.Parents {
			folders, _ := os.ReadDir(parent) // far cheaper than a pattern where there are thousands
			for _, f := range folders {
				names = append(names, filepath.Join(parent, f.Name(), lockName))
			}
		}
	}
	for _, name := range names {
		var st syscall.Stat_t
		if syscall.Stat(name, &st) == nil && st.Ino == h.inode {
			return filepath.Dir(name)
		}
	}
	return ""
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
		n, err2 := strconv.ParseUint(f[5][strings.LastIndexByte(f[5], ':')+1:], 10, 64)
		if err == nil && err2 == nil && pid > 0 {
			out = append(out, lockHeld{pid, n})
		}
	}
	return out
}
