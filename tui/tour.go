package tui

import (
	"fmt"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"jtune/tui/widget"
)

// TourStep is keys, what the screen shows after them, and how long that stays.
type TourStep struct {
	Key     string // or several with blanks between them; "": none, the screen comes by itself
	Shows   []string
	Pause   time.Duration // for whoever watches
	Caption string        // of 53 columns at most
}

// Tour is the way from the Live page by a search to an applied mode and back. jtune demo plays it;
// the recorder of the README's picture watches jtune demo. A step's words have room at 80x24. Its limit
// is one that MAXN keeps, so that the saving is between two modes that were measured.
var Tour = []TourStep{
	{"", []string{"module total"}, 4 * time.Second, "the board now: clocks, power, heat"},
	{"t", []string{"Tune:", "fastest within 30 W"}, 3 * time.Second, "t: which power mode suits a job best?"},
	{"right", []string{"least power within 100 ms"}, 2 * time.Second, "→: the one of least power within a time"},
	{"8 0", []string{"within 80_ ms"}, 3 * time.Second, "8 0: a minibatch may take 80 ms"},
	{"t", []string{"tuning resnet18"}, 2 * time.Second, "t: the job runs in a few of 18,096 modes"},
	{"", []string{"tuning resnet18", "best so far"}, 3 * time.Second, "each one narrows what is predicted of all"},
	{"", []string{"the answer", "against MAXN", "measured within", "the board is back"}, 6 * time.Second,
		"the answer and what it saves: both modes are measured"},
	{"enter", []string{"limit 80.0 ms", "measured within"}, 5 * time.Second,
		"all modes: time to the right, power upward"},
	{"]", []string{"limit 84.0 ms"}, 2 * time.Second, "]: 5 % more time, answered by the same model"},
	{"[", []string{"limit 80.0 ms"}, 1 * time.Second, "[: back to 80 ms"},
	{"V", []string{"least"}, 4 * time.Second, "V: energy over two knobs"},
	{"V V", []string{"limit 80.0 ms", "measured within"}, time.Second, "V V: all modes again"},
	{"a", []string{"knob", "no reboot needed"}, 5 * time.Second, "a: what applying the answer changes"},
	{"a", []string{"keep? y / n", "the board is in it"}, 4 * time.Second,
		"a: set, and read back; silence for 30 s undoes it"},
	{"y", []string{"kept", "u undo"}, 2 * time.Second, "y: kept"},
	{"1", []string{"module total", "u undo"}, 4 * time.Second, "1: the board in the new mode"},
	{"u", []string{"reverted"}, 4 * time.Second, "u: undone, the board is as it was"},
}

// Met reports whether a screen shows what it should after the step, and that the board is no
// real one.
func (s TourStep) Met(screen string) bool {
	for _, want := range append([]string{"VIRTUAL"}, s.Shows...) {
		if !strings.Contains(screen, want) {
			return false
		}
	}
	return true
}

// TourMark is how step i is marked on the screen.
func TourMark(i int) string { return fmt.Sprintf(" %d/%d ", i+1, len(Tour)) }

// TourEnd is what is said after the last step.
const TourEnd = "the tour has ended"

// Least size of a terminal for the tour.
const (
	TourW = 80
	TourH = 24
)

const (
	tourTick     = 100 * time.Millisecond
	tourSpeed    = 20              // of the virtual clock in the search, so that it can be watched
	tourPatience = 3 * time.Minute // longer is a hang, not a slow machine
)

// tour plays Tour.
type tour struct {
	rate  float64 // by which pauses are shorter
	at    int
	since time.Time // the step's key was pressed
	met   time.Time // the screen showed what it should; zero: not yet
	skips bool      // the step's pause is skipped
}

// tourMsg comes ten times a second while a tour plays.
type tourMsg struct{}

func (tourMsg) tick(r *root) tea.Cmd { return r.playTour() }

func nextTourTick() tea.Cmd { return tea.Tick(tourTick, func(time.Time) tea.Msg { return tourMsg{} }) }

// caption says what the tour does.
func (t *tour) caption(w int) string {
	i := t.at
	if i > 0 && Tour[i].Key == "" && t.met.IsZero() {
		i-- // what comes by itself has not come yet
	}
	left := widget.StyleTabOn.Render(TourMark(i)) + " " + widget.StyleBold.Render(Tour[i].Caption)
	return widget.Ends(left, widget.StyleDim.Render("space next  q quit "), w)
}

// tourStepOver reports whether the step was seen long enough; err is set when it does not come.
func (r *root) tourStepOver() (over bool, err error) {
	t, step, now := r.tour, Tour[r.tour.at], r.sh.now()
	if t.met.IsZero() {
		text := ansi.Strip(r.View().Content)
		// what comes by itself may have come already
		next := t.at+1 < len(Tour) && Tour[t.at+1].Key == "" && Tour[t.at+1].Met(text)
		if next || step.Met(text) {
			t.met, r.frame = now, ""
		}
	}
	switch {
	case !t.met.IsZero():
		return t.skips || now.Sub(t.met).Seconds() >= step.Pause.Seconds()/t.rate, nil
	case now.Sub(t.since) > tourPatience:
		return false, fmt.Errorf("the tour cannot go on: after %v the screen does not show %q", tourPatience,
			step.Shows)
	}
	return false, nil
}

// beginTour plays Tour with pauses that are shorter by rate.
func (r *root) beginTour(rate float64) {
	r.tour, r.sh.tasks.Top = &tour{rate: rate, since: r.sh.now()}, tourSpeed*rate
}

// playTour goes on with the tour where its step is over.
func (r *root) playTour() tea.Cmd {
	t := r.tour
	if t == nil {
		return nil
	}
	over, err := r.tourStepOver()
	switch {
	case err != nil:
		r.endTour(err.Error())
		return nil
	case !over:
		return nextTourTick()
	case t.at == len(Tour)-1:
		r.endTour(TourEnd)
		return nil
	}
	*t = tour{rate: t.rate, at: t.at + 1, since: r.sh.now()}
	r.frame = ""
	if Tour[t.at].Key == "" {
		return nextTourTick()
	}
	cmds := []tea.Cmd{nextTourTick()}
	for _, key := range strings.Fields(Tour[t.at].Key) {
		cmds = append(cmds, r.key(widget.KeyPress(key)))
	}
	return tea.Batch(cmds...)
}

// tourKey takes a key of whoever watches: space goes on, q and ctrl+c end the program, any other
// key ends the tour.
func (r *root) tourKey(k tea.KeyPressMsg) tea.Cmd {
	switch {
	case k.Code == tea.KeySpace:
		r.tour.skips = true
	case r.sh.Keys.Quit.Matches(k):
		r.tour = nil
		return r.quit()
	default:
		r.endTour("the tour is left")
	}
	return nil
}

// endTour hands the program to whoever watches.
func (r *root) endTour(why string) {
	r.tour, r.frame, r.sh.tasks.Top = nil, "", 0
	r.sh.say("%s: go on by yourself; what is measured here is not kept; %s quits", why, r.sh.Keys.Quit.Label())
}
