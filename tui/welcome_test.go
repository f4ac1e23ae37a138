package tui

import (
	"strings"
	"testing"

	"jtune/internal/must"
)

func TestWelcomeStaysInALineOfItsOwnUntilAKeyIsPressed(t *testing.T) {
	t.Parallel()
	kept := make(chan bool, 2)
	d := drive(t, func(_ *fakeHost, deps *deps) { deps.introduced = func() error { kept <- true; return nil } })
	golden(t, d, "welcome")
	for _, s := range [][2]int{{80, 24}, {40, 12}, {20, 5}, {20, 4}, {200, 50}} {
		d.size(s[0], s[1])
		lines := strings.Split(d.screen(), "\n")
		must.Equal(t, len(lines), s[1], s)
		if s[1] > 6 && !strings.Contains(lines[1], "New here?") {
			t.Errorf("%v: no line of its own: %q", s, lines)
		}
	}
	d.size(80, 24)
	d.sees("VDD_CPU_CV", "disk reads", "on the GPU", "no workload is running")
	d.press("2", "1")
	must.Lack(t, d.screen(), "New here?")
	if !<-kept {
		t.Error("not kept")
	}
	must.Lack(t, drive(t).screen(), "New here?")
}
