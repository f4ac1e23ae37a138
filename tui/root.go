package tui

import (
	"context"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"jtune/profiles/workload"
	"jtune/telemetry"
	"jtune/tui/page"
	"jtune/tui/page/dialog"
	"jtune/tui/page/front"
	"jtune/tui/page/live"
	"jtune/tui/page/models"
	"jtune/tui/page/modes"
	"jtune/tui/page/profile"
	"jtune/tui/page/train"
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
	asks    *question       // nil: nothing is asked
	boards  []string        // to choose among until a key is pressed; nil: no choice
	chosen  string          // of these; "": that of the session
	gone    bool            // quitting
	held    []tea.Msg       // messages that wait while the view is frozen
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

// workloadsMsg brings the known workloads.
type workloadsMsg struct {
	list      []workload.Workload
	suggested string
	fixed     map[string]string // why a batch size cannot be chosen, by name
	err       error
}

// listWorkloads lists them. Whether a job takes a batch size is read in its files.
func (d deps) listWorkloads() tea.Msg {
	msg := workloadsMsg{fixed: map[string]string{}}
	msg.list, msg.err = d.host.Workloads()
	msg.suggested = d.host.Suggested(msg.list)
	for _, w := range msg.list {
		if d.fixedBatch != nil {
			msg.fixed[w.Name] = d.fixedBatch(w)
		}
	}
	return msg
}

// Init begins to watch the device and lists workloads and models.
func (r *root) Init() tea.Cmd {
	sh := r.sh
	cmds := []tea.Cmd{sh.deps.listWorkloads, listModels(sh.host), sh.listCampaigns(), r.pulse()}
	if r.tour != nil {
		cmds = append(cmds, nextTourTick())
	}
	if r.watch != nil {
		cmds = append(cmds, nextReadings(sh.ctx, r.watch))
	}
	return tea.Batch(cmds...)
}

// Update is tea.Model's.
func (r *root) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	if _, ok := msg.(pulseMsg); ok {
		r.pulsing = false
		return r, r.pulse() // nothing on the screen has changed
	}
	var cmd tea.Cmd
	if _, ok := msg.(tourMsg); ok {
		cmd = r.playTour()
	} else {
		r.frame = ""
		cmd = r.update(msg)
	}
	r.sh.Moment.Asking = r.apply.Stage() != dialog.Idle
	return r, cmd
}

func (r *root) update(msg tea.Msg) tea.Cmd {
	if r.tour != nil {
		switch msg := msg.(type) {
		case tea.KeyPressMsg:
			return r.tourKey(msg)
		case tea.MouseMsg, tea.PasteMsg:
			return nil
		}
	}
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		r.resize(msg.Width, msg.Height)
		return nil
	case tea.BackgroundColorMsg:
		r.sh.foldGround(msg.Color)
		return nil
	case tea.KeyPressMsg:
		return r.key(msg)
	case tea.MouseWheelMsg:
		return r.wheel(msg)
	case tea.PasteMsg:
		switch {
		case r.text != nil:
			r.text.Paste(msg)
			return nil
		case r.palette != nil:
			r.palette.Paste(msg)
			return nil
		case r.form != nil:
			r.form.Paste(msg)
			return nil
		}
	case tea.MouseClickMsg:
		r.click(msg)
		return nil
	}
	return r.message(msg)
}

func (r *root) resize(w, h int) {
	r.w, r.h = w, h
	r.sh.Look.Narrow = w < narrowW
}
