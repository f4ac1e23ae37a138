// Package caller finds the user behind sudo.
package caller

import (
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"strconv"
	"syscall"

	"jtune/internal/text"
)

// Account is the user who started jtune as root through sudo. Root rights are
// for the knobs: jobs run as this user, and what is recorded belongs to them.
type Account struct {
	Credential *syscall.Credential
	env        []string // HOME, USER, LOGNAME
	home       string   // "" when not known
}

// Find returns the account behind sudo; nil when this process is not root, or is root without
// sudo.
func Find() (*Account, error) { return find(os.Geteuid(), os.Getenv, user.LookupId) }

// ID returns the user and group number of the account behind sudo; ok is false without one.
func ID() (uid, gid int, ok bool) {
	a, err := Find()
	if err != nil || a == nil {
		return 0, 0, false
	}
	return int(a.Credential.Uid), int(a.Credential.Gid), true
}

// Home is the home folder of the account behind sudo, for HOME is root's own
// then; "" without one.
func Home() string {
	a, err := Find()
	if err != nil || a == nil {
		return ""
	}
	if st, err := os.Stat(a.home); err != nil || !st.IsDir() {
		return ""
	}
	return a.home
}

// Use makes a command run as this account; nil leaves the command as it is.
func (a *Account) Use(cmd *exec.Cmd) {
	if a == nil {
		return
	}
	cmd.Env = append(cmd.Environ(), a.env...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: a.Credential}
}

// find is Find of a process with this effective user and environment.
func find(euid int, getenv func(string) string, lookup func(uid string) (*user.User, error)) (*Account, error) {
	uidText := getenv("SUDO_UID")
	if euid != 0 || uidText == "" {
		return nil, nil
	}
	uid, err := strconv.ParseUint(uidText, 10, 32)
	if err != nil {
		return nil, fmt.Errorf("SUDO_UID is %q, not a user's number", text.Clip(uidText))
	}
	if uid == 0 {
		return nil, nil
	}
	gid, err := strconv.ParseUint(getenv("SUDO_GID"), 10, 32)
	if err != nil {
		return nil, fmt.Errorf("SUDO_GID is %q, not a group's number", text.Clip(getenv("SUDO_GID")))
	}
	a := &Account{Credential: &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}}
	u, err := lookup(uidText)
	if err != nil {
		return a, nil // a number without a name: the job keeps the environment
	}
	a.home = u.HomeDir
	a.env = []string{"HOME=" + u.HomeDir, "USER=" + u.Username, "LOGNAME=" + u.Username}
	groups, err := u.GroupIds()
	if err != nil {
		return a, nil
	}
	for _, g := range groups {
		if n, err := strconv.ParseUint(g, 10, 32); err == nil {
			a.Credential.Groups = append(a.Credential.Groups, uint32(n)) // video, render: the GPU's
		}
	}
	return a, nil
}
