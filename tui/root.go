package tui

import (
	"context"
	"errors"
	"strings"
	"time"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"jtune/optimize"
	"jtune/profiles"
)

// page is one of the six screens. Messages that are not keys go to all of
// them; keys to the one that shows.
type page interface {
	title() string
	// update takes news that all pages may care for.
	update(msg tea.Msg) tea.Cmd
	// key takes a key that means something here; false gives it back.
	key(k tea.KeyPressMsg) (cmd tea.Cmd, taken bool)
	// hints lists the page's keys, the most useful first.
	hints() []hint
	// copied is what y puts on the clipboard.
	copied() string
	// Render draws the page in exactly w×h cells.
	Render(w, h int) string
}

// Pages, in the order of their digits.
const (
	pageLive = iota
	pageTrain
	pageProfile
	pageModels
	pageFront
	pageModes
	numPages
)

// narrowW is the width below which panels have titles instead of frames.
const narrowW = 60

// rush is faster than fingers and key repeat are: keys that follow each other
// so closely were pasted.
const rush = 20 * time.Millisecond

// Sizes below which no page is drawn, only what the board does.
const (
	minW = 20
	minH = 4
)

// root is the whole screen: it owns what is shared, the six pages, and what
// may lie over them.
type root struct {
	sh      *shared
	watch   *watcher // nil in tests that bring their own readings
	pages   [numPages]page
	active  int
	apply   *applyFlow
	tune    *tuneDialog // nil: closed
	help    bool
	scroll  int // of the help
	asking  bool
	gone    bool      // quitting
	held    []tea.Msg // news that wait while the view is frozen
	pulsing bool      // a pulse is under way
	keyAt   time.Time // of the last key
	w, h    int
	frame   string // last drawing; "" when something has changed
}

func newRoot(ctx context.Context, d deps) *root {
	if d.now == nil {
		d.now = time.Now
	}
	sh := &shared{deps: d, ctx: ctx, board: d.device.Board(), space: d.device.Space(), presets: d.device.Presets()}
	sh.since = sh.now()
	sh.limit.PowerW = defaultPowerW(sh.presets)
	if d.notice != "" {
		sh.say("%s", d.notice)
	}
	r := &root{sh: sh, w: 80, h: 24}
	r.apply = &applyFlow{sh: sh}
	r.pages = [numPages]page{newLivePage(sh), newTrainPage(sh), newProfilePage(sh), newModelsPage(sh), newFrontPage(sh, r.apply), newModesPage(sh, r.apply)}
	return r
}

// workloadsMsg brings the known workloads.
type workloadsMsg struct {
	list []profiles.Workload
	err  error
}

// Init begins to watch the device and lists workloads and models.
func (r *root) Init() tea.Cmd {
	h := r.sh.host
	cmds := []tea.Cmd{func() tea.Msg {
		list, err := h.Workloads()
		return workloadsMsg{list, err}
	}, listModels(h), r.sh.findUnfinished(), r.pulse()}
	if r.watch != nil {
		cmds = append(cmds, r.watch.next(r.sh.ctx))
	}
	return tea.Batch(cmds...)
}

// Update is tea.Model's.
func (r *root) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	if _, ok := msg.(pulseMsg); ok {
		r.pulsing = false
		return r, r.pulse() // nothing on the screen has changed
	}
	r.frame = ""
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		r.resize(msg.Width, msg.Height)
		return r, nil
	case tea.KeyPressMsg:
		return r, r.key(msg)
	case tea.MouseWheelMsg:
		return r, r.wheel(msg)
	case tea.MouseClickMsg:
		r.click(msg)
		return r, nil
	}
	return r, r.news(msg)
}

func (r *root) resize(w, h int) {
	r.w, r.h = w, h
	r.sh.narrow = w < narrowW
}

// take folds news into what the pages show.
func (r *root) take(msg tea.Msg) tea.Cmd {
	sh := r.sh
	sh.page = r.active
	var cmds []tea.Cmd
	switch msg := msg.(type) {
	case sampleMsg:
		sh.takeSample(msg)
	case workloadsMsg:
		sh.workloads = sh.runnable(msg.list)
		sh.fail("workloads", msg.err)
	case jobNewsMsg:
		msg.job.take(msg.news)
	case jobDoneMsg:
		cmds = append(cmds, r.jobDone(msg))
	case guardMsg:
		if msg.err != nil {
			r.apply.stage = applyIdle
			sh.fail("no way to set power modes", msg.err)
			break
		}
		sh.sudo = false
		cmds = append(cmds, msg.do())
	}
	cmds = append(cmds, r.apply.update(msg))
	for _, p := range r.pages {
		cmds = append(cmds, p.update(msg))
	}
	return tea.Batch(cmds...)
}

// jobDone files a job's outcome and opens the page that shows it.
func (r *root) jobDone(msg jobDoneMsg) tea.Cmd {
	sh, j := r.sh, msg.job
	if j.stopping && errors.Is(msg.err, context.Canceled) {
		msg.err = nil // as was asked for
	}
	j.done, j.err, j.tuned, j.ran = true, msg.err, msg.tuned, msg.ran
	if msg.ran != nil && msg.ran.Character.All.Minibatches > 0 {
		j.like = &msg.ran.Character
	}
	switch {
	case errors.Is(msg.err, optimize.ErrInfeasible):
		sh.say("%s: no power mode meets the limit; the nearest one is shown", j.kind)
	case msg.err != nil:
		sh.fail(j.kind.String(), msg.err)
	case j.stopping:
		sh.say("%s stopped: the board is back as it was found", j.kind)
	default:
		sh.say("%s finished: the board is back as it was found", j.kind)
	}
	if msg.view != nil {
		sh.view = msg.view
		if msg.tuned != nil {
			sh.view = sh.view.answering(j.limit, msg.tuned)
		}
	}
	if msg.row != nil && sh.view != nil && msg.row.Status.Usable() {
		sh.learn(msg.row.Measured)
	}
	if r.gone {
		return tea.Quit
	}
	again := tea.Batch(sh.findUnfinished(), r.pulse())
	if msg.view != nil && (j.kind == jobTune || j.kind == jobFront) {
		sh.limit = j.limit
		if r.active == pageProfile {
			r.active = pageFront
		}
		return tea.Batch(listModels(sh.host), again)
	}
	return again
}

// key walks a key down: what lies over the page, the keep question, keys that
// work everywhere, the page.
func (r *root) key(k tea.KeyPressMsg) tea.Cmd {
	now := r.sh.now()
	r.sh.rushed, r.keyAt = now.Sub(r.keyAt) < rush, now
	return tea.Batch(r.sh.acquaint(), r.route(k))
}

func (r *root) route(k tea.KeyPressMsg) tea.Cmd {
	if cmd, taken := r.overlayKey(k); taken {
		return cmd
	}
	if cmd, taken := r.apply.key(k); taken {
		return cmd
	}
	p := r.pages[r.active]
	if t, ok := p.(interface{ typing() bool }); ok && t.typing() && k.String() != "ctrl+c" {
		cmd, _ := p.key(k)
		return cmd
	}
	if cmd, taken := p.key(k); taken {
		return cmd
	}
	return r.globalKey(k)
}

// overlayKey serves what lies over the page.
func (r *root) overlayKey(k tea.KeyPressMsg) (tea.Cmd, bool) {
	switch {
	case r.asking:
		r.asking = false
		if key.Matches(k, keys.Yes) || key.Matches(k, keys.Quit) {
			return r.quit(), true
		}
		return nil, true
	case r.help:
		switch {
		case key.Matches(k, keys.Down), key.Matches(k, keys.PageDown):
			r.scroll++
		case key.Matches(k, keys.Up), key.Matches(k, keys.PageUp):
			r.scroll = max(0, r.scroll-1)
		default:
			r.help, r.scroll = false, 0
		}
		return nil, true
	case r.tune != nil:
		closed, start := r.tune.key(k)
		d := r.tune
		if closed {
			r.tune = nil
		}
		if start {
			return r.startTune(d), true
		}
		return nil, true
	}
	return nil, false
}

// startTune begins what the dialog asks for and shows the campaign.
func (r *root) startTune(d *tuneDialog) tea.Cmd {
	sh := r.sh
	if why := sh.mayWrite(); why != "" {
		sh.say("tune: not now, %s", why)
		return nil
	}
	if len(sh.workloads) == 0 {
		sh.say("tune: no workload is known")
		return nil
	}
	r.active = pageProfile
	w, l := sh.workloads[d.choice[fieldWorkload]], d.limit()
	whole, fast := d.choice[fieldEffort] == 1, d.choice[fieldSpeed] == 0
	batches := d.batches()
	return sh.withGuard(func() tea.Cmd { return sh.tune(w, batches, l, whole, fast) })
}

// globalKey serves the keys that work on every page.
func (r *root) globalKey(k tea.KeyPressMsg) tea.Cmd {
	sh := r.sh
	switch {
	case key.Matches(k, keys.Page):
		r.active = int(k.String()[0] - '1')
	case key.Matches(k, keys.NextPage):
		r.active = (r.active + 1) % numPages
	case key.Matches(k, keys.PrevPage):
		r.active = (r.active + numPages - 1) % numPages
	case key.Matches(k, keys.Help):
		r.help = true
	case key.Matches(k, keys.Tune):
		if why := r.mayTune(); why != "" {
			sh.say("tune: not now, %s", why)
			return nil
		}
		r.tune = newTuneDialog(sh)
	case key.Matches(k, keys.Undo):
		return r.apply.undo()
	case key.Matches(k, keys.Freeze):
		if sh.frozen = !sh.frozen; !sh.frozen {
			return r.thaw()
		}
	case key.Matches(k, keys.Slower), key.Matches(k, keys.Faster):
		return r.changeSpeed(key.Matches(k, keys.Faster))
	case key.Matches(k, keys.Mouse):
		sh.mouse = !sh.mouse
		sh.say("mouse %s", map[bool]string{true: "on: click tabs and modes, zoom by the wheel; the terminal selects no text", false: "off: the terminal selects text again"}[sh.mouse])
	case key.Matches(k, keys.Enlarge):
		sh.say("enlarge: %s has nothing to enlarge now", r.pages[r.active].title())
	case key.Matches(k, keys.Copy):
		return r.copy()
	case key.Matches(k, keys.Export):
		r.export()
	case key.Matches(k, keys.Back):
		sh.notice = ""
	case key.Matches(k, keys.Quit):
		if r.reasonToStay() == "" {
			return r.quit()
		}
		r.asking = true
	}
	return nil
}

// mayTune gives the reason why tuning cannot begin now, or "".
func (r *root) mayTune() string {
	if r.apply.stage != applyIdle {
		return "answer keep first"
	}
	return r.sh.mayWrite()
}

// reasonToStay is why quitting asks first.
func (r *root) reasonToStay() string {
	switch {
	case r.sh.busy():
		return r.sh.job.kind.String() + " goes on: quitting stops it and puts the board back"
	case r.sh.dev.unkept():
		return "the applied mode was not kept: quitting puts the state before back"
	}
	return ""
}

// quit stops a running job first; its end ends the program.
func (r *root) quit() tea.Cmd {
	r.gone = true
	if r.sh.busy() {
		r.sh.job.stop()
		r.sh.say("stopping, putting the board back …")
		return nil
	}
	return tea.Quit
}

func (r *root) changeSpeed(up bool) tea.Cmd {
	if r.sh.rate == nil {
		r.sh.say("speed: only a virtual board's clock can be changed")
		return nil
	}
	r.sh.rate.SetSpeed(faster(r.sh.rate.Speed(), up))
	r.sh.say("virtual clock %s", speedText(r.sh.rate.Speed()))
	return r.pulse()
}

func (r *root) copy() tea.Cmd {
	text := r.pages[r.active].copied()
	if text == "" {
		text = ansi.Strip(r.draw())
	}
	r.sh.say("copied: %s", firstLine(text))
	return func() tea.Msg { return clipMsg(text) }
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	return strings.TrimSpace(line)
}
