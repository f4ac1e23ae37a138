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

// newPages makes the pages in the order of their tabs.
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

// narrowW is the width below which panels have titles instead of frames.
const narrowW = 60

// form is a dialog that asks.
type form interface {
	explained
	Key(k tea.KeyPressMsg) (does page.Intent, closed bool)
	Paste(m tea.PasteMsg)
	Render(w, h int) string
}

var (
	_ form = (*dialog.Tune)(nil)
	_ form = (*dialog.Campaign)(nil)
	_ form = (*dialog.Rename)(nil)
	_ form = (*dialog.Measure)(nil)
)

// Sizes below which no page is drawn, only what the board does.
const (
	minW = 20
	minH = 4
)

// root is the whole screen: it owns what pages look at, the pages, and what may
// lie over them.
type root struct {
	sh      *shared
	watch   *telemetry.Watch // nil in tests that bring their own readings
	pages   []page.Page
	active  int
	apply   *dialog.Apply
	form    form            // a dialog that asks; nil: closed
	text    *overText       // help or messages; nil: closed
	palette *dialog.Palette // nil: closed
	asks    *question       // nil: no question
	boards  []string        // virtual ones to choose among, the first is this one; nil: no choice
	pressed bool            // a key was
	chosen  string          // of these; "": that of the session
	gone    bool            // quitting
	held    []streamed      // messages that wait while the view is frozen
	pulsing bool            // a pulse is under way
	tour    *tour           // nil: none plays
	keyAt   time.Time       // of the last key
	w, h    int
	frame   string // last drawing; "" when something has changed
}

func newRoot(ctx context.Context, d deps) *root {
	sh := newShared(ctx, d)
	if d.notice != "" {
		sh.say("%s", d.notice)
	}
	read := page.ReaderOf(&sh.State)
	r := &root{sh: sh, w: 80, h: 24, apply: dialog.NewApply(read), pages: newPages(read)}
	r.turn(0)
	return r
}

// shown is the page that shows.
func (r *root) shown() page.Page { return r.pages[r.active] }

// turn goes to the page of a tab.
func (r *root) turn(tab int) { r.active, r.sh.Look.Shown = tab, r.pages[tab].Name() }

// open goes to a page.
func (r *root) open(name page.Name) {
	if tab := slices.IndexFunc(r.pages, func(p page.Page) bool { return p.Name() == name }); tab >= 0 {
		r.turn(tab)
	}
}

// resize takes the size of the window.
func (r *root) resize(w, h int) {
	r.w, r.h = w, h
	r.sh.Look.Narrow = w < narrowW
}

// explained is what the help is about: a page, or a dialog over it.
type explained interface {
	Hints() []widget.Action
	Numbers() string
}

// subject is the workload under the cursor of the page that shows; "" where there is none.
func (r *root) subject() string {
	if p, ok := r.shown().(page.Subjected); ok {
		return p.Subject()
	}
	return ""
}

// asking opens a dialog that begins with a workload: "" is the one under the cursor.
func (r *root) asking(workload string, open func(read page.Reader)) {
	r.sh.Work.Pointed = cmp.Or(workload, r.subject())
	open(page.ReaderOf(&r.sh.State))
	r.sh.Work.Pointed = ""
}

// typing reports whether keys write a text on the page.
func (r *root) typing() bool {
	t, ok := r.shown().(page.Typist)
	return ok && t.Typing()
}

// question shows in the line for messages: a key that is no yes leaves it.
type question struct {
	do, not string         // what yes and no do: "quit", "stay"
	why     func() string  // the question is open
	yes     func() tea.Cmd // does it
	also    widget.Action  // says yes too
}

// event is a message of the shell's own: what a command has found or done.
type event interface {
	// fold brings it into the state that the pages show; told is the message that they get then.
	fold(r *root) (told []tea.Msg, cmd tea.Cmd)
}

// streamed is an event of a stream. While the view is frozen it waits, and the stream is read on.
type streamed interface {
	event
	// next waits for the one after it.
	next(r *root) tea.Cmd
}
