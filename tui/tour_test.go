package tui

import (
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"jtune/internal/must"
	"jtune/tui/page/pagetest"
)

// touring returns a driver whose tour has started.
func touring(t *testing.T) *driver {
	d := drive(t)
	d.r.beginTour(1)
	return d
}

func TestTourGoesOnWhenAStepWasSeenLongEnough(t *testing.T) {
	t.Parallel()
	d := touring(t)
	d.send(tourMsg{}) // the screen shows the first step
	d.now = d.now.Add(Tour[0].Pause - time.Millisecond)
	if d.send(tourMsg{}); d.r.tour.at != 0 || d.r.top() != nil {
		t.Fatalf("the first step is left too early:\n%s", d.screen())
	}
	d.now = d.now.Add(time.Millisecond)
	if d.send(tourMsg{}); d.r.tour.at != 1 || d.r.top() == nil {
		t.Fatalf("after the first step the Tune dialog is not open:\n%s", d.screen())
	}
	must.Contain(t, d.screen(), Tour[1].Caption)
}

func TestTourSaysWhatDoesNotCome(t *testing.T) {
	t.Parallel()
	d := touring(t)
	d.press("space")
	d.send(tourMsg{})
	d.r.forms = nil // so that the second step's screen never appears
	d.now = d.now.Add(tourPatience + time.Second)
	d.send(tourMsg{})
	must.Equal(t, d.r.tour, nil)
	must.Contain(t, d.screen(), "the tour cannot continue")
}

func TestTourKeys(t *testing.T) {
	t.Parallel()
	d := touring(t)
	d.send(tea.PasteMsg{Content: "q"})
	d.send(tea.MouseClickMsg{Button: tea.MouseLeft, X: 12})
	if d.r.tour == nil || d.r.active != 0 {
		t.Fatal("a paste or a click ends the tour")
	}
	d.press("space")
	if d.send(tourMsg{}); d.r.tour == nil || d.r.tour.at != 1 {
		t.Fatal("space does not go on to the next step")
	}
	d.press("x")
	must.Equal(t, d.r.tour, nil)
	must.Contain(t, d.screen(), "the tour was stopped")
	if d.send(tourMsg{}); d.quit {
		t.Error("the program ends with the tour")
	}
	for _, key := range []string{"q", "ctrl+c"} {
		d := touring(t)
		d.press(key)
		d.until(key+" has ended the program", func() bool { return d.quit })
	}
}

func TestTourCaptionsHaveRoom(t *testing.T) {
	t.Parallel()
	for i := range Tour {
		line := ansi.Strip((&tour{at: i, met: pagetest.Start}).caption(TourW))
		if w := ansi.StringWidth(line); w > TourW || !strings.Contains(line, Tour[i].Caption) ||
			!strings.Contains(line, "q quit") {
			t.Errorf("caption of step %d at %d columns: %q", i+1, TourW, line)
		}
	}
}
