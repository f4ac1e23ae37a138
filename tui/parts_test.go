package tui

import (
	"bytes"
	"errors"
	"io"
	"os"
	"testing"

	tea "charm.land/bubbletea/v2"

	"jtune/internal/must"
)

func TestGuardedInputTellsOnceThatTheTerminalIsGone(t *testing.T) {
	t.Parallel()
	r, w, err := os.Pipe()
	must.NoError(t, err)
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
	d := drive(t, func(_ *fakeHost, d *deps) { d.sudo = true }).withView()
	d.press("t", "t")
	if d.r.sh.read.Busy() {
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
