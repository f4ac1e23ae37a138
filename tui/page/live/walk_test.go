package live

import (
	"regexp"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"jtune/internal/must"
	"jtune/tegra"
	"jtune/tegra/sweep/sweeptest"
	"jtune/tegra/tegratest"
	"jtune/telemetry"
	"jtune/tui/page/pagetest"
)

// Every number on Live is one of the board's files, to the digits shown, on every tree and at every size.
func TestLivePrintsTheNumbersOfTheTree(t *testing.T) {
	for name, tr := range tegratest.Trees() {
		t.Run(name, func(t *testing.T) { walkLive(t, tr) })
	}
}

// The same on the trees of boards that their owners described.
func TestLivePrintsTheNumbersOfOwnersTrees(t *testing.T) {
	for name, tr := range tegratest.Archives(t, sweeptest.Shared(t, "tools/devices/hand")) {
		t.Run(name, func(t *testing.T) { walkLive(t, tr) })
	}
}

func walkLive(t *testing.T, tr *tegratest.Tree) {
	s := must.Get(tegra.Open(tegra.DiskFS(tr.Write(t)), tegra.RealClock()))(t)
	defer s.Close()
	r := must.Get(s.Read())(t)
	d, _ := pagetest.Drive(t, New)
	d.State.Device.Board, d.State.Device.Space, d.State.Device.Presets = s.Board(), s.Space(), s.Presets()
	d.State.Readings.Sample.Reading, d.State.Readings.History = r, nil
	d.State.Readings.Before, d.State.Readings.GPU, d.State.Readings.Peaks.Rails = r.Signals, telemetry.GPUUse{}, nil
	d.State.Readings.Peaks.Take(r)
	truth := tr.Numbers()
	for i := range r.Cores {
		truth["bar of core "+string(rune('0'+i))] = float64(i) // its number
	}
	for _, size := range pagetest.Sizes {
		d.Size(size[0], size[1]-2)
		text := ansi.Strip(d.Screen())
		n, strange := truth.Printed(words(text), "GHz", "°C", "%", "GB")
		if len(strange) > 0 {
			t.Errorf("%v: not in the files: %q\n%s", size, strange, text)
		}
		const fewest = 12
		if n < fewest {
			t.Errorf("%v: %d numbers were compared, want %d\n%s", size, n, fewest, text)
		}
	}
}

// notRead is what Live says of times, of the drive and of the board's names.
var notRead = regexp.MustCompile(`(?:since \d\d:\d\d|last 2 min|1 min|disk .*|on the GPU: .*|NVIDIA .*| +-120 .*` +
	`|jtune itself: .*)`)

// words returns the panels of a screen without its charts.
func words(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		for _, cell := range strings.Split(line, "│") {
			if !strings.ContainsAny(cell, "┤└┴┬") {
				b.WriteString(notRead.ReplaceAllString(cell, " ") + "\n")
			}
		}
	}
	return b.String()
}
