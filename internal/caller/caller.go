// Package caller finds the user behind sudo and gives a process that user's identity: root's
// rights are for the knobs, not for the user's files and jobs.
//
//	sudo jtune ──► Drop: the user's identity ──► files, jobs
//	                └─ root's kept in reserve ──► AsRoot: device files, boot unit; Privileged: the guard
package caller

import (
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"runtime"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"

	"jtune/internal/text"
)

// account is the user who started jtune as root through sudo.
type account struct {
	uid, gid int
	groups   []int
	env      [][2]string // HOME, USER, LOGNAME; none for a user ID without a name
}

// dropped is set while root's identity is in reserve.
var dropped *account

// Drop gives this process, which runs as root through sudo, the identity of the calling user: all files that it opens
// and processes that it starts from now on belong to that user. Root's identity stays in reserve for AsRoot and
// Privileged. Without sudo it does nothing. Call it at the start of the program, before anything is opened. The kernel
// then treats the process as one of root's and hides it from the user: AsRoot is needed to read even its own files in
// /proc.
func Drop() error {
	a, err := find(os.Geteuid(), os.Getenv, user.LookupId)
	if err != nil || a == nil {
		return err
	}
	for _, step := range []func() error{
		func() error { return syscall.Setgroups(a.groups) },
		func() error { return syscall.Setresgid(a.gid, a.gid, 0) },
		func() error { return syscall.Setresuid(a.uid, a.uid, 0) }, // the saved IDs are the reserve
	} {
		if err := step(); err != nil {
			return fmt.Errorf("root through sudo cannot become user %d again: %w", a.uid, err)
		}
	}
	for _, v := range a.env {
		if err := os.Setenv(v[0], v[1]); err != nil {
			return err
		}
	}
	dropped = a
	return nil
}

// Root reports whether this process has root's rights, or keeps them in reserve.
func Root() bool { return dropped != nil || os.Geteuid() == 0 }

// AsRoot calls f with root's access to files if that is in reserve; otherwise it just calls f. f must not start
// goroutines that open files: only this thread has the access.
func AsRoot(f func() error) error {
	a := dropped
	if a == nil {
		return f()
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	identity(0, 0)
	defer identity(a.uid, a.gid)
	return f()
}

// identity sets the identity for this thread's access to files. It panics rather than let a thread continue with the
// wrong one.
func identity(uid, gid int) {
	const ask = -1 // an invalid ID: changes nothing, and returns the present one
	_, _ = unix.SetfsgidRetGid(gid)
	_, _ = unix.SetfsuidRetUid(uid)
	isGID, _ := unix.SetfsgidRetGid(ask)
	isUID, _ := unix.SetfsuidRetUid(ask)
	if isGID != gid || isUID != uid {
		panic("caller: the thread's identity cannot be set")
	}
}

// Privileged makes a command run as root if root is in reserve. The command calls Complete.
func Privileged(cmd *exec.Cmd) {
	if dropped != nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{NoSetGroups: true}}
	}
}

// Complete gives this process, started through Privileged, root's identity completely.
func Complete() error {
	if os.Geteuid() != 0 || os.Getuid() == 0 {
		return nil
	}
	if err := syscall.Setgroups(nil); err != nil {
		return err
	}
	if err := syscall.Setresgid(0, 0, 0); err != nil {
		return err
	}
	return syscall.Setresuid(0, 0, 0)
}

// find returns the account behind sudo for a process with this effective user and environment; nil if it is not root,
// or is root without sudo.
func find(euid int, getenv func(string) string, lookup func(uid string) (*user.User, error)) (*account, error) {
	uidText := getenv("SUDO_UID")
	if euid != 0 || uidText == "" {
		return nil, nil
	}
	uid, err := strconv.ParseUint(uidText, 10, 31)
	if err != nil {
		return nil, fmt.Errorf("SUDO_UID is %q, not a user's number", text.Clip(uidText))
	}
	if uid == 0 {
		return nil, nil
	}
	gid, err := strconv.ParseUint(getenv("SUDO_GID"), 10, 31)
	if err != nil {
		return nil, fmt.Errorf("SUDO_GID is %q, not a group's number", text.Clip(getenv("SUDO_GID")))
	}
	a := &account{uid: int(uid), gid: int(gid)}
	u, err := lookup(uidText)
	if err != nil {
		return a, nil // a user ID without a name: the environment stays
	}
	a.env = [][2]string{{"HOME", u.HomeDir}, {"USER", u.Username}, {"LOGNAME", u.Username}}
	groups, err := u.GroupIds()
	if err != nil {
		return a, nil
	}
	for _, g := range groups {
		if n, err := strconv.ParseUint(g, 10, 31); err == nil {
			a.groups = append(a.groups, int(n)) // video, render: for the GPU
		}
	}
	return a, nil
}
