package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"time"
)

// warmUp is how long a program runs before it is watched.
const warmUp = 5 * time.Second

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "cost:", err)
		os.Exit(1)
	}
}

// errBounds: a bound is not met, as was asked to check.
var errBounds = errors.New("not all bounds are met")

func run(ctx context.Context, args []string, out io.Writer) error {
	flags := flag.NewFlagSet("cost", flag.ContinueOnError)
	size := flags.String("size", "80x24", "of the terminal, `COLUMNSxROWS`")
	seconds := flags.Int("seconds", 20, "for which each program is watched")
	device := flags.String("device", "virtual:agx-orin", "that jtune watches")
	binary := flags.String("jtune", "", "`PATH` of jtune; built from this tree without it")
	check := flags.Bool("check", false, "fail when a bound is not met")
	if err := flags.Parse(args); err != nil {
		return err
	}
	var w watch
	if _, err := fmt.Sscanf(*size, "%dx%d", &w.columns, &w.rows); err != nil || w.columns == 0 || w.rows == 0 {
		return fmt.Errorf("-size %q: want COLUMNSxROWS", *size)
	}
	if *seconds < 1 {
		return fmt.Errorf("-seconds %d: must be positive", *seconds)
	}
	w.warmUp, w.span = warmUp, time.Duration(*seconds)*time.Second
	home, err := os.MkdirTemp("", "jtune-cost")
	if err != nil {
		return err
	}
	defer os.RemoveAll(home)
	if *binary == "" {
		*binary = filepath.Join(home, "jtune")
		if text, err := exec.CommandContext(ctx, "go", "build", "-o", *binary, "jtune").CombinedOutput(); err != nil {
			return fmt.Errorf("build jtune: %w\n%s", err, text)
		}
	}
	if err := writeBtopConfig(home); err != nil {
		return err
	}
	costs, err := w.all(ctx, out, programs(*binary, *device, home), home)
	if err != nil {
		return err
	}
	if met := report(out, w, costs); *check && !met {
		return errBounds
	}
	return nil
}

// all watches the programs one after the other; those that are not installed
// are named and left out.
func (w watch) all(ctx context.Context, out io.Writer, list []program, home string) ([]cost, error) {
	var costs []cost
	for _, p := range list {
		path, err := exec.LookPath(p.command[0])
		if err != nil {
			fmt.Fprintf(out, "%s left out: not installed\n", p.name)
			continue
		}
		p.command[0] = path
		c, err := w.program(ctx, p, home)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", p.name, err)
		}
		costs = append(costs, c)
	}
	return costs, nil
}

// writeBtopConfig sets its rate, which it has no flag for.
func writeBtopConfig(home string) error {
	dir := filepath.Join(home, "btop")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "btop.conf"), []byte("update_ms = 1000\n"), 0o644)
}

// ownRuns is how many of the programs are jtune.
const ownRuns = 2

// programs are those that are set against each other: jtune's Live page while
// the board idles and while a workload trains on it, then the others, all at
// one refresh a second.
func programs(jtune, device, home string) []program {
	own := []string{jtune, "--device", device, "--data-dir", home}
	return []program{
		{name: "jtune idle", command: own, first: "module total"},
		{name: "training", command: own, first: "module total", keys: []string{"2", "\r", "1"}},
		{name: "htop", command: []string{"htop", "-d", "10"}},
		{name: "btop", command: []string{"btop"}},
		{name: "bottom", command: []string{"btm", "--rate", "1000"}},
	}
}
