// Package pagetest holds what tests of the pages share: a board without physics, tasks
// in progress, and a driver that runs one page without a shell.
//
//	Board ──► State ──► page ──► intents ──► Driver (its own) or Wants (a shell's)
package pagetest

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"jtune/optimize/mix"
	"jtune/optimize/outlook"
	"jtune/optimize/serving"
	"jtune/tegra/metric"
	"jtune/tui/page"
	"jtune/tui/session/search"
	"jtune/tui/widget"
)

// Sizes are the window sizes that every page is drawn in: the usual one, two large ones, a tiny one.
var Sizes = [][2]int{{80, 24}, {120, 35}, {200, 50}, {40, 12}}

// NewState returns the state that a shell would have for a board.
func NewState(b *Board, now func() time.Time) *page.State {
	s := page.NewState(b, b, b)
	s.Device.Rate, s.Moment.Now = b, now
	s.Work.List, _ = b.Workloads()
	r := b.Readings()
	s.Readings = page.Readings{Sample: r.Last, OK: true, History: r.Samples, EnergyJ: r.EnergyJ, Since: Start,
		Cost: r.Cost,
		GPU:  r.GPU, Before: r.Last.Reading.Signals}
	return &s
}

// Driver runs one page or dialog without a shell.
type Driver struct {
	Board  *Board
	State  *page.State
	Wants  []page.Intent  // intents for a shell, oldest first
	Notice string         // newest message line
	Form   *page.Question // over the page; nil: closed
	// Remembered is the last saved choice of the Tune dialog.
	Remembered search.Form
	Time       time.Time // the user's time
	t          testing.TB
	page       Driven
	msgs       chan tea.Msg
	w, h       int
}

// Driven is a page or a dialog.
type Driven interface {
	Acts() page.Acts
	Render(w, h int) string
}

// Drive creates a page and a driver with a new board.
func Drive[P Driven](t testing.TB, made func(read page.Reader) P) (*Driver, P) {
	d := &Driver{Board: NewBoard(t), Time: Start, t: t, msgs: make(chan tea.Msg, 1000), w: 80, h: 22}
	d.State = NewState(d.Board, func() time.Time { return d.Time })
	p := made(page.ReaderOf(d.State))
	d.page = p
	return d, p
}

// Does carries out intents that need no shell, and keeps the others in Wants.
func (d *Driver) Does(i page.Intent) {
	switch i := i.(type) {
	case nil:
	case page.All:
		for _, one := range i {
			d.Does(one)
		}
	case page.Say:
		d.Notice = string(i)
	case page.Fail:
		if i.Err != nil {
			d.Notice = i.What + ": " + i.Err.Error()
		}
	case page.Close:
		d.Form = nil
	case page.Remember:
		d.Remembered = search.Form(i)
	case page.Choose:
		d.Ask(metric.Question(i))
	case page.Size:
		d.toSize(int(i))
	case page.Question:
		d.Form = &i
	case page.Run:
		d.run(i)
	case page.Compute:
		d.run(i)
	default:
		d.Wants = append(d.Wants, i)
	}
}

func (d *Driver) run(work func(ctx context.Context) tea.Msg) {
	ctx := d.t.Context()
	go func() { d.msgs <- work(ctx) }()
}

// Want removes and returns the newest intent; nil if there is none.
func (d *Driver) Want() page.Intent {
	if len(d.Wants) == 0 {
		return nil
	}
	last := d.Wants[len(d.Wants)-1]
	d.Wants = nil
	return last
}

// Send sends a message to the page.
func (d *Driver) Send(msg tea.Msg) {
	if then, own := msg.(page.Then); own {
		d.Does(then())
		return
	}
	if p, told := d.page.(interface{ Update(tea.Msg) page.Intent }); told {
		d.Does(p.Update(msg))
	}
}

// Press types keys, one by one, into the form if one is open.
func (d *Driver) Press(typed ...string) {
	for _, s := range typed {
		acts := d.page.Acts
		if d.Form != nil {
			acts = d.Form.Acts
		}
		does, _ := acts().Key(Key(s))
		d.Does(does)
	}
}

// Type presses the keys of a text.
func (d *Driver) Type(text string) {
	for _, c := range text {
		if c == ' ' {
			d.Press("space")
			continue
		}
		d.Press(string(c))
	}
}

// Until handles the results of commands until a condition holds.
func (d *Driver) Until(what string, cond func() bool) {
	d.t.Helper()
	late := time.After(3 * time.Minute) // a hang, not a slow machine
	for !cond() {
		select {
		case msg := <-d.msgs:
			d.Send(msg)
		case <-late:
			d.t.Fatalf("waited 3 minutes until %s; the page:\n%s", what, d.Screen())
		}
	}
}

// Show makes an outlook the shown one.
func (d *Driver) Show(v *outlook.Outlook) {
	before := d.State.Outlook
	d.State.Outlook = v
	d.Send(page.OutlookShown{Before: before})
	d.serve()
}

// toSize shows another batch size of the model.
func (d *Driver) toSize(by int) {
	before := d.State.Outlook
	all := before.Batches()
	at := slices.Index(all, before.Batch) + by
	d.State.Outlook = before.AtBatch(all[(at+len(all))%len(all)])
	d.Send(page.OutlookShown{Before: before, Same: true})
	d.serve()
}

// Ask chooses by other limits, with or without a load, and predicts how modes serve it.
func (d *Driver) Ask(a metric.Question) {
	d.t.Helper()
	d.State.Goal = a
	d.Send(page.LimitSet{})
	d.serve()
}

// serve predicts how modes serve the load.
func (d *Driver) serve() {
	d.t.Helper()
	goal := page.ReaderOf(d.State).Goal()
	if !goal.Load.Any() {
		d.State.Served = nil
		return
	}
	ask, err := mix.AskOf(goal, 0)
	if err == nil {
		d.State.Served, err = serving.ViewUnder(d.State.Outlook, ask, d.State.Served)
	}
	if err != nil {
		d.t.Fatal(err)
	}
	d.Send(page.ServedShown{})
}

// Size sets the size of the page.
func (d *Driver) Size(w, h int) {
	d.w, d.h, d.State.Look.Narrow = w, h, w < 60
}

// Screen returns the page as text.
func (d *Driver) Screen() string {
	text := d.page.Render(d.w, d.h)
	if d.Form != nil {
		text = widget.Over(text, d.Form.Render(d.w, d.h), d.w, d.h)
	}
	return ansi.Strip(text)
}

// hints returns the last line that a shell would draw, uncut.
func (d *Driver) hints() string {
	return ansi.Strip(widget.Footer(d.page.Acts().Hints(), 0, 1000))
}

// Sees fails unless the page, its newest message and its keys contain all the words.
func (d *Driver) Sees(words ...string) {
	d.t.Helper()
	screen := d.Screen() + "\n" + d.Notice + "\n" + d.hints()
	for _, w := range words {
		if !strings.Contains(screen, w) {
			d.t.Errorf("the page lacks %q:\n%s", w, screen)
		}
	}
}

// Key returns the press of a key by name: "a", "enter", "ctrl+s".
func Key(s string) tea.KeyPressMsg { return widget.KeyPress(s) }
