package tui

import (
	"fmt"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"jtune/tui/widget"
)

// TourStep is the keys of a step, what the screen must then show, and for how long.
type TourStep struct {
	Key     string // several are separated by spaces; "": none, the screen appears by itself
	Shows   []string
	Pause   time.Duration // for the viewer
	Caption string        // of 53 columns at most
}

// Tour goes from the Live page through a search and a race to an applied mode and back, and ends with what the answer
// gains. jtune lab demo plays it; the recorder of the README's picture watches it. A step's caption fits 80x24.
var Tour = []TourStep{
	{"", []string{"module total"}, 3 * time.Second, "the board now: clocks, power, heat"},
	{"t", []string{"Tune:", "fastest within 30 W"}, 3 * time.Second, "t: which power mode suits a job best?"},
	{"t", []string{"tuning resnet18"}, 2 * time.Second, "t: the job runs in a few of 18,096 modes"},
	{"", []string{"tuning resnet18", "so far"}, 3 * time.Second, "each measurement improves all predictions"},
	{"", []string{"the answer", "FITS 30 W", "measured within"}, 5 * time.Second,
		"the answer and what was before: both measured"},
	{"r", []string{"the race", "FUSE BLOWN"}, 0, "r: each mode under one limit, on one clock"},
	{"", []string{"the race", "the answer wins"}, 4 * time.Second, "most work within 30 W, as it was measured"},
	{"enter", []string{"limit 30 W", "measured within"}, 4 * time.Second,
		"all modes: time to the right, power upward"},
	{"V", []string{"least"}, 3 * time.Second, "V: energy over two clocks"},
	{"V V", []string{"limit 30 W", "measured within"}, time.Second, "V V: all modes again"},
	{"a", []string{"no reboot needed"}, 4 * time.Second, "a: what applying the answer changes"},
	{"a", []string{"keep? y / n", "the board is in it"}, 3 * time.Second,
		"a: set and read back; no answer for 30 s reverts it"},
	{"y", []string{"kept", "u undo"}, 2 * time.Second, "y: kept"},
	{"1", []string{"module total", "u undo"}, 3 * time.Second, "1: the board in the new mode"},
	{"u", []string{"reverted"}, 3 * time.Second, "u: undone, the board is restored."},
	{"3", []string{"the answer", "FITS 30 W", "measured within"}, 4 * time.Second,
		"3: the campaign keeps the answer"},
}

// Met reports whether a screen shows what the step expects, and that the board is virtual.
func (s TourStep) Met(screen string) bool {
	for _, want := range append([]string{"VIRTUAL"}, s.Shows...) {
		if !strings.Contains(screen, want) {
			return false
		}
	}
	return true
}

// TourMark is the mark of step i on the screen.
func TourMark(i int) string { return fmt.Sprintf(" %d/%d ", i+1, len(Tour)) }

// TourEnd is the text after the last step.
const TourEnd = "the tour has ended"

// Minimum size of a terminal for the tour.
const (
	TourW = 80
	TourH = 24
)

const (
	tourTick     = 100 * time.Millisecond
	tourSpeed    = 20              // of the virtual clock during the search, so that it can be watched
	tourPatience = 3 * time.Minute // longer is a hang, not a slow machine
)

// tour is the state of a playing Tour.
type tour struct {
	rate  float64 // divisor of the pauses
	at    int
	since time.Time // when the step's key was pressed
	met   time.Time // when the screen showed the step; zero: not yet
	skips bool      // the rest of the step's pause is skipped
}

// tourMsg arrives ten times a second while the tour plays.
type tourMsg struct{}

func nextTourTick() tea.Cmd { return tea.Tick(tourTick, func(time.Time) tea.Msg { return tourMsg{} }) }

// caption renders the description of the step.
func (t *tour) caption(w int) string {
	i := t.at
	if i > 0 && Tour[i].Key == "" && t.met.IsZero() {
		i-- // a step without a key has not appeared yet
	}
	left := widget.StyleTabOn.Render(TourMark(i)) + " " + widget.StyleBold.Render(Tour[i].Caption)
	return widget.Ends(left, widget.StyleDim.Render("space next  q quit "), w)
}
