package tui

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"jtune/tui/widget"
)

// press handles a key from the terminal; while the tour plays, keys control the tour.
func (r *root) press(k tea.KeyPressMsg) tea.Cmd {
	if r.tour != nil {
		return r.tourKey(k)
	}
	return r.key(k)
}

func (tourMsg) tick(r *root) tea.Cmd { return r.playTour() }

// tourStepOver reports whether the step was shown long enough; err is set if it does not appear.
func (r *root) tourStepOver() (over bool, err error) {
	t, step, now := r.tour, Tour[r.tour.at], r.sh.now()
	if t.met.IsZero() {
		text := ansi.Strip(r.View().Content)
		// a step without a key may have appeared already
		next := t.at+1 < len(Tour) && Tour[t.at+1].Key == "" && Tour[t.at+1].Met(text)
		if next || step.Met(text) {
			t.met, r.frame = now, ""
		}
	}
	switch {
	case !t.met.IsZero():
		return t.skips || now.Sub(t.met).Seconds() >= step.Pause.Seconds()/t.rate, nil
	case now.Sub(t.since) > tourPatience:
		return false, fmt.Errorf("the tour cannot continue: after %v the screen does not show %q", tourPatience,
			step.Shows)
	}
	return false, nil
}

// beginTour plays Tour with pauses divided by rate.
func (r *root) beginTour(rate float64) {
	r.tour, r.sh.tasks.Top = &tour{rate: rate, since: r.sh.now()}, tourSpeed*rate
}

// playTour advances the tour when its step is over.
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

// tourKey handles a key of the viewer: space skips the pause, q and ctrl+c end the program, any other key ends the
// tour.
func (r *root) tourKey(k tea.KeyPressMsg) tea.Cmd {
	switch {
	case k.Code == tea.KeySpace:
		r.tour.skips = true
	case r.sh.Keys.Quit.Matches(k):
		r.tour = nil
		return r.quit()
	default:
		r.endTour("the tour was stopped")
	}
	return nil
}

// endTour hands the program to the viewer.
func (r *root) endTour(why string) {
	r.tour, r.frame, r.sh.tasks.Top = nil, "", 0
	r.sh.say("%s: try the keys yourself; what you measure here is not kept; %s quits", why, r.sh.Keys.Quit.Label())
}
