package tui

import (
	"math/rand/v2"
	"testing"

	tea "charm.land/bubbletea/v2"
)

// typedKeys is what a cat on the keyboard finds, but for the key that applies.
var typedKeys = []string{"1", "2", "3", "4", "5", "6", "tab", "?", "/", "f", "e", "t", "u", "y", "n", "ctrl+s", "esc", "m", "<", ">", "enter", "enter",
	"left", "right", "up", "down", "home", "end", "pgup", "pgdown", "h", "j", "k", "l", "[", "]", "x", "g", "v", "b", "c", "s", "p", "space", "backspace", "9", "é", "q"}

// drain takes the messages that are there.
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

func TestNoMashingOfKeysAppliesAMode(t *testing.T) {
	const steps = 1000
	d := drive(t).withView()
	rng := rand.New(rand.NewPCG(1, 2))
	for range steps {
		if rng.IntN(10) == 0 {
			d.size(rng.IntN(230), rng.IntN(70))
		}
		d.press(typedKeys[rng.IntN(len(typedKeys))])
		d.screen()
		d.drain()
		d.quit = false
	}
	if n := d.board.applied(); n != 0 {
		t.Errorf("%d modes applied without the key for it", n)
	}
}

func TestOnlyASecondAApplies(t *testing.T) {
	const steps = 1000
	d := drive(t).withView()
	rng := rand.New(rand.NewPCG(3, 4))
	pressed := 0
	for range steps {
		k := typedKeys[rng.IntN(len(typedKeys))]
		if rng.IntN(4) == 0 {
			k = "a"
		}
		asking := d.r.apply.stage == applyAsking
		before := d.board.applied()
		_, cmd := d.r.Update(keyPress(k))
		if asking && k == "a" && d.r.apply.stage == applyWorking {
			pressed++
		}
		runNow(d, cmd)
		d.screen()
		d.drain()
		if d.board.applied() > before && (!asking || k != "a") {
			t.Fatalf("key %q applied a mode (difference on screen: %v)", k, asking)
		}
	}
	if pressed == 0 {
		t.Error("the walk never applied anything: it proves nothing")
	}
}

// runNow runs a command in this goroutine when it belongs to the guard, so
// that its effect can be tied to the key before it.
func runNow(d *driver, cmd tea.Cmd) {
	if s := d.r.apply.stage; cmd != nil && (s == applyWorking || s == applyEnding) {
		d.send(cmd())
		return
	}
	d.run(cmd)
}
