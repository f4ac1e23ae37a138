// Command demo records jtune demo: from the Live page by the Tune path to an applied mode and
// back. It waits for what the screen should show at each step, so it fails when the program no
// longer does.
//
//	jtune in a pty ──► output with its times ──► demo.cast (asciicast v2, for asciinema)
//	            └──► screens at each step ─────► demo.svg  (for the README)
//
//	go run ./internal/tools/demo [-out docs] [-fast]
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"jtune/internal/tools/terminal"
	"jtune/tui"
)

// Size of the recording.
const columns, rows = 80, 24

// patience is how long a step may take: longer is a hang, not a slow machine.
const patience = 3 * time.Minute

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "demo:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, out io.Writer) error {
	flags := flag.NewFlagSet("demo", flag.ContinueOnError)
	dir := flags.String("out", "docs", "`DIR` for demo.cast and demo.svg")
	fast := flags.Bool("fast", false, "as jtune lab demo --fast")
	binary := flags.String("jtune", "", "`PATH` of jtune; built from this tree without it")
	if err := flags.Parse(args); err != nil {
		return err
	}
	cast, frames, err := record(ctx, *binary, *fast)
	if err != nil {
		return err
	}
	for name, text := range map[string]string{"demo.cast": cast.String(), "demo.svg": svg(frames)} {
		path := filepath.Join(*dir, name)
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			return err
		}
		fmt.Fprintf(out, "%s: %d kB\n", path, (len(text)+999)/1000)
	}
	return nil
}

// record watches jtune lab demo.
func record(ctx context.Context, jtune string, fast bool) (*cast, []frame, error) {
	home, err := os.MkdirTemp("", "jtune-demo")
	if err != nil {
		return nil, nil, err
	}
	defer os.RemoveAll(home)
	if jtune == "" {
		if jtune, err = terminal.Build(ctx, home); err != nil {
			return nil, nil, err
		}
	}
	cmd := exec.Command(jtune, "lab", "demo", "--fast="+strconv.FormatBool(fast))
	cmd.Env = terminal.Environ(home)
	c := newCast("jtune on a virtual AGX Orin")
	t, err := terminal.Open(cmd, columns, rows, c.add)
	if err != nil {
		return nil, nil, err
	}
	defer t.Close()
	over := func(screen string) bool { return strings.Contains(screen, tui.TourEnd) }
	if _, err := t.Until(ctx, patience, over); err != nil {
		return nil, nil, err
	}
	if err := t.Press("q"); err != nil {
		return nil, nil, err
	}
	if err := t.Wait(patience); err != nil {
		return nil, nil, err
	}
	frames, err := framesOf(strings.NewReader(c.String()), fast)
	return c, frames, err
}
