package tui

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
)

// driver runs the root model without a terminal: it presses keys, runs the
// commands that follow in goroutines as Bubble Tea does, and feeds back what
// they say.
type driver struct {
	t     testing.TB
	board *fakeBoard
	r     *root
	msgs  chan tea.Msg
	ctx   context.Context
	now   time.Time
	quit  bool
}

func drive(t testing.TB, change ...func(*fakeBoard, *deps)) *driver {
	t.Helper()
	b := newFakeBoard(t)
	ctx, cancel := context.WithCancel(context.Background())
	t.Cleanup(cancel)
	d := &driver{t: t, board: b, msgs: make(chan tea.Msg, 1000), ctx: ctx, now: wallStart}
	deps := deps{host: b, device: b, clock: b, rate: b, now: func() time.Time { return d.now }}
	for _, f := range change {
		f(b, &deps)
	}
	d.r = newRoot(ctx, deps)
	d.run(d.r.Init())
	d.until("workloads are listed", func() bool { return d.r.sh.workloads != nil })
	d.send(b.reading())
	return d
}

// run starts a command; its messages come to until.
func (d *driver) run(cmd tea.Cmd) {
	if cmd == nil {
		return
	}
	go func() {
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
	}()
}

func (d *driver) send(msg tea.Msg) {
	if _, ok := msg.(tea.QuitMsg); ok {
		d.quit = true
		return
	}
	_, cmd := d.r.Update(msg)
	d.run(cmd)
}

// until takes messages until a condition holds.
func (d *driver) until(what string, cond func() bool) {
	d.t.Helper()
	late := time.After(3 * time.Minute) // a hang, not a slow machine
	for !cond() {
		select {
		case msg := <-d.msgs:
			d.send(msg)
		case <-late:
			d.t.Fatalf("waited 3 minutes until %s; the screen:\n%s", what, d.screen())
		}
	}
}

// press types keys, one by one.
func (d *driver) press(typed ...string) {
	for _, s := range typed {
		d.now = d.now.Add(rush)
		d.send(keyPress(s))
	}
}

// settle waits for the end of a guard's work that a key began.
func (d *driver) settle() {
	d.t.Helper()
	d.until("the guard has answered", func() bool { return d.r.apply.stage != applyWorking && d.r.apply.stage != applyEnding })
}

func (d *driver) size(w, h int) { d.send(tea.WindowSizeMsg{Width: w, Height: h}) }

// screen is the frame as text.
func (d *driver) screen() string { return ansi.Strip(d.r.View().Content) }

// exported is the text of the one file that an export wrote by such a name.
func (d *driver) exported(pattern string) string {
	d.t.Helper()
	files, _ := filepath.Glob(filepath.Join(d.board.dir, "exports", pattern))
	if len(files) != 1 {
		d.t.Fatalf("%d files %s, want 1", len(files), pattern)
	}
	text, err := os.ReadFile(files[0])
	if err != nil {
		d.t.Fatal(err)
	}
	return string(text)
}

// sees fails unless the screen holds all the words.
func (d *driver) sees(words ...string) {
	d.t.Helper()
	screen := d.screen()
	for _, w := range words {
		if !strings.Contains(screen, w) {
			d.t.Errorf("the screen lacks %q:\n%s", w, screen)
		}
	}
}

var namedKeys = map[string]rune{"enter": tea.KeyEnter, "esc": tea.KeyEscape, "tab": tea.KeyTab, "up": tea.KeyUp, "down": tea.KeyDown,
	"left": tea.KeyLeft, "right": tea.KeyRight, "home": tea.KeyHome, "end": tea.KeyEnd, "pgup": tea.KeyPgUp, "pgdown": tea.KeyPgDown, "backspace": tea.KeyBackspace}

func keyPress(s string) tea.KeyPressMsg {
	if code, ok := namedKeys[s]; ok {
		return tea.KeyPressMsg{Code: code}
	}
	if s == "space" {
		return tea.KeyPressMsg{Code: tea.KeySpace, Text: " "}
	}
	if rest, ok := strings.CutPrefix(s, "ctrl+"); ok {
		return tea.KeyPressMsg{Code: rune(rest[0]), Mod: tea.ModCtrl}
	}
	return tea.KeyPressMsg{Code: []rune(s)[0], Text: s}
}

// withView loads the law's predictions, as a tuned model would.
func (d *driver) withView() *driver {
	d.send(modelLoadedMsg{d.board.lawView(d.board.samples()), "resnet"})
	d.r.sh.notice = ""
	return d
}
