package tui

import (
	"testing"

	"jtune/tui/page"
	"jtune/tui/page/dialog"
	"jtune/tui/page/pagetest"
)

func TestKeysOfTheUserWorkAndShowInLastLineHelpAndText(t *testing.T) {
	t.Parallel()
	keys, action, err := page.KeysWith(map[string][]string{"apply": {"ctrl+o"}, "help": {"f", "?"}, "freeze": {"S"},
		"lower": {"("}, "higher": {")"}, "tune": {"K"}, "group": {"ctrl+k"}})
	if err != nil {
		t.Fatalf("%s: %v", action, err)
	}
	d := drive(t, func(_ *pagetest.Board, d *deps) { d.state.Keys = keys }).withView()
	d.press("1")
	d.sees("K tunes one")
	d.press("5")
	d.sees("ctrl+o apply", "( ) limit")
	d.press("a")
	if d.r.apply.Stage() != dialog.Idle {
		t.Error("the old key still applies")
	}
	d.press("ctrl+o")
	if d.r.apply.Stage() != dialog.Asking {
		t.Fatal("the new key does not apply")
	}
	d.sees("ctrl+o apply it")
	d.press("esc", "f")
	if d.r.text == nil {
		t.Fatal("the new key does not open the help")
	}
	d.size(80, 90)
	d.sees("ctrl+o", "ctrl+k ", "light up the modes")
	d.press("esc", "K")
	d.sees("fastest within 30 W")
	d.press("(")
	d.sees("fastest within 29 W")
}

func TestHintsOfEveryPageHaveAHelpText(t *testing.T) {
	t.Parallel()
	for name, scene := range scenes() {
		d := drive(t)
		scene(d)
		if d.r.shown().Numbers() == "" {
			t.Errorf("%s: the help does not explain its numbers", name)
		}
		for _, h := range append(globalHints(d.r.sh.Keys), d.r.hints()...) {
			if h.ID == "" || h.Label() == "" || h.Explained() == "" {
				t.Errorf("%s: action %q, key %q, help text %q", name, h.ID, h.Label(), h.Explained())
			}
		}
	}
}

// The key that tunes takes the workload under the cursor, on every page that has one there.
func TestTuneTakesTheWorkloadUnderTheCursor(t *testing.T) {
	t.Parallel()
	asks := func(d *driver, workload string) {
		t.Helper()
		d.press("t")
		d.sees("  workload   " + workload + ":")
		d.press("esc")
	}
	d := drive(t)
	asks(d, "resnet18") // no cursor on Live: the suggested one
	d.press("2")
	d.sees("▸resnet18")
	d.press("down")
	d.sees("▸mobilenet")
	asks(d, "mobilenet")
	d.r.sh.Work.Preferred = "bert" // as a run of it would leave it
	asks(d, "mobilenet")
	d.press("1")
	asks(d, "bert")
	d.withView().press("5")
	asks(d, "resnet18")
}
