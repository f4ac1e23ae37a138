package tui

import (
	"bytes"
	"errors"
	"io"
	"math"
	"os"
	"testing"

	tea "charm.land/bubbletea/v2"

	"jtune/tui/page/pagetest"
)

func TestSpeedsWalkUpToMaxAndDownToOne(t *testing.T) {
	t.Parallel()
	x, ups := 1.0, 0
	for !math.IsInf(x, 1) && ups < 20 {
		x, ups = faster(x, true), ups+1
	}
	if ups != len(speeds)-1 || faster(x, true) != x {
		t.Errorf("max after %d steps, want %d, and no further", ups, len(speeds)-1)
	}
	for range 20 {
		x = faster(x, false)
	}
	if x != 1 || faster(7, true) != 10 || faster(7, false) != 5 {
		t.Errorf("lowest rate %g, after 7 come %g and %g; want 1, 10, 5", x, faster(7, true), faster(7, false))
	}
}

func TestGuardedInputTellsOnceThatTheTerminalIsGone(t *testing.T) {
	t.Parallel()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	in := &guardedInput{File: r, gone: make(chan struct{})}
	go func() { w.Write([]byte("q")); w.Close() }()
	text, err := io.ReadAll(in)
	if err != nil || !bytes.Equal(text, []byte("q")) {
		t.Fatalf("read %q, %v", text, err)
	}
	_, _ = in.Read(make([]byte, 1))
	select {
	case <-in.gone:
	default:
		t.Error("the end of input was not told")
	}
}

func TestGuardStartsBeforeTheWorkWithSudo(t *testing.T) {
	t.Parallel()
	d := drive(t, func(_ *pagetest.Board, d *deps) { d.sudo = true }).withView()
	d.press("t", "t")
	if d.r.sh.Busy() {
		t.Fatal("tuning began before the guard was started")
	}
	d.send(guardMsg{err: errors.New("sudo: a password is required"),
		do: func() tea.Cmd { t.Error("work began without a guard"); return nil }})
	d.sees("a password is required")
	done := false
	d.send(guardMsg{do: func() tea.Cmd { done = true; return nil }})
	if !done || d.r.sh.sudo {
		t.Error("the work did not begin once the guard had started")
	}
}
