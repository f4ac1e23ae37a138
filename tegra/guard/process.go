package guard

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"syscall"

	"jtune/internal/caller"
	"jtune/tegra"
)

// Stages of starting a guard, one process each:
//
//	jtune guard            starts the next and exits, and sudo with it
//	jtune guard -stage …   own session: serves its pipes, holds the lock
//	jtune guard -stage …   watchdog: restores if the guard is killed
const (
	stageServe = "serve"
	stageWatch = "watch"
)

// File descriptors that a watchdog inherits.
const (
	watchFD = 3 // pipe that closes when the guard ends
	lockFD  = 4 // the guard's lock, which the watchdog keeps holding
	readyFD = 5 // pipe to which the watchdog writes when it can restore
)

// Exit codes of the guard, as in the rest of jtune.
const (
	exitOK         = 0
	exitFailed     = 1
	exitUsage      = 2
	exitPermission = 3
	exitNoDevice   = 4
)

// oomScore keeps the kernel from killing the guard when a training job exhausts memory; only root may lower it.
const oomScore = "-900"

// Main is `jtune guard`: the protocol on standard input and output, the log on standard error. It returns the exit
// code.
func Main(ctx context.Context, args []string) int {
	flags := flag.NewFlagSet("guard", flag.ContinueOnError)
	sysroot := flags.String("sysroot", "/", "the board's files lie below `DIR`")
	stage := flags.String("stage", "", "internal")
	if err := flags.Parse(args); errors.Is(err, flag.ErrHelp) {
		return exitOK
	} else if err != nil || flags.NArg() > 0 {
		return exitUsage
	}
	root, err := filepath.Abs(*sysroot)
	if err != nil {
		return exitFailed
	}
	if err := allowed(root, os.Geteuid(), os.Getenv("SUDO_UID")); err != nil {
		fmt.Fprintln(os.Stderr, "jtune guard:", err)
		return exitCode(err)
	}
	if err := caller.Complete(); err != nil {
		fmt.Fprintln(os.Stderr, "jtune guard:", err)
		return exitFailed
	}
	next := stages{commandOf(args), root}
	switch *stage {
	case "":
		err = next.start(stageServe, nil, os.Stdin, os.Stdout)
	case stageServe:
		err = serveProcess(ctx, next)
	case stageWatch:
		err = watchProcess(root)
	default:
		return exitUsage
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "jtune guard:", err)
	}
	return exitCode(err)
}

// allowed refuses root rights for a folder of the caller's choice: through sudo, the guard sets only the machine's own
// knobs, so a sudoers line for it grants no more.
func allowed(root string, euid int, sudoUID string) error {
	if euid == 0 && sudoUID != "" && sudoUID != "0" && root != "/" {
		return fmt.Errorf("%w: through sudo the guard works on / only, not on %s: run jtune without sudo for that one",
			tegra.ErrPermission, root)
	}
	return nil
}

func exitCode(err error) int {
	switch {
	case err == nil:
		return exitOK
	case errors.Is(err, tegra.ErrPermission):
		return exitPermission
	case errors.Is(err, tegra.ErrNoDevice), errors.Is(err, tegra.ErrUnsupported), errors.Is(err, ErrBusy):
		return exitNoDevice
	}
	return exitFailed
}

// stages restarts this program for a later stage.
type stages struct {
	command []string // arguments before the guard's own
	sysroot string
}

// start runs a stage in its own session.
func (st stages) start(stage string, extra []*os.File, in, out *os.File) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	cmd := exec.Command(self, slices.Concat(st.command, []string{"-stage=" + stage, "-sysroot=" + st.sysroot})...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr, cmd.ExtraFiles = in, out, os.Stderr, extra
	cmd.Dir = "/"
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("start the guard's own process: %w", err)
	}
	return cmd.Process.Release()
}

// commandOf returns this process's arguments before args: "guard", or nothing in a program that is only a guard.
func commandOf(args []string) []string {
	if n := len(os.Args) - len(args); n >= 1 && slices.Equal(os.Args[n:], args) {
		return slices.Clone(os.Args[1:n])
	}
	return []string{"guard"}
}

// serveProcess runs the guard itself.
func serveProcess(ctx context.Context, next stages) error {
	signal.Ignore(syscall.SIGINT, syscall.SIGHUP, syscall.SIGQUIT, syscall.SIGTSTP, syscall.SIGPIPE)
	ctx, stop := signal.NotifyContext(ctx, syscall.SIGTERM)
	defer stop()
	_ = os.WriteFile("/proc/self/oom_score_adj", []byte(oomScore), 0)

	startThreads()
	refuse := func(err error) error {
		_, _ = os.Stdout.Write(encode(response{Event: "failed"}.failed(err)))
		return err
	}
	s, err := NewServer(tegra.DiskFS(next.sysroot), tegra.RealClock(), ServerOptions{Persist: true, Log: os.Stderr})
	if err != nil {
		return refuse(err)
	}
	lock, err := s.store.lock()
	if err != nil {
		return refuse(err)
	}
	defer lock.Close()
	end, err := next.startWatchdog(lock)
	if err != nil {
		return refuse(err)
	}
	defer end.Close()
	err = Serve(ctx, os.Stdin, os.Stdout, s)
	// The watchdog ends shortly after this process and holds the lock until then. Without a pid in the file, the next
	// guard waits for it.
	disown(lock)
	return err
}
