package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"jtune/internal/text"
	"jtune/internal/usage"
	"jtune/optimize"
	"jtune/profiles/harness"
	"jtune/tegra"
	"jtune/tegra/boot"
	"jtune/tegra/guard"
	"jtune/tui"
	"jtune/tui/session"
	"jtune/tui/session/fit"
	"jtune/tui/session/preflight"
)

// Exit codes, as documented in the command-line contract.
const (
	exitOK          = 0
	exitFailed      = 1
	exitUsage       = 2
	exitPermission  = 3
	exitNoDevice    = 4
	exitInfeasible  = 5
	exitReverted    = 6
	exitInterrupted = 130
)

// exitError is the exit code of a child process; it prints nothing.
type exitError int

func (e exitError) Error() string { return fmt.Sprintf("exit code %d", int(e)) }

// usagef returns an error about the arguments of a command.
func usagef(format string, args ...any) error {
	return usage.Errorf(format, args...)
}

// report prints an error as one line and returns the exit code.
func (a *app) report(ctx context.Context, err error) int {
	var code exitError
	switch {
	case err == nil:
		return exitOK
	case errors.As(err, &code):
		return int(code)
	case ctx.Err() != nil && errors.Is(err, ctx.Err()), errors.Is(err, context.Canceled),
		errors.Is(err, tui.ErrTerminalGone):
		fmt.Fprintln(a.err, "jtune: interrupted")
		return exitInterrupted
	}
	line := "jtune: " + strings.Join(strings.Fields(strings.Join(texts(err), "; ")), " ")
	if strings.HasSuffix(line, syscall.ENOENT.Error()) {
		line += "; check the path"
	}
	var root *session.RootError
	if errors.As(err, &root) {
		line += "; run: " + asRoot(a.line)
	}
	fmt.Fprintln(a.err, line)
	return exitCode(err)
}

// texts returns the texts of joined errors, of those that a full disk caused only the first.
func texts(err error) (list []string) {
	full := false
	for part := range strings.SplitSeq(err.Error(), "\n") {
		ofDisk := strings.Contains(part, syscall.ENOSPC.Error())
		if !ofDisk || !full {
			list = append(list, part)
		}
		full = full || ofDisk
	}
	return list
}

// asRoot formats this command line with sudo.
func asRoot(line []string) string {
	program, err := os.Executable()
	if err != nil {
		program = "jtune"
	}
	words := []string{"sudo"}
	for _, w := range append([]string{program}, line...) {
		words = append(words, text.ShellWord(w))
	}
	return strings.Join(words, " ")
}

func exitCode(err error) int {
	if usage.Is(err) {
		return exitUsage
	}
	for _, c := range []struct {
		target error
		code   int
	}{
		{optimize.ErrInfeasible, exitInfeasible},
		{fit.ErrInaccurate, exitInfeasible},
		{guard.ErrReverted, exitReverted},
		{tegra.ErrPermission, exitPermission},
		{tegra.ErrNoDevice, exitNoDevice},
		{tegra.ErrUnsupported, exitNoDevice},
		{guard.ErrBusy, exitNoDevice},
		{preflight.ErrOccupied, exitNoDevice},
		{boot.ErrStaged, exitNoDevice},
		{harness.ErrNotUnderstood, exitNoDevice},
		{fs.ErrPermission, exitPermission},
	} {
		if errors.Is(err, c.target) {
			return c.code
		}
	}
	return exitFailed
}

// commandName returns the command for an error: "fleet rank: ".
func commandName(cmd *cobra.Command) string {
	if !cmd.HasParent() {
		return ""
	}
	return shortName(cmd) + ": "
}

// shortName returns the command without the program's name, and without ask and lab, whose commands' names are unique.
func shortName(cmd *cobra.Command) string {
	name := strings.TrimPrefix(cmd.CommandPath(), cmd.Root().Name()+" ")
	return strings.TrimPrefix(strings.TrimPrefix(name, "ask "), "lab ")
}

// countOf describes the arguments for an error.
func countOf(args []string) string {
	switch len(args) {
	case 0:
		return "no argument"
	case 1:
		return fmt.Sprintf("one argument (%q)", args[0])
	}
	return fmt.Sprintf("%d arguments", len(args))
}

// takes makes an argument check return usage errors, by default one with the form of the command.
func takes(check cobra.PositionalArgs) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		err := check(cmd, args)
		switch {
		case err == nil || usage.Is(err):
			return err
		case cmd.HasParent() && len(args) > 0 && cmd.HasAvailableSubCommands() && check(cmd, args[:1]) != nil:
			return unknownBelow(cmd, args[0])
		}
		return usagef("%s%s given; the form is: %s", commandName(cmd), countOf(args), cmd.UseLine())
	}
}
