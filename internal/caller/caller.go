// Package caller finds the user behind sudo, and gives a process that user's identity: root's
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
	env      [][2]string // HOME, USER, LOGNAME; none for a number without a name
}

// dropped is set while root's identity is kept in reserve.
var dropped *account

// Drop gives this process, root through sudo, the identity of the user who called: every file that
// it opens from now on, and every process that it starts, are that user's. Root's identity stays
// in reserve for AsRoot and Privileged. Without sudo it does nothing. It is for the start of the
// program, when nothing has been opened yet. The kernel then hides the process from the user as one
// of root's: AsRoot reads its own files in /proc too.
func Drop() error {
	a, err := find(os.Geteuid(), os.Getenv, user.LookupId)
	if err != nil || a == nil {
		return err
	}
	for _, step := range []func() error{
		func() error { return syscall.Setgroups(a.groups) },
		func() error { return syscall.Setresgid(a.gid, a.gid, 0) },
		func() error { return syscall.Setresuid(a.uid, a.uid, 0) }, // the saved ones are the reserve
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

// Root reports whether this process has root's rights: it is root, or keeps them in reserve.
func Root() bool { return dropped != nil || os.Geteuid() == 0 }

// AsRoot calls f with root's access to files where it is kept in reserve; else it just calls f.
// f must not start goroutines that open files: the access is this thread's alone.
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

// identity sets whose access to files this thread has. A thread that could not be set back must
// not run on.
func identity(uid, gid int) {
	const ask = -1 // changes nothing, and returns the present one
	_, _ = unix.SetfsgidRetGid(gid)
	_, _ = unix.SetfsuidRetUid(uid)
	isGID, _ := unix.SetfsgidRetGid(ask)
	isUID, _ := unix.SetfsuidRetUid(ask)
	if isGID != gid || isUID != uid {
		panic("caller: the thread's identity cannot be set")
	}
}

// Privileged has a command run as root where root is kept in reserve. The command calls Complete.
func Privileged(cmd *exec.Cmd) {
	if dropped != nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{NoSetGroups: true}}
	}
}

// Complete makes this process, which Privileged started, root in every respect.
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

// find is the account behind sudo of a process with this effective user and environment; nil
// when it is not root, or is root without sudo.
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
		return a, nil // a number without a name: the environment stays
	}
	a.env = [][2]string{{"HOME", u.HomeDir}, {"USER", u.Username}, {"LOGNAME", u.Username}}
	groups, err := u.GroupIds()
	if err != nil {
		return a, nil
	}
	for _, g := range groups {
		if n, err := strconv.ParseUint(g, 10, 31); err == nil {
			a.groups = append(a.groups, int(n)) // video, render: the GPU's
		}
	}
	return a, nil
}
