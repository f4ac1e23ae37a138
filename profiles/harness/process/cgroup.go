package process

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// newCgroup creates a control group (version 2) for a job below jtune's own, and opens its folder. Every process of the
// job starts in it, and stays in it whatever its process group, session or environment. It returns nil where this
// process may not create one (root may, and a process in a scope of the user's systemd: a desktop terminal, systemd-run
// --user --scope), and where the kernel cannot kill a group as a whole (cgroup.kill, since Linux 5.14).
func newCgroup(mark string) *os.File {
	own := ownCgroup()
	if own == "" {
		return nil
	}
	// Starting a process in another group needs write permission on the group above both.
	procs, err := os.OpenFile(filepath.Join(own, "cgroup.procs"), os.O_WRONLY, 0)
	if err != nil {
		return nil
	}
	procs.Close()
	path := filepath.Join(own, cgroupName(mark))
	if err := os.Mkdir(path, 0o755); err != nil {
		return nil
	}
	kind, _ := os.ReadFile(filepath.Join(path, "cgroup.type")) // groups below a threaded one take no process
	if string(kind) == "domain\n" && unix.Access(filepath.Join(path, "cgroup.kill"), unix.F_OK) == nil {
		if dir, err := os.Open(path); err == nil {
			return dir
		}
	}
	os.Remove(path)
	return nil
}

// ownCgroup returns the folder of this process's control group; "" without version 2.
func ownCgroup() string {
	mounts, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		return ""
	}
	groups, err := os.ReadFile("/proc/self/cgroup")
	if err != nil {
		return ""
	}
	return cgroupFolder(string(mounts), string(groups))
}

// cgroupFolder finds the folder in the texts of /proc/PID/mountinfo and /proc/PID/cgroup; see proc(5) and cgroups(7).
func cgroupFolder(mounts, groups string) string {
	for line := range strings.Lines(groups) {
		group, ok := strings.CutPrefix(strings.TrimSuffix(line, "\n"), "0::")
		if !ok || strings.HasPrefix(group, "/..") { // outside of this name space
			continue
		}
		for mount := range strings.Lines(mounts) {
			at, kind, _ := strings.Cut(mount, " - ")
			f := strings.Fields(at) // number, parent, device, root, mount point, options
			if len(f) < 6 || !strings.HasPrefix(kind, "cgroup2 ") {
				continue
			}
			if below, err := filepath.Rel(f[3], group); err == nil && filepath.IsLocal(below) {
				return filepath.Join(f[4], below)
			}
		}
	}
	return ""
}

// cgroupName returns the folder name of a job's group: its mark, in which slashes are replaced.
func cgroupName(mark string) string { return strings.ReplaceAll(mark, "/", ",") }
func cgroupMark(name string) string { return strings.ReplaceAll(name, ",", "/") }

// killCgroup kills the processes of a control group, waits briefly until they have ended, and removes the group. It
// returns how many of them were outside a process group.
func killCgroup(path string, group int) (killed int) {
	procs, err := os.ReadFile(filepath.Join(path, "cgroup.procs"))
	if err != nil {
		return 0
	}
	for pid := range strings.FieldsSeq(string(procs)) {
		n, _ := strconv.Atoi(pid)
		if in, err := syscall.Getpgid(n); err == nil && in != group {
			killed++
		}
	}
	if os.WriteFile(filepath.Join(path, "cgroup.kill"), []byte("1"), 0) != nil {
		return 0
	}
	for range 50 { // otherwise EndOrphans removes it after this jtune has ended
		if err := os.Remove(path); err == nil || os.IsNotExist(err) {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	return killed
}

// killCgroups does this for the control groups below this process's whose run matches of.
func killCgroups(of func(run string) bool) (killed int) {
	own := ownCgroup()
	if own == "" {
		return 0
	}
	names, _ := os.ReadDir(own)
	for _, name := range names {
		if run, ok := strings.CutPrefix(cgroupMark(name.Name()), runVariable()+"="); ok && of(run) {
			killed += killCgroup(filepath.Join(own, name.Name()), 0)
		}
	}
	return killed
}
