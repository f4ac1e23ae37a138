package tui

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"jtune/profiles"
	"jtune/profiles/harness"
)

func TestTheLogFollowsScrollsAndKeepsToLinesThatHoldAText(t *testing.T) {
	var l logPane
	for i := range 100 {
		text := fmt.Sprintf("line %d", i)
		if i%10 == 3 {
			text += " Loss"
		}
		l.add(text)
	}
	shows := func(want ...string) {
		t.Helper()
		got := l.Render(20, 3)
		for i, line := range strings.Split(got, "\n") {
			if strings.TrimSpace(line) != want[i] {
				t.Errorf("got %q, want %q", got, want)
				return
			}
		}
	}
	shows("line 97", "line 98", "line 99")
	l.key(keyPress("up"))
	shows("line 96", "line 97", "line 98")
	l.add("line 100")
	shows("line 96", "line 97", "line 98") // scrolled back: it stays
	l.key(keyPress("home"))
	shows("line 0", "line 1", "line 2")
	l.key(keyPress("pgdown"))
	shows("line 2", "line 3 Loss", "line 4")
	l.key(keyPress("end"))
	l.add("line 101")
	shows("line 99", "line 100", "line 101") // and follows again
	for _, k := range []string{"/", "l", "O", "s", "x", "backspace", "s", "enter"} {
		l.key(keyPress(k))
	}
	shows("line 73 Loss", "line 83 Loss", "line 93 Loss")
	if l.note() != `10 of 102 lines with "lOss"` {
		t.Errorf("note %q", l.note())
	}
	l.key(keyPress("esc"))
	shows("line 99", "line 100", "line 101")
	for range maxLogLines {
		l.add("x")
	}
	if len(l.lines) != maxLogLines || len(l.kept) != maxLogLines {
		t.Errorf("%d lines kept, want %d", len(l.lines), maxLogLines)
	}
}

func TestAGrowingFileIsReadLineByLineAsATerminalShowsIt(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	tl := &tail{path: path}
	for _, step := range []struct {
		write string
		want  []string
	}{
		{"", nil},
		{"hello\n\x1b[31mred\x1b[0m\nhalf", []string{"hello", "red"}},
		{" a line\n", []string{"half a line"}},
		{" 10%\r 20%\r 30%\nа\tb\x07\n\xff\n", []string{" 30%", "а b", "?"}},
	} {
		if _, err := f.WriteString(step.write); err != nil {
			t.Fatal(err)
		}
		if got := tl.next(); !slices.Equal(got, step.want) {
			t.Errorf("after %q: got %q, want %q", step.write, got, step.want)
		}
	}
	if got := (&tail{path: path + "none"}).next(); got != nil {
		t.Errorf("of no file: %q", got)
	}
}

func TestALogThatNobodyLookedAtIsReadToItsEnd(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log")
	text := strings.Repeat("a line of the job's\n", 3*maxLogRead/20) + "the last one\n"
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	p := newTrainPage(drive(t).r.sh)
	p.tail = &tail{path: path}
	for cmd := p.readLog(); cmd != nil; {
		cmd = p.update(cmd())
	}
	if n := len(p.log.lines); n != maxLogLines || p.log.lines[n-1] != "the last one" || p.tail == nil {
		t.Errorf("%d lines are kept, the newest %q; want %d to the file's end", n, p.log.lines[n-1], maxLogLines)
	}
}

func TestARunShowsItsStagesEpochsAndWhatTheyMean(t *testing.T) {
	d := drive(t)
	d.press("2", "enter")
	d.until("minibatches come", func() bool { return d.r.sh.job.last != nil })
	d.send(jobNewsMsg{d.r.sh.job, jobNews{like: someCharacter()}})
	d.sees("epoch 1 ░", "later", "stall 20 %", "14 + 50 + 6 ms", "The data loader decides", "more workers may help", "100 % of the data")
	if strings.Contains(d.screen(), "mobilenet") {
		t.Error("the list of workloads takes room while one runs")
	}
	d.press("o")
	d.sees("Log of resnet18", "jtune: resnet18 begins", "jtune: epoch 1: 3125 minibatches", "jtune: epoch 2", "scroll")
	d.press("/", "q", "esc") // q is typed, and leaves nothing
	if d.quit {
		t.Fatal("a letter typed into the search quits")
	}
	d.press("o", "x")
	d.until("it has stopped", func() bool { return d.r.sh.job.done })
	d.sees("ended", "Workloads", "enter start")
	files, err := d.r.pages[pageTrain].(*trainPage).files()
	if err != nil || len(files) != 1 || !strings.Contains(files[0].text, "epoch,minibatches,span_s,time_ms,stall_ms") {
		t.Errorf("exported %v, %v", files, err)
	}
}

func TestPartsThatAJobDoesNotTellAreNotDrawn(t *testing.T) {
	d := drive(t)
	d.r.sh.job = runningJob(d.board, jobRun)
	d.r.sh.job.last = &harness.Event{TimeMS: 60}
	d.press("2")
	d.sees("newest  the job does not tell its parts")
	d.r.sh.job.like, d.r.frame = &profiles.Character{All: profiles.Part{Minibatches: 3, TimeMS: 60}}, ""
	d.sees("The job tells too little")
}

func TestALogWithoutRoomDrawsNothing(t *testing.T) {
	var l logPane
	l.add("a", "b", "c")
	for h := -2; h < 6; h++ {
		if got, want := l.Render(10, h), max(h, 1); strings.Count(got, "\n")+1 != want {
			t.Errorf("%d rows in a room of %d: %q", strings.Count(got, "\n")+1, h, got)
		}
	}
}
