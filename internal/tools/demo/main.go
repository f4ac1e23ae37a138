// Command demo records the program itself on its virtual board: from the Live
// page by the Tune path to an applied mode and back. It waits for what the
// screen should show at each step, so it fails when the program no longer does.
//
//	jtune in a pty ──► output with its times ──► demo.cast (asciicast v2, for asciinema)
//	            └──► screens at each step ─────► demo.svg  (for the README)
//
//	go run ./internal/tools/demo [-out docs]
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
	"strings"
	"time"

	"github.com/hinshun/vt10x"

	"jtune/internal/tools/terminal"
)

// Size of the recording.
const columns, rows = 80, 24

// step is a key and what the screen shows after it.
type step struct {
	key     string
	shows   []string
	pause   time.Duration // for whoever watches
	caption string
}

// script is the Tune path, and back.
var script = []step{
	{"", []string{"module total"}, 4 * time.Second, "the board, live"},
	{"t", []string{"Tune:", "workload", "fastest within 30 W"}, 3 * time.Second, "t: what to tune for"},
	{"t", []string{"the answer", "measured within", "the board is back"}, 4 * time.Second,
		"t: measured, learned, verified; what it saves"},
	{"\r", []string{"limit 30.0 W", "measured within"}, 3 * time.Second, "enter: the Pareto front"},
	{"]", []string{"limit 31.0 W"}, 3 * time.Second, "]: another limit, from the same model"},
	{"[", []string{"limit 30.0 W"}, 2 * time.Second, ""},
	{"a", []string{"knob", "no reboot needed"}, 4 * time.Second, "a: knob by knob"},
	{"a", []string{"keep? y / n", "the board is in it"}, 4 * time.Second, "a: applied, reverted unless kept"},
	{"y", []string{"kept", "u undo"}, 3 * time.Second, "y: kept"},
	{"1", []string{"module total", "u undo"}, 3 * time.Second, "1: the board in the new mode"},
	{"u", []string{"reverted"}, 3 * time.Second, "u: undone"},
}

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
	hurry := flags.Float64("hurry", 1, "divide the pauses for whoever watches by `X`")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if !(*hurry > 0) {
		return fmt.Errorf("-hurry %g: must be positive", *hurry)
	}
	cast, frames, err := record(ctx, *hurry)
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

// record drives the program by the script.
func record(ctx context.Context, hurry float64) (*cast, []frame, error) {
	home, err := os.MkdirTemp("", "jtune-demo")
	if err != nil {
		return nil, nil, err
	}
	defer os.RemoveAll(home)
	jtune, err := terminal.Build(ctx, home)
	if err != nil {
		return nil, nil, err
	}
	cmd := exec.Command(jtune, "--device", "virtual:agx-orin", "--seed", "1", "--data-dir", filepath.Join(home, "data"))
	cmd.Env = terminal.Environ(home)
	c := newCast("jtune on a virtual AGX Orin")
	t, err := terminal.Open(cmd, columns, rows, c.add)
	if err != nil {
		return nil, nil, err
	}
	defer t.Close()
	var frames []frame
	for i, s := range script {
		if err := t.Press(s.key); err != nil {
			return nil, nil, err
		}
		if _, err := t.Until(ctx, patience, s.met); err != nil {
			return nil, nil, fmt.Errorf("step %d, key %q, waiting for %q: %w", i+1, s.key, s.shows, err)
		}
		select {
		case <-time.After(time.Duration(float64(s.pause) / hurry)):
		case <-ctx.Done():
			return nil, nil, ctx.Err()
		}
		if s.caption != "" {
			t.Look(func(screen vt10x.View) { frames = append(frames, frame{s.caption, cellsOf(screen)}) })
		}
	}
	if err := t.Press("q"); err != nil {
		return nil, nil, err
	}
	return c, frames, t.Wait(patience)
}

// met reports whether the screen shows what it should, and that the board is no
// real one.
func (s step) met(screen string) bool {
	for _, want := range append([]string{"VIRTUAL"}, s.shows...) {
		if !strings.Contains(screen, want) {
			return false
		}
	}
	return true
}
