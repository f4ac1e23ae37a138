package widget

import (
	"fmt"
	"strings"
	"testing"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"jtune/internal/must"
)

func TestLogPaneFollowsScrollsAndSearches(t *testing.T) {
	l := LogPane{Pager: Pager{Keys: testKeys}}
	for i := range 100 {
		text := fmt.Sprintf("line %d", i)
		if i%10 == 3 {
			text += " Loss"
		}
		l.Add(text)
	}
	shows := func(want ...string) {
		t.Helper()
		got := ansi.Strip(l.Render(20, 3))
		for i, line := range strings.Split(got, "\n") {
			if strings.TrimSpace(line) != want[i] {
				t.Errorf("got %q, want %q", got, want)
				return
			}
		}
	}
	shows("line 97", "line 98", "line 99")
	l.Key(keyPress("up"))
	shows("line 96", "line 97", "line 98")
	l.Add("line 100")
	shows("line 96", "line 97", "line 98") // scrolled back: it does not move
	l.Key(keyPress("home"))
	shows("line 0", "line 1", "line 2")
	l.Key(keyPress("pgdown"))
	shows("line 2", "line 3 Loss", "line 4")
	l.Key(keyPress("end"))
	l.Add("line 101")
	shows("line 99", "line 100", "line 101") // follows again
	press := func(keys ...string) {
		for _, k := range keys {
			l.Key(keyPress(k))
		}
	}
	press("home", "/", "l", "O", "s", "x", "backspace", "s")
	shows("line 3 Loss", "line 4", "line 5") // while it is typed
	press("enter", "enter", "enter")
	shows("line 23 Loss", "line 24", "line 25")
	press("N", "N", "N")
	shows("line 93 Loss", "line 94", "line 95") // around the end
	must.Equal(t, l.Note(), "search lOss")
	press("/", "z", "z")
	must.Equal(t, l.Note(), "search zz_: in no line")
	press("esc", "end")
	shows("line 99", "line 100", "line 101")
	for range MaxLogLines {
		l.Add("x")
	}
	must.Equal(t, len(l.Lines), MaxLogLines)
}

func TestLogPaneWithoutRoomDrawsNothing(t *testing.T) {
	l := LogPane{Pager: Pager{Keys: testKeys}}
	l.Add("a", "b", "c")
	for h := -2; h < 6; h++ {
		must.Equal(t, strings.Count(l.Render(10, h), "\n")+1, max(h, 1), h)
	}
}

func action(typed string) Action {
	return Action{Binding: key.NewBinding(key.WithKeys(typed))}
}

// testKeys are a log pane's keys, as on the screens.
var testKeys = ListKeys{
	Up:       action("up"),
	Down:     action("down"),
	PageUp:   action("pgup"),
	PageDown: action("pgdown"),
	Home:     action("home"),
	End:      action("end"),
	Search:   action("/"),
	Next:     action("enter"),
	Prev:     action("N"),
	Back:     action("esc"),
}

// keyPress is a key by its name.
func keyPress(name string) tea.KeyPressMsg { return KeyPress(name) }

// The end of the log is shown with wrapped lines; scrolled back, a line is one row again.
func TestLogPaneShowsTheNewestLinesWhole(t *testing.T) {
	t.Parallel()
	var l LogPane
	l.Add("old", "epoch 1: 3124 minibatches in 03:09, stall 13 %")
	shown := strings.Split(l.Render(20, 4), "\n")
	if text := strings.Join(strings.Fields(strings.Join(shown, " ")), " "); len(shown) != 4 ||
		text != "old epoch 1: 3124 minibatches in 03:09, stall 13 %" {
		t.Errorf("%d rows: %q", len(shown), shown)
	}
	if text := strings.Join(strings.Fields(l.Render(20, 2)), " "); strings.Contains(text, "old") ||
		!strings.HasSuffix(text, "stall 13 %") {
		t.Errorf("of two rows: %q", text)
	}
}
