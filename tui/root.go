package tui

import (
	"cmp"
	"context"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"jtune/telemetry"
	"jtune/tui/page"
	"jtune/tui/page/dialog"
	"jtune/tui/page/front"
	"jtune/tui/page/live"
	"jtune/tui/page/models"
	"jtune/tui/page/modes"
	"jtune/tui/page/profile"
	"jtune/tui/page/train"
	"jtune/tui/widget"
)

// newPages creates the pages in tab order.
func newPages(read page.Reader) []page.Page {
	return []page.Page{
		live.New(read),
		train.New(read),
		profile.New(read),
		models.New(read),
		front.New(read),
		modes.New(read),
	}
}

// narrowW is the width below which panels have a title instead of a frame.
const narrowW = 60

// form is what is open over the page: questions, a list to choose from, a text.
type form interface {
	Acts() page.Acts
	Numbers() []string // what explains its numbers in the help; nil: it has no help
	Paste(m tea.PasteMsg)
	Render(w, h int) string
}

var (
	_ form = (*dialog.Tune)(nil)
	_ form = (*dialog.Campaign)(nil)
	_ form = (*dialog.Palette)(nil)
	_ form = (*dialog.Text)(nil)
	_ form = page.Question{}
)

// Below these sizes tiny replaces the pages.
const (
	minW = 20
	minH = 4
)

// root is the whole screen. It owns the shared state, the pages and the overlays.
type root struct {
	sh      *shared
	watch   *telemetry.Watch // nil in tests that supply their own readings
	pages   []page.Page
	active  int
	apply   *dialog.Apply
	forms   []form     // over the page; the last is shown
	asks    *question  // nil: no question
	boards  []string   // virtual boards to choose from, this one first; nil: no choice
	pressed bool       // some key was pressed
	chosen  string     // one of boards; "": the session's
	gone    bool       // quitting
	held    []streamed // messages held while the view is frozen
	pulsing bool       // a pulse is pending
	tour    *tour      // nil: no tour
	keyAt   time.Time  // of the last key
	w, h    int
	frame   string // last drawing; "" after a change
}

func newRoot(ctx context.Context, d deps) *root {
	sh := newShared(ctx, d)
	if d.notice != "" {
		sh.say("%s", d.notice)
	}
	r := &root{sh: sh, w: 80, h: 24, apply: dialog.NewApply(sh.read), pages: newPages(sh.read)}
	r.turn(0)
	r.do(d.tried)
	return r
}

// shown returns the page that is shown.
func (r *root) shown() page.Page { return r.pages[r.active] }

// turn shows the page of a tab.
func (r *root) turn(tab int) { r.active, r.sh.Look.Shown = tab, r.pages[tab].Name() }

// open shows a page.
func (r *root) open(name page.Name) {
	if tab := slices.IndexFunc(r.pages, func(p page.Page) bool { return p.Name() == name }); tab >= 0 {
		r.turn(tab)
	}
}

// resize sets the size of the window.
func (r *root) resize(w, h int) {
	r.w, r.h = w, h
	r.sh.Look.Narrow = w < narrowW
}

// top returns the form that is shown; nil: none.
func (r *root) top() form {
	if n := len(r.forms); n > 0 {
		return r.forms[n-1]
	}
	return nil
}

// over shows a form over the page.
func (r *root) over(f form) { r.forms = []form{f} }

// subject returns the workload under the cursor of the shown page; "" if there is none.
func (r *root) subject() string {
	if p, ok := r.shown().(page.Subjected); ok {
		return p.Subject()
	}
	return ""
}

// asking opens a dialog for a workload: "" is the one under the cursor.
func (r *root) asking(workload string, open func(read page.Reader)) {
	r.sh.Work.Pointed = cmp.Or(workload, r.subject())
	open(r.sh.read)
	r.sh.Work.Pointed = ""
}

// typing reports whether keys edit a text field of the page.
func (r *root) typing() bool {
	t, ok := r.shown().(page.Typist)
	return ok && t.Typing()
}

// question is shown in the line for messages; any other key than yes dismisses it.
type question struct {
	do, not string         // labels of yes and no: "quit", "stay"
	why     func() string  // text of the question
	yes     func() tea.Cmd // what yes does
	also    widget.Action  // another key for yes
}

// event is a message of the shell itself: the result of a command.
type event interface {
	// fold applies it to the state that the pages show, and tells them.
	fold(r *root) tea.Cmd
}

// then is the result of a command that nothing else looks at.
type then func(r *root) tea.Cmd

func (t then) fold(r *root) tea.Cmd { return t(r) }

// streamed is an event of a stream. While the view is frozen it is held, and the stream is still read.
type streamed interface {
	event
	// next waits for the next event of the stream.
	next(r *root) tea.Cmd
}
