package train

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"jtune/tui/page"
	"jtune/tui/page/pagetest"
	"jtune/tui/session"
	"jtune/tui/widget"
)

func TestTrainReadsALogThatNobodyLookedAtToItsEnd(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log")
	text := strings.Repeat("a line of the job's\n", 40_000) + "the last one\n"
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	_, p := pagetest.Drive(t, New)
	p.tail = &session.Tail{Path: path}
	for next := p.readLog(); next != nil; {
		next = p.Update(next.(page.Run)(t.Context()))
	}
	if n := len(p.log.Lines); n != widget.MaxLogLines || p.log.Lines[n-1] != "the last one" || p.tail == nil {
		t.Errorf("%d lines are kept, the newest %q; want %d to the file's end", n, p.log.Lines[n-1], widget.MaxLogLines)
	}
}

func TestPrintableIsWhatATerminalLeaves(t *testing.T) {
	for line, want := range map[string]string{
		"\x1b[31mred\x1b[0m": "red",
		" 10%\r 20%\r 30%":   " 30%",
		"а\tb\x07":           "а b",
		"\xff":               "?",
	} {
		if got := printable(line); got != want {
			t.Errorf("%q is shown as %q, want %q", line, got, want)
		}
	}
}
