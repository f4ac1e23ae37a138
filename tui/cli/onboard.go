package cli

import (
	"context"
	"errors"
	"io"
	"os/exec"
	"slices"
	"strings"

	"jtune/internal/text"
	"jtune/tui/session/fleet"
)

// sshFailed is ssh's exit code if it did not reach the board.
const sshFailed = 255

// onBoard runs this command line on another board, connected to this terminal if there is one.
func (a *app) onBoard(ctx context.Context, name string) error {
	all, err := a.options.Boards()
	if err != nil {
		return err
	}
	picked, err := fleet.Pick(all, []string{name}, "")
	if err != nil {
		return usagef("--board: %w", err)
	}
	words := picked[0].Terminal(isTerminal(a.in) && isTerminal(a.out), withoutFlags(a.line, "--board", "--config")...)
	cmd := exec.CommandContext(ctx, words[0], words[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = a.in, unfiltered(a.out), unfiltered(a.err)
	err = cmd.Run()
	exit, ended := errors.AsType[*exec.ExitError](err)
	switch {
	case ended && ctx.Err() != nil:
		return ctx.Err()
	case ended && exit.ExitCode() == sshFailed:
		return exitError(exitFailed) // ssh says why
	case ended:
		return exitError(max(exitFailed, exit.ExitCode()))
	case err != nil:
		return err
	}
	return exitError(exitOK)
}

// unfiltered returns the stream behind the control sequence filter: the remote jtune has filtered its output, and its
// screens need control sequences.
func unfiltered(w io.Writer) io.Writer {
	if plain, ok := w.(*text.PlainWriter); ok {
		return plain.To
	}
	return w
}

// withoutFlags removes flags, with their values, in front of a command of the user's own.
func withoutFlags(line []string, names ...string) (out []string) {
	for i := 0; i < len(line); i++ {
		name, _, valued := strings.Cut(line[i], "=")
		switch {
		case name == "--":
			return append(out, line[i:]...)
		case !slices.Contains(names, name):
			out = append(out, line[i])
		case !valued:
			i++
		}
	}
	return out
}
