package tui_test

import (
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"jtune/internal/must"
	"jtune/tui/session/answers"
)

// A technician needs five keys: t t, and once the card shows the answer, a a y. After kill -9 and a restart, enter
// shows the card again, with the same mode, gain and measurements.
func TestTmuxFiveKeysFindAndKeepAModeWhoseCardOutlivesAKill(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	s := inTmux(t, "", "--device", "virtual:agx-orin", "--data-dir", data)
	s.sees("module total")
	s.press("t")
	s.sees("fastest within 30 W")
	s.press("t")
	card := s.sees("the answer", " MODE_30W", "FITS 30 W", "measured within", "a whole training: ",
		"a apply  A at once", "S soak", "R report")
	mode := regexp.MustCompile(`\d+c/[\d.]+C/[\d.]+G/[\d.]+M`).FindString(card)
	s.press("a")
	s.sees("no reboot needed")
	s.press("a")
	s.sees("keep? y / n", mode)
	s.press("y")
	s.sees("kept", "u undo")
	must.NoError(t, syscall.Kill(s.pid, syscall.SIGKILL))
	s.over()
	s.pid = 0
	kept, err := filepath.Glob(filepath.Join(data, "campaigns", "*", answers.FileName))
	if err != nil || len(kept) != 1 {
		t.Fatalf("kept answers: %v, %v", kept, err)
	}

	again := inTmux(t, "", "--device", "virtual:agx-orin", "--data-dir", data)
	again.sees("module total")
	again.press("3")
	again.sees("30 W → " + mode)
	again.press("Enter")
	again.sees("a apply  A at once")
	screen := again.screen()
	for _, line := range strings.Split(card, "\n") {
		about := strings.Contains(line, "measured") || strings.Contains(line, "●") || strings.Contains(line, mode)
		if about && !strings.Contains(screen, line) {
			t.Errorf("after a restart the card lacks %q:\n%s", line, screen)
		}
	}
	again.press("q")
	again.gone()
}
