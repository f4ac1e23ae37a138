// Package cli is the command line of jtune: it parses flags, calls the
// packages below, and prints. Data goes to standard output, everything else to
// standard error; the exit code shows how it ended.
//
//	arguments ──► cobra ──► app (streams, global flags) ──► session ──► answer ──► text, JSON, CSV
//	error ──► one line on standard error, exit code
package cli

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	"jtune/internal/caller"
	"jtune/internal/text"
	"jtune/tegra/guard"
	"jtune/tui/session/config"
)

// Main runs the program's own arguments and returns the exit code.
func Main() int {
	if len(os.Args) > 1 && os.Args[1] == "guard" { // it handles signals itself
		return guard.Main(context.Background(), os.Args[2:])
	}
	if err := caller.Drop(); err != nil {
		fmt.Fprintln(os.Stderr, "jtune:", err)
		return exitPermission
	}
	config.FindHome()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT)
	go windUp(signals, cancel)
	return (&app{in: os.Stdin, out: os.Stdout, err: os.Stderr, line: os.Args[1:], alone: true}).execute(ctx)
}

// impatience is the minimum time after the first signal for a second one to mean that the user does not want to wait:
// timeout(1) and shells send the first one twice.
const impatience = time.Second

// windUp calls cancel at the first signal. A later signal ends the program at once; its pipe to the guard closes, and
// the guard restores the board.
func windUp(signals <-chan os.Signal, cancel func()) {
	<-signals
	cancel()
	for first := time.Now(); ; {
		<-signals
		if time.Since(first) > impatience {
			os.Exit(exitInterrupted)
		}
	}
}

// execute runs the command line and returns the exit code. When ctx ends it finishes the work in progress: it restores
// the knobs and keeps what was recorded.
func (a *app) execute(ctx context.Context) int {
	screen := a.out
	out := &text.PlainWriter{To: a.out, Words: flagged, Width: func() int {
		if a.asJSON || a.asCSV || a.asFile {
			return 0
		}
		return columnsOf(screen)
	}}
	a.out = out
	a.err = &text.PlainWriter{To: a.err, Words: flagged, Returns: true}
	root := a.root()
	root.SetIn(a.in)
	root.SetOut(a.out)
	root.SetErr(a.err)
	ownHelp(root)
	defer func() { a.budget.End() }()
	err := a.current(ctx, root)
	if err == nil { // help and some texts are printed without a look at the result
		err = out.Failed()
	}
	return a.report(ctx, err)
}
