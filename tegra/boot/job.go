package boot

import (
	"cmp"
	"fmt"
	"path"
	"regexp"
	"strings"
	"unicode"
)

// Job describes a unit that runs a job, in its power mode, at each start.
type Job struct {
	Name string   // of the unit, without .service
	Line []string // the command; its first word is the absolute path of jtune on the device
	Dir  string   // absolute; "" for the root
	User [2]int   // user and group of the job, for whom root sets the mode; 0: root
}

// interrupted is the exit status of jtune when a signal ended it: to systemd, a unit that was stopped has not failed.
const interrupted = 130

var unitName = regexp.MustCompile(`^[A-Za-z0-9_.@-]{1,100}$`)

// Text returns the unit file, or an error if systemd could not parse it. Stopping the unit signals jtune alone, which
// ends the job and restores the board; its guard must outlive it.
func (j Job) Text() (string, error) {
	if !unitName.MatchString(j.Name) {
		return "", fmt.Errorf("%q: want a unit's name of letters, digits and _.@-", j.Name)
	}
	dir := cmp.Or(j.Dir, "/")
	if !path.IsAbs(dir) || strings.ContainsFunc(dir, unicode.IsControl) || len(j.Line) == 0 || !path.IsAbs(j.Line[0]) {
		return "", fmt.Errorf("%q in %q: a unit needs absolute paths", j.Line, dir)
	}
	command, err := commandLine(j.Line)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	line("# /etc/systemd/system/%s.service, printed by jtune\n[Unit]", j.Name)
	line("Description=%s, in its power mode (jtune)", j.Name)
	line("After=%s\n", strings.TrimSuffix(after, " multi-user.target"))
	line("[Service]\nWorkingDirectory=%s", strings.ReplaceAll(dir, "%", "%%"))
	if j.User[0] > 0 {
		line(
			"# root sets the mode; the job has the user's rights\nEnvironment=SUDO_UID=%d SUDO_GID=%d",
			j.User[0],
			j.User[1],
		)
	}
	line("ExecStart=%s", command)
	line("# stopping signals jtune, which ends the job and restores the board; its guard ends by itself")
	line("KillMode=process\nTimeoutStopSec=120\nSuccessExitStatus=%d\n", interrupted)
	line("[Install]\nWantedBy=multi-user.target")
	return b.String(), nil
}

// commandLine returns words as a command line of a unit.
func commandLine(words []string) (string, error) {
	out := make([]string, len(words))
	for i, w := range words {
		if strings.ContainsFunc(w, unicode.IsControl) || w == "" {
			return "", fmt.Errorf("%q is not allowed in a unit file", w)
		}
		out[i] = quote(w)
	}
	return strings.Join(out, " "), nil
}
