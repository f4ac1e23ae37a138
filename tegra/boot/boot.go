// Package boot keeps a power mode across reboots: a systemd unit that runs
// `jtune apply` once at boot. It is needed because an nvpmodel mode can cap the
// memory clock but not lock it, and because the kernel forgets every limit.
//
//	Unit ──► Text ──(shown, asked)──► Dir.Install ──► /etc/systemd/system below a root
//	Dir.Installed ◄── the same file       Dir.Remove ──► gone again
//
// Only files that carry our mark are ever replaced or removed, no link is
// followed out of the root, and no program is started: the unit is enabled by
// the link that systemctl enable would make, and read at the next boot.
package boot

import (
	"errors"
	"fmt"
	"path"
	"strings"
	"unicode"
)

// Paths of the unit, below the root.
const (
	Name = "jtune-mode.service"
	Path = "/etc/systemd/system/" + Name
	Link = "/etc/systemd/system/multi-user.target.wants/" + Name
)

// mark is the first line of every unit of ours; a file without it is foreign.
const mark = "# Written by jtune apply --at-boot; jtune apply --at-boot off removes it."

// after are the units that set the same knobs at boot: ours comes last.
// multi-user.target covers whatever the vendor's scripts start late;
// systemd leaves out the opposite order that the link would imply.
const after = "nvpower.service nvpmodel.service nvfancontrol.service jetson_clocks.service multi-user.target"

// logFile is where the guard logs when there is no home folder.
const logFile = "/var/log/jtune-mode.log"

var (
	// ErrForeign: a file of that name is there that jtune did not write.
	ErrForeign = errors.New("not written by jtune")
	// ErrNotInstalled: there is nothing to remove.
	ErrNotInstalled = errors.New("no mode of jtune is applied at boot")
)

// Unit is what is to be applied at boot.
type Unit struct {
	Program string   // absolute path of jtune on the device
	Mode    string   // compact notation, for the description too
	Flags   []string // of jtune apply, such as --dvfs=on
}

// Text is the unit file. The error is for what systemd could not take.
func (u Unit) Text() (string, error) {
	if !path.IsAbs(u.Program) {
		return "", fmt.Errorf("program %q: a unit needs an absolute path", u.Program)
	}
	words := append([]string{u.Program, "apply", u.Mode, "--yes", "--device=jetson", "--log-file=" + logFile},
		u.Flags...)
	for i, w := range words {
		if strings.ContainsFunc(w, unicode.IsControl) || w == "" {
			return "", fmt.Errorf("%q is not allowed in a unit file", w)
		}
		words[i] = quote(w)
	}
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	line(mark)
	line("[Unit]\nDescription=Power mode %s (jtune)", strings.ReplaceAll(u.Mode, "%", "%%"))
	line("After=%s", after)
	line("ConditionPathExists=%s\n", strings.ReplaceAll(u.Program, "%", "%%"))
	line("[Service]\nType=oneshot\nRemainAfterExit=yes\nTimeoutStartSec=120")
	line("ExecStart=%s\n", strings.Join(words, " "))
	line("[Install]\nWantedBy=multi-user.target")
	return b.String(), nil
}

// plain are the characters that need no quotes on a command line of systemd
// (systemd.service(5), "Command lines").
const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./=:,+@"

// quote writes one word of a command line: % begins a specifier and $ a
// variable, so both are doubled.
func quote(word string) string {
	if strings.Trim(word, plain) == "" {
		return word
	}
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, `%`, `%%`, `$`, `$$`).Replace(word) + `"`
}

// ours reports whether a unit is one that jtune wrote.
func ours(text []byte) bool { return strings.HasPrefix(string(text), mark+"\n") }

// Command is the command line of a unit's text; "" when it has none.
func Command(text string) string {
	for line := range strings.Lines(text) {
		if command, ok := strings.CutPrefix(line, "ExecStart="); ok {
			return strings.TrimSpace(command)
		}
	}
	return ""
}
