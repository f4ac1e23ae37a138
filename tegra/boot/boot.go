// Package boot keeps a power mode across reboots: a systemd unit runs `jtune apply` once at boot. It is needed because
// an nvpmodel mode can cap the memory clock but not lock it, and because the kernel forgets every limit.
//
//	Unit ──► Text ──(shown, confirmed)──► Dir.Install ──► /etc/systemd/system below a root
//	Dir.Installed ◄── the same file       Dir.Remove ──► removed
//
// It replaces and removes only files with jtune's mark, follows no link out of the root, and starts no program. It
// enables the unit with the link that systemctl enable would create, which takes effect at the next boot.
package boot

import (
	"errors"
	"fmt"
	"path"
	"strings"
)

// Paths of the unit, below the root.
const (
	Name = "jtune-mode.service"
	Path = units + Name
	Link = wants + Name
)

// mark is the first line of every unit that jtune writes; a file without it is foreign.
const mark = "# Written by jtune apply --at-boot; jtune apply --at-boot off removes it."

// after lists the units that set the same knobs at boot; jtune's runs after them. multi-user.target covers late scripts
// of the vendor; systemd then omits the opposite order that the link would imply.
const after = "nvpower.service nvpmodel.service nvfancontrol.service jetson_clocks.service multi-user.target"

// logFile is the guard's log if there is no home folder.
const logFile = "/var/log/jtune-mode.log"

var (
	// ErrForeign: a file of that name exists that jtune did not write.
	ErrForeign = errors.New("not written by jtune")
	// ErrNotInstalled: there is no unit to remove.
	ErrNotInstalled = errors.New("no mode of jtune is applied at boot")
)

// Unit describes what to apply at boot.
type Unit struct {
	Program string   // absolute path of jtune on the device
	Mode    string   // compact notation, also in the description
	Flags   []string // further flags of jtune apply, such as --dvfs=on
}

// Text returns the unit file, or an error if systemd could not parse it.
func (u Unit) Text() (string, error) {
	if !path.IsAbs(u.Program) {
		return "", fmt.Errorf("program %q: a unit needs an absolute path", u.Program)
	}
	words := append([]string{u.Program, "apply", u.Mode, "--yes", "--device=jetson", "--log-file=" + logFile},
		u.Flags...)
	command, err := commandLine(words)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	line(mark)
	line("[Unit]\nDescription=Power mode %s (jtune)", strings.ReplaceAll(u.Mode, "%", "%%"))
	line("After=%s", after)
	line("ConditionPathExists=%s\n", strings.ReplaceAll(u.Program, "%", "%%"))
	line("[Service]\nType=oneshot\nRemainAfterExit=yes\nTimeoutStartSec=120")
	line("ExecStart=%s\n", command)
	line("[Install]\nWantedBy=multi-user.target")
	return b.String(), nil
}

// plain lists the characters that need no quotes on a systemd command line (systemd.service(5), "Command lines").
const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./=:,+@"

// quote quotes one word of a command line. It doubles %, which begins a specifier, and $, which begins a variable.
func quote(word string) string {
	if strings.Trim(word, plain) == "" {
		return word
	}
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, `%`, `%%`, `$`, `$$`).Replace(word) + `"`
}

// Command returns the command line in a unit's text; "" if it has none.
func Command(text string) string {
	for line := range strings.Lines(text) {
		if command, ok := strings.CutPrefix(line, "ExecStart="); ok {
			return strings.TrimSpace(command)
		}
	}
	return ""
}
