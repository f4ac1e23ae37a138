package main

import (
	"context"
	"strings"
	"testing"
	"time"
)

func TestThreadsUsageIsRead(t *testing.T) {
	const status = "Name:\thtop\nvoluntary_ctxt_switches:\t42\nnonvoluntary_ctxt_switches:\t7\n"
	got, err := parseUsage("1500000 200 3\n", status)
	if want := (usage{1500 * time.Microsecond, 42}); err != nil || got != want {
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
	good := cost{"jtune idle", 100, 0.2, 40, 20 * time.Millisecond}
	busy := cost{"training", 900, 0.4, 50, 20 * time.Millisecond}
	other := cost{"htop", 1800, 0.8, 100, 10 * time.Millisecond}
	var out strings.Builder
	if !report(&out, watch{80, 24, warmUp, time.Second}, []cost{good, busy, other}) {
		t.Errorf("all is met, but the report says:\n%s", out.String())
	}
	if !strings.Contains(out.String(), "×2.0") {
		t.Errorf("htop's bytes are not told as twice jtune's:\n%s", out.String())
	}
	out.Reset()
	busy.bytesPerS = 2500
	if report(&out, watch{80, 24, warmUp, time.Second}, []cost{good, busy, other}) || strings.Count(out.String(), "NOT MET") != 2 {
		t.Errorf("too many bytes, and more than htop's: want two bounds not met:\n%s", out.String())
	}
}

func TestAProgramInATerminalIsWatched(t *testing.T) {
	w := watch{80, 24, 300 * time.Millisecond, 300 * time.Millisecond}
	loop := []string{"/bin/sh", "-c", "while :; do echo frame; sleep 0.05; done"}
	c, err := w.program(context.Background(), program{name: "loop", command: loop, first: "frame"}, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if c.firstFrame <= 0 || c.wakesPerS < 0 || c.cpuPct < 0 {
		t.Errorf("watched %+v", c)
	}
	if _, err := w.program(context.Background(), program{name: "dies", command: []string{"/bin/true"}}, t.TempDir()); err == nil {
		t.Error("a program that ends at once was watched to the end")
	}
}

func TestBadFlagsAreRefused(t *testing.T) {
	for _, args := range [][]string{{"-size", "wide"}, {"-size", "0x0"}, {"-seconds", "0"}} {
		if err := run(context.Background(), args, &strings.Builder{}); err == nil {
			t.Errorf("%v is taken", args)
		}
	}
}
