package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"jtune/internal/must"
	"jtune/tegra/tegratest"
	"jtune/tui/cli"
)

func TestParseUsageOfAThread(t *testing.T) {
	const status = "Name:\thtop\nvoluntary_ctxt_switches:\t42\nnonvoluntary_ctxt_switches:\t7\n"
	got, err := parseUsage("1500000 200 3\n", status)
	if want := (usage{cpu: 1500 * time.Microsecond, wakes: 42}); err != nil || got != want {
		t.Errorf("read %+v, %v; want %+v", got, err, want)
	}
	for name, c := range map[string][2]string{
		"an empty schedstat":            {"", status},
		"a schedstat of words":          {"cpu 0", status},
		"a status without switches":     {"1 2 3", "Name:\tx\n"},
		"switches that are not numbers": {"1 2 3", "voluntary_ctxt_switches:\tmany\n"},
	} {
		if got, err := parseUsage(c[0], c[1]); err == nil {
			t.Errorf("%s is read as %+v", name, got)
		}
	}
}

func TestReportSaysWhichBoundsAreNotMet(t *testing.T) {
	w := watch{columns: 80, rows: 24, span: time.Second}
	idle := cost{program{name: "idle", own: true}, 100, 0.2, 40, 20 * time.Millisecond}
	busy := cost{program{name: "training", own: true, keys: []string{"2"}}, 900, 0.4, 150, 20 * time.Millisecond}
	rival := cost{program{name: "htop", rival: true}, 1800, 0.8, 100, 400 * time.Millisecond}
	keys := []latency{{"help", []time.Duration{2e6, 3e6, 90e6}}}
	var out strings.Builder
	if !report(&out, w, []cost{idle, busy, rival}, keys) {
		t.Errorf("all is met, but the report says:\n%s", out.String())
	}
	if !strings.Contains(out.String(), "3 ms             90 ms  of 3") {
		t.Errorf("median and worst time of a key are not printed:\n%s", out.String())
	}
	out.Reset()
	busy.bytesPerS, idle.wakesPerS, keys[0].times[2] = 2500, 100, 110e6
	if report(&out, w, []cost{idle, busy, rival}, keys) {
		t.Errorf("three bounds are not met, but the report says:\n%s", out.String())
	}
	for _, want := range []string{"NOT MET  jtune, training: 2000 bytes/s, fewer bytes than htop\n",
		"NOT MET  jtune, idle: 75 wake-ups/s, fewer wake-ups than htop\n",
		"NOT MET  help: within 100 ms\n"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the report lacks %q:\n%s", want, out.String())
		}
	}
}

func TestMediansOfRounds(t *testing.T) {
	round := func(bytes, cpu float64) []cost { return []cost{{bytesPerS: bytes, cpuPct: cpu}} }
	got := medians([][]cost{round(30, 0.3), round(10, 0.2), round(20, 9)})
	if got[0].bytesPerS != 20 || got[0].cpuPct != 0.3 {
		t.Errorf("medians %+v", got)
	}
}

// onShell returns a shell script as a program in a terminal.
func onShell(script string) program {
	return program{name: "shell", command: []string{"/bin/sh", "-c", script}}
}

func TestRoundWatchesProgramsSideBySide(t *testing.T) {
	t.Parallel()
	w := watch{columns: 80, rows: 24, warmUp: 100 * time.Millisecond, span: time.Second, home: t.TempDir()}
	loop := onShell("while :; do echo frame; sleep 0.05; done")
	loop.first = "frame"
	asked := onShell(`stty raw -echo; printf 'press '; k=$(dd bs=1 count=1 2>/dev/null); printf "got $k"; sleep 60`)
	asked.first, asked.keys, asked.shows = "press", []string{"x"}, "got x"
	costs, err := w.round(context.Background(), []program{loop, asked})
	must.NoError(t, err)
	if c := costs[0]; c.firstFrame <= 0 || c.bytesPerS <= 0 || c.wakesPerS < 0 || c.cpuPct < 0 {
		t.Errorf("watched %+v", c)
	}
	if c := costs[1]; c.bytesPerS != 0 {
		t.Errorf("a program that writes nothing wrote %v bytes/s", c.bytesPerS)
	}
	if _, err := w.round(context.Background(), []program{onShell("exit")}); err == nil {
		t.Error("a program that ends at once was watched to the end")
	}
}

func TestAskTimesAKeysAnswer(t *testing.T) {
	t.Parallel()
	w := watch{columns: 40, rows: 10, home: t.TempDir()}
	term, err := w.start(
		onShell(
			`stty raw -echo; printf 'ready'; while :; do k=$(dd bs=1 count=1 2>/dev/null); sleep 0.2; printf "$k"; done`,
		),
	)
	must.NoError(t, err)
	defer term.Close()
	ctx := context.Background()
	_, err = term.Until(
		ctx,
		patience,
		func(screen string) bool { return strings.Contains(screen, "ready") },
	)
	must.NoError(t, err)
	took, err := ask(ctx, term, "x", func(screen string) string { return strings.TrimSpace(screen) })
	if err != nil || took < 200*time.Millisecond || took > patience {
		t.Errorf("a key that is answered after 0.2 s is timed as %v, %v", took, err)
	}
}

func TestJobTellsOfMinibatches(t *testing.T) {
	out, in := io.Pipe()
	go job(t.Context(), in)
	defer out.Close() // which ends the job
	lines := bufio.NewScanner(out)
	for _, want := range []string{`"event":"hello"`, `"batch":0,"time_ms":60`, `"batch":1,"time_ms":60`} {
		if !lines.Scan() || !strings.Contains(lines.Text(), want) {
			t.Errorf("the job printed %q, want %s", lines.Text(), want)
		}
	}
}

func TestRunRejectsBadFlags(t *testing.T) {
	for _, args := range [][]string{{"-size", "wide"}, {"-size", "0x0"}, {"-seconds", "0"}, {"-rounds", "0"},
		{"-keys", "-1"}} {
		if err := run(context.Background(), args, &strings.Builder{}); err == nil {
			t.Errorf("%v is taken", args)
		}
	}
}

// TestMain makes the test program the watched job, as cost is its own job, and jtune where JTUNE_TEST_MAIN is set.
func TestMain(m *testing.M) {
	if len(os.Args) == 2 && os.Args[1] == asJob {
		main()
		return
	}
	if os.Getenv("JTUNE_TEST_MAIN") != "" {
		os.Exit(cli.Main())
	}
	os.Exit(m.Run())
}

func TestRunMeasuresAllPrograms(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("watches programs for seconds")
	}
	jtune := filepath.Join(t.TempDir(), "jtune")
	tegratest.Program(t, jtune, "#!/bin/sh\nJTUNE_TEST_MAIN=1 exec "+os.Args[0]+" \"$@\"\n")
	args := []string{"-jtune", jtune, "-seconds", "3", "-warm-up", "3s", "-rounds", "1", "-keys", "1"}
	rows := []string{"\njtune, idle ", "\njtune, beside a job ", "\njtune, virtual, training ", "\nFront: help "}
	var text, missed string
	for range 3 { // a program that starts slowly on a busy machine is measured again
		var out strings.Builder
		if err := run(t.Context(), args, &out); err != nil {
			t.Fatalf("%v\n%s", err, out.String())
		}
		text, missed = out.String(), ""
		for line := range strings.Lines(text) { // of -check, what a busy machine does not change
			if strings.HasPrefix(line, "NOT MET  jtune, ") &&
				(strings.Contains(line, fmt.Sprint(mostWakesPerS, " wake-ups/s")) ||
					strings.Contains(line, fmt.Sprint(mostBytesPerS, " bytes/s"))) {
				missed += line
			}
		}
		if missed == "" {
			break
		}
	}
	if missed != "" {
		t.Errorf("%s\n%s", missed, text)
	}
	for _, row := range rows {
		if !strings.Contains(text, row) {
			t.Errorf("no row %q in\n%s", row, text)
		}
	}
}
