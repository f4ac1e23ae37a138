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
	"strings"
	"time"

	"jtune/internal/tools/terminal"
	"jtune/tegra/tegratest"
)

// asJob makes this program the training job of the watched programs.
const asJob = "-as-job"

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if len(os.Args) == 2 && os.Args[1] == asJob {
		job(ctx, os.Stdout)
		return
	}
	if err := run(ctx, os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "cost:", err)
		os.Exit(1)
	}
}

// errBounds is the error with -check if a bound is not met.
var errBounds = errors.New("not all bounds are met")

func run(ctx context.Context, args []string, out io.Writer) error {
	flags := flag.NewFlagSet("cost", flag.ContinueOnError)
	size := flags.String("size", "80x24", "of the terminals, `COLUMNSxROWS`")
	seconds := flags.Int("seconds", 20, "for which the programs are watched in a round")
	warmUp := flags.Duration("warm-up", 5*time.Second, "for which the programs run before they are watched")
	rounds := flags.Int("rounds", 3, "whose median is reported")
	presses := flags.Int("keys", 40, "pressed of each kind; 0: none")
	binary := flags.String("jtune", "", "`PATH` of jtune; built from this tree without it")
	check := flags.Bool("check", false, "fail when a bound is not met")
	if err := flags.Parse(args); err != nil {
		return err
	}
	var w watch
	if _, err := fmt.Sscanf(*size, "%dx%d", &w.columns, &w.rows); err != nil || w.columns == 0 || w.rows == 0 {
		return fmt.Errorf("-size %q: want COLUMNSxROWS", *size)
	}
	if *seconds < 1 || *rounds < 1 || *presses < 0 {
		return errors.New("-seconds and -rounds must be positive, -keys no less than 0")
	}
	w.warmUp, w.span = *warmUp, time.Duration(*seconds)*time.Second
	home, err := os.MkdirTemp("", "jtune-cost")
	if err != nil {
		return err
	}
	defer os.RemoveAll(home)
	w.home = home
	if *binary == "" {
		if *binary, err = terminal.Build(ctx, home); err != nil {
			return err
		}
	}
	if err := furnish(home); err != nil {
		return err
	}
	list := installed(out, programs(*binary, home))
	fmt.Fprintf(out, "%s, one refresh a second, all at once; median of %d rounds of %v; load %s\n", *size, *rounds,
		w.span, load())
	var measured [][]cost
	for range *rounds {
		costs, err := w.round(ctx, list)
		if err != nil {
			return err
		}
		measured = append(measured, costs)
	}
	var keys []latency
	if *presses > 0 {
		keys, err = w.latencies(ctx, *binary, *presses)
	}
	fmt.Fprintf(out, "load at the end %s\n\n", load())
	if met := report(out, w, medians(measured), keys); *check && !met && err == nil {
		err = errBounds
	}
	return err
}

// load returns the machine's load average, without which times mean little.
func load() string {
	data, err := os.ReadFile("/proc/loadavg")
	if f := strings.Fields(string(data)); err == nil && len(f) > 2 {
		return strings.Join(f[:3], " ")
	}
	return "unknown"
}

// installed returns the installed programs and prints the others.
func installed(out io.Writer, list []program) []program {
	var here []program
	for _, p := range list {
		if _, err := exec.LookPath(p.command[0]); err != nil {
			fmt.Fprintf(out, "%s left out: not installed\n", p.name)
			continue
		}
		here = append(here, p)
	}
	return here
}

// jobName is the workload that this program simulates.
const jobName = "paced"

// furnish writes the files for the programs: a Jetson's files, a workload that reports minibatches, and btop's refresh
// rate, for which it has no flag.
func furnish(home string) error {
	board, ok := tegratest.BoardNamed("agx-orin-36")
	if !ok {
		panic("cost: tegratest has lost its board")
	}
	if err := board.New().WriteTo(filepath.Join(home, "root")); err != nil {
		return err
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	for path, text := range map[string]string{
		"btop/btop.conf": "update_ms = 1000\n",
		"empty.toml":     "",
		"jtune/config.toml": fmt.Sprintf("[workload.%s]\ncommand = [%q, %q]\nbatch = 16\nsamples = 50000\n", jobName,
			self, asJob),
	} {
		path = filepath.Join(home, path)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// job reports a minibatch every 60 ms, like ResNet-18 on an AGX Orin.
func job(ctx context.Context, out io.Writer) {
	const every = 60 * time.Millisecond
	fmt.Fprintln(out, `{"event":"hello","protocol":1,"workload":"`+jobName+`","batch_size":16}`)
	tick := time.NewTicker(every)
	for began, n := time.Now(), 0; ; n++ {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		if _, err := fmt.Fprintf(out,
			`{"event":"minibatch","epoch":0,"batch":%d,"time_ms":%d,"fetch_ms":3.1,"compute_ms":55,"t":%.4f}`+"\n",
			n, every.Milliseconds(), time.Since(began).Seconds()); err != nil {
			return
		}
	}
}

// programs lists the programs to compare. The last workload on the Train page is the one in the configuration file.
func programs(jtune, home string) []program {
	files := []string{jtune, "--sysroot", filepath.Join(home, "root"), "--data-dir", home + "/data"}
	virtual := []string{jtune, "--device", "virtual:agx-orin", "--data-dir", filepath.Join(home, "virtual"),
		"--config", filepath.Join(home, "empty.toml")} // only its simulated workloads
	const live = "module total"
	return []program{
		{name: "idle", own: true, command: files, first: live},
		{name: "beside a job", own: true, outside: true, command: files, first: live,
			keys: []string{"2", "g", "\r", "1"}, shows: "training, " + jobName},
		{name: "virtual, idle", own: true, command: virtual, first: live},
		{name: "virtual, training", own: true, command: virtual, first: live, keys: []string{"2", "\r", "1"},
			shows: "training, resnet18"},
		{name: "  without a screen", command: append(append([]string{}, virtual[0], "run", "resnet18", "--base", "0",
			"--minibatches", "1000000"), virtual[1:]...), quiet: true},
		{name: "htop", rival: true, command: []string{"htop", "-d", "10"}},
		{name: "btop", rival: true, command: []string{"btop", "--utf-force"}},
		{name: "bottom", rival: true, command: []string{"btm", "--rate", "1000"}},
	}
}
