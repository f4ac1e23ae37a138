package tui

import (
	"context"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"jtune/internal/must"
	"jtune/profiles/workload"
	"jtune/tui/page"
	"jtune/tui/page/dialog"
	"jtune/tui/page/pagetest"
	"jtune/tui/session/task"
)

// patience is how long to wait for something: longer is a hang, not a slow machine.
const patience = 3 * time.Minute

// driver runs the root model without a terminal: it presses keys, runs the resulting commands in goroutines like Bubble
// Tea, and sends their messages back.
type driver struct {
	t     testing.TB
	board *fakeHost
	r     *root
	msgs  chan tea.Msg
	ctx   context.Context
	now   time.Time
	quit  bool

	running sync.WaitGroup // commands
}

func drive(t testing.TB, change ...func(*fakeHost, *deps)) *driver {
	t.Helper()
	b := newFakeHost(t)
	ctx, cancel := context.WithCancel(context.Background())
	d := &driver{t: t, board: b, msgs: make(chan tea.Msg, 1000), ctx: ctx, now: pagetest.Start}
	t.Cleanup(func() { // later nothing may write to the test's folder
		cancel()
		d.running.Wait()
	})
	deps := deps{host: b, state: page.NewState(b, b, b), device: b,
		campaigns: task.Campaigns{Dir: filepath.Join(b.Dir, "campaigns"), Board: b.Board(),
			Own: func(w workload.Workload) (workload.Workload, string) { return w, "" }}}
	deps.state.Device.Rate, deps.state.Moment.Now = b, func() time.Time { return d.now }
	for _, f := range change {
		f(b, &deps)
	}
	d.r = newRoot(ctx, deps)
	d.run(d.r.Init())
	d.until("workloads are listed", func() bool { return d.r.sh.Work.List != nil })
	d.send(d.reading())
	return d
}

// run starts a command; until handles its messages.
func (d *driver) run(cmd tea.Cmd) {
	if cmd == nil {
		return
	}
	d.running.Go(func() {
		switch msg := cmd().(type) {
		case nil:
		case tea.BatchMsg:
			for _, c := range msg {
				d.run(c)
			}
		default:
			select {
			case d.msgs <- msg:
			case <-d.ctx.Done():
			}
		}
	})
}

func (d *driver) send(msg tea.Msg) {
	if _, ok := msg.(tea.QuitMsg); ok {
		d.quit = true
		return
	}
	_, cmd := d.r.Update(msg)
	d.run(cmd)
}

// until handles messages until a condition holds.
func (d *driver) until(what string, cond func() bool) {
	d.t.Helper()
	late := time.After(patience)
	for !cond() {
		select {
		case msg := <-d.msgs:
			d.send(msg)
		case <-late:
			d.t.Fatalf("waited %v until %s; the screen:\n%s", patience, what, d.screen())
		}
	}
}

// within is until, but gives up after that many readings of the board.
func (d *driver) within(readings int, what string, cond func() bool) {
	d.t.Helper()
	for last := d.r.sh.Readings.Sample.T; readings >= 0 && !cond(); {
		d.until("a reading", func() bool { return d.r.sh.Readings.Sample.T != last })
		last = d.r.sh.Readings.Sample.T
		readings--
	}
	if readings < 0 {
		d.t.Fatalf("too many readings until %s; the screen:\n%s", what, d.screen())
	}
}

// reading returns the message of two minutes of readings.
func (d *driver) reading() sampleMsg { return sampleMsg{d.board.Readings()} }

// shows makes a task the shown one.
func (d *driver) shows(j *shownTask) { d.r.sh.own(j) }

// onFront returns the mode under the cursor of Front.
func (d *driver) onFront() int {
	d.t.Helper()
	for _, p := range d.r.pages {
		if p.Name() != page.Front {
			continue
		}
		m, err := d.r.sh.Device.Space.Parse(p.Copied())
		i, ok := d.r.sh.Device.Space.Index(m)
		if err != nil || !ok {
			d.t.Fatalf("the cursor is on %q (%v)", p.Copied(), err)
		}
		return i
	}
	return 0
}

// press types keys, one by one.
func (d *driver) press(typed ...string) {
	for _, s := range typed {
		d.now = d.now.Add(rush)
		d.send(pagetest.Key(s))
	}
}

// settle waits for the end of the guard's work that a key started.
func (d *driver) settle() {
	d.t.Helper()
	d.until("the guard has answered", func() bool {
		return d.r.apply.Stage() != dialog.Working && d.r.apply.Stage() != dialog.Ending
	})
}

func (d *driver) size(w, h int) { d.send(tea.WindowSizeMsg{Width: w, Height: h}) }

// screen returns the frame as text.
func (d *driver) screen() string { return ansi.Strip(d.r.View().Content) }

// written waits for the end of an export.
func (d *driver) written() {
	d.t.Helper()
	d.until("files are written", func() bool { return strings.HasPrefix(d.r.sh.notices.shown.text, "written: ") })
}

// exported returns the text of the only exported file that matches a pattern.
func (d *driver) exported(pattern string) string {
	d.t.Helper()
	d.written()
	files, _ := filepath.Glob(filepath.Join(d.board.Dir, "exports", pattern))
	if len(files) != 1 {
		d.t.Fatalf("%d files %s, want 1", len(files), pattern)
	}
	text := must.Read(d.t, files[0])
	return string(text)
}

// sees fails unless the screen holds all the words.
func (d *driver) sees(words ...string) {
	d.t.Helper()
	screen := d.screen()
	must.Contain(d.t, screen, words...)
}

// answered waits for the card of a search's answer.
func (d *driver) answered() {
	d.t.Helper()
	d.until("the card shows", func() bool { return d.r.sh.task.Done() && d.r.sh.Outlook != nil })
	d.sees("a apply  A at once", "enter the front")
}

// toFront waits for the answer, then shows its front.
func (d *driver) toFront() {
	d.t.Helper()
	d.answered()
	d.press("enter")
}

// withView loads predictions by pagetest.Law, like a tuned model.
func (d *driver) withView() *driver {
	d.send(modelLoadedMsg{d.board.Outlook(), "resnet"})
	d.r.sh.notices.hush()
	return d
}
