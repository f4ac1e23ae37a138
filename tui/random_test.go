package tui

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"jtune/internal/must"
	"jtune/internal/text"
	"jtune/internal/tools/reliability"
	"jtune/tui/page/dialog"
	"jtune/tui/page/pagetest"
)

// typedKeys are random keys of a keyboard, except the key that applies.
var typedKeys = []string{"1", "2", "3", "4", "5", "6", "tab", "?", "/", "f", "e", "t", "u", "y", "n", "ctrl+s", "esc",
	"m", "<", ">", "enter", "enter",
	"left", "right", "up", "down", "home", "end", "pgup", "pgdown", "h", "j", "k", "l", "[", "]", "x", "X", "g", "G",
	"v", "b", "c", "C", "s", "p", "space", "backspace", "9", "é", "q", "+", "=", "-", "0", "L", "K", "d", "z", "Z", "o",
	"W", "w", "r", "R", "F", "ctrl+d", "ctrl+u", "N", "!", "V", ":", "ctrl+p"}

// walk returns the number of keys and resizes of a walk, and their source of random numbers.
func walk(from uint64) (steps int, rng *rand.Rand) {
	switch steps = 1000; {
	case os.Getenv("JTUNE_LONG") != "":
		steps = 10_000
	case testing.Short():
		steps = 300
	}
	steps, seed := reliability.Rounds(steps)
	return steps, rand.New(rand.NewPCG(from+seed, from+1))
}

// bound returns all keys that the screens use, and the keys that edit a text field.
func bound() (keys []tea.KeyPressMsg) {
	names := map[string]bool{}
	for _, line := range KeyLines(nil) {
		for _, k := range line.Keys {
			names[k] = true
		}
	}
	for _, k := range append(typedKeys, "f1", "f2", "ctrl+w", "ctrl+k", "ctrl+a", "ctrl+e", "ctrl+b", "ctrl+f",
		"ctrl+h", "ctrl+n", "delete", "insert", ".", ",", "%") {
		names[k] = true
	}
	for _, name := range slices.Sorted(maps.Keys(names)) { // sorted: the same seed gives the same walk
		keys = append(keys, pagetest.Key(name))
	}
	for _, code := range []rune{'b', 'd', 'f', tea.KeyBackspace, tea.KeyDelete, tea.KeyLeft, tea.KeyRight} {
		keys = append(keys, tea.KeyPressMsg{Code: code, Mod: tea.ModAlt})
	}
	return keys
}

// pastes are texts that are pasted.
var pastes = []string{"", " ", "ab  ", "30W", "a\x1b[2Jb\x00\u202ec", "python3 train.py --x 'y z'\ny\n",
	strings.Repeat("long ", 20_000)}

// TestKeysAtRandomOfEveryBindingWhileAJobRuns presses all keys, pastes, clicks and turns the wheel in windows of up to
// 500x200: each frame has the window's size and contains no control sequence from a text.
func TestKeysAtRandomOfEveryBindingWhileAJobRuns(t *testing.T) {
	t.Parallel()
	steps, rng := walk(5)
	if os.Getenv("JTUNE_ROUNDS") == "" {
		steps /= 4 // large windows are slow to draw
	}
	d := drive(t).withView()
	keys, w, h := bound(), 80, 24
	busy, dialogs := 0, map[string]int{}
	for i := range steps {
		if runs := i/100%4 != 3; i%20 == 0 && runs != d.r.sh.read.Busy() { // most dialogs wait for its end
			d.press("esc", "esc", "esc", "2")
			if runs {
				d.press("home", "enter")
			} else {
				d.press("x", "y", "3", "x", "y") // ends a run, or a search that the keys have started
				d.until("it has stopped", func() bool { return !d.r.sh.read.Busy() })
			}
		}
		d.now = d.now.Add(time.Duration(rng.IntN(2)+1) * rush)
		switch rng.IntN(20) {
		case 0:
			if w, h = rng.IntN(230), rng.IntN(70); rng.IntN(10) == 0 {
				w, h = 500, 200
			}
			d.size(w, h)
		case 1:
			d.send(tea.PasteMsg{Content: pastes[rng.IntN(len(pastes))]})
		case 2:
			d.send(tea.MouseClickMsg{X: rng.IntN(w + 2), Y: rng.IntN(h + 2), Button: tea.MouseLeft})
		case 3:
			d.send(tea.MouseClickMsg{X: rng.IntN(w + 2), Y: h - 1, Button: tea.MouseLeft}) // the keys of the footer
		case 4:
			d.send(tea.MouseWheelMsg{X: rng.IntN(w + 2), Y: rng.IntN(h + 2), Button: tea.MouseWheelDown})
		default:
			d.send(keys[rng.IntN(len(keys))])
		}
		if d.drain(); d.r.sh.read.Busy() {
			busy++
		}
		for what, open := range map[string]bool{fmt.Sprintf("%T", d.r.top()): d.r.top() != nil,
			"question": d.r.asks != nil} {
			if open {
				dialogs[what]++
			}
		}
		frame := d.screen()
		if lines := strings.Split(frame, "\n"); w > 0 && h > 0 && len(lines) != h {
			t.Fatalf("step %d: %d lines in a window of %dx%d:\n%s", i, len(lines), w, h, frame)
		}
		for line := range strings.SplitSeq(frame, "\n") {
			if got := ansi.StringWidth(line); w > 0 && got > w {
				t.Fatalf("step %d: a line of %d cells in a window of %dx%d: %q", i, got, w, h, line)
			}
			if text.Plain(line) != line {
				t.Fatalf("step %d: a line that a terminal obeys: %q", i, line)
			}
		}
		d.quit, d.r.gone = false, false // continue
	}
	if busy < steps/4 || steps >= 1000 && len(dialogs) < 4 {
		t.Errorf("a job ran during %d of %d steps, dialogs were open during %v: it proves little", busy, steps, dialogs)
	}
	t.Logf("counted %d keys, clicks, pastes and resizes; a job ran during %d, dialogs: %v", steps, busy, dialogs)
}

// drain handles the pending messages.
func (d *driver) drain() {
	for {
		select {
		case msg := <-d.msgs:
			d.send(msg)
		default:
			return
		}
	}
}

func TestKeysAtRandomApplyByTheirKeysAndKeepByYOnly(t *testing.T) {
	t.Parallel()
	steps, rng := walk(3)
	d := drive(t).withView()
	pressed := map[string]int{}
	first := []string{"5", "a", "a", "y", "A", "n", "A", "y"} // so that each happens, whatever the seed
	for i := range steps {
		k := typedKeys[rng.IntN(len(typedKeys))]
		switch {
		case i < len(first):
			k = first[i]
		case rng.IntN(4) == 0:
			k = []string{"a", "a", "A"}[rng.IntN(3)]
		}
		asking, keeping := d.r.apply.Stage() == dialog.Asking, d.r.apply.Stage() == dialog.Keeping
		applies, kept := d.board.Applies(), d.r.sh.Applied.Kept
		d.now = d.now.Add(rush)
		_, cmd := d.r.Update(pagetest.Key(k))
		runNow(d, cmd)
		d.screen()
		d.drain()
		if d.board.Applies() > applies {
			if pressed[k]++; k != "A" && (!asking || k != "a") {
				t.Fatalf("key %q applied a mode (difference on screen: %v)", k, asking)
			}
		}
		if d.r.sh.Applied.Kept && !kept {
			if pressed[k]++; !keeping || k != "y" {
				t.Fatalf("key %q kept a mode (asked whether to: %v)", k, keeping)
			}
		}
	}
	for _, k := range []string{"a", "A", "y"} {
		if pressed[k] == 0 {
			t.Errorf("the walk never applied or kept anything by %s: it proves nothing of it", k)
		}
	}
	t.Logf("counted %d keys; %v applied or kept", steps, pressed)
}

// runNow runs a command of the guard in this goroutine, so that its effect can be attributed to the key before it.
func runNow(d *driver, cmd tea.Cmd) {
	if s := d.r.apply.Stage(); cmd != nil && (s == dialog.Working || s == dialog.Ending) {
		d.send(cmd())
		return
	}
	d.run(cmd)
}

func TestKeysOfAPasteApplyAndKeepNothing(t *testing.T) {
	t.Parallel()
	d := drive(t).withView()
	steps, _ := walk(0)
	storm := strings.Repeat("aay\x1baayn aaaayyyy 5aay6aa\t\nAyAAy6Ay\x1b", steps/100)
	for _, page := range []string{"1", "2", "3", "4", "5", "6"} {
		d.press("esc", page)
		d.send(tea.PasteMsg{Content: storm}) // from terminals with bracketed paste
		for _, r := range storm {            // from all others
			switch r {
			case '\x1b':
				d.send(pagetest.Key("esc"))
			case '\n', '2', '3':
				d.send(pagetest.Key("enter"))
			case '\t':
				d.send(pagetest.Key("tab"))
			default:
				d.send(pagetest.Key(string(r)))
			}
		}
		d.drain()
		d.screen()
	}
	must.Equal(t, d.board.Applies(), 0)
	d.until("what the storm began has ended", func() bool { return !d.r.sh.read.Busy() })
	d.press("esc", "esc", "5")
	if d.r.apply.Stage() != dialog.Idle {
		d.press("esc")
	}
	d.press("a", "a")
	d.settle()
	must.Equal(t, d.board.Applies(), 1, "after the storm a typed a, a no longer applies")
	for _, r := range "yyyy" {
		d.send(pagetest.Key(string(r)))
	}
}
