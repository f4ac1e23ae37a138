package harness

import (
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"strconv"
	"syscall"
)

// account is whom a job runs as when jtune itself runs as root through sudo:
// the user who called. Root rights are for the knobs, not for training.
type account struct {
	credential *syscall.Credential
	env        []string // HOME, USER, LOGNAME
	home       string   // "" when not known
}

// Caller is the user behind sudo, when this is root on a user's behalf: jobs
// run as that user, and what is recorded belongs to them.
func Caller() (uid, gid int, ok bool) {
	a, err := callingUser(os.Geteuid(), os.Getenv, user.LookupId)
	if err != nil || a == nil {
		return 0, 0, false
	}
	return int(a.credential.Uid), int(a.credential.Gid), true
}

// CallerHome is the home folder of the user behind sudo, see Caller; "" where
// there is none. HOME is root's own then.
func CallerHome() string {
	a, err := callingUser(os.Geteuid(), os.Getenv, user.LookupId)
	if err != nil || a == nil {
		return ""
	}
	if st, err := os.Stat(a.home); err != nil || !st.IsDir() {
		return ""
	}
	return a.home
}

// own makes a command run as this account; nil leaves it as it is.
func (a *account) own(cmd *exec.Cmd) {
	if a == nil {
		return
	}
	cmd.Env = append(cmd.Environ(), a.env...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: a.credential}
}

// callingUser finds the account behind sudo; nil when there is none to change
// to. getenv is os.Getenv but for tests.
func callingUser(euid int, getenv func(string) string, lookup func(uid string) (*user.User, error)) (*account, error) {
	uidText := getenv("SUDO_UID")
	if euid != 0 || uidText == "" {
		return nil, nil
	}
	uid, err := strconv.ParseUint(uidText, 10, 32)
	if err != nil {
		return nil, fmt.Errorf("SUDO_UID is %q, not a user's number", clip(uidText))
	}
	if uid == 0 {
		return nil, nil
	}
	gid, err := strconv.ParseUint(getenv("SUDO_GID"), 10, 32)
	if err != nil {
		return nil, fmt.Errorf("SUDO_GID is %q, not a group's number", clip(getenv("SUDO_GID")))
	}
	a := &account{credential: &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}}
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
			a.credential.Groups = append(a.credential.Groups, uint32(n)) // video, render: the GPU's
		}
	}
	return a, nil
}
