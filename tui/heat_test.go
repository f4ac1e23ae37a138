package tui

import (
	"regexp"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"jtune/internal/must"
	"jtune/tegra"
	"jtune/tegra/virtual"
	"jtune/tui/page/pagetest"
	"jtune/tui/session"
	"jtune/tui/widget"
)

// paintedAs returns the initial colour sequence of a style, before the theme is chosen.
func paintedAs(render func(...string) string) string {
	before, _, _ := strings.Cut(render("x"), "x")
	return regexp.QuoteMeta(before)
}

// TestLiveWarnsOfAVirtualBoardThatThrottles heats a simulated board by training: the cause is shown with a word and a
// colour, first the one for warnings, then red.
func TestLiveWarnsOfAVirtualBoardThatThrottles(t *testing.T) {
	t.Parallel()
	d, s := driveSession(t, session.Options{Device: "virtual:agx-orin", Speed: 60, Seed: 1})
	warm, hot := paintedAs(widget.StyleWarn.Render), paintedAs(widget.StyleBad.Render)
	drawn := ""
	shows := func(pattern string) func() bool {
		want := regexp.MustCompile(pattern)
		return func() bool {
			drawn = d.r.shown().Render(120, 33)
			return want.MatchString(drawn)
		}
	}
	air := func(c float64) {
		s.Virtual.Inject(virtual.Faults{AmbientC: c, FanStuck: true})
		s.Virtual.Heat(c)
	}
	guard, err := s.Guard(t.Context())
	if err == nil { // with locked clocks, a lower one has a cause
		_, err = guard.Apply(t.Context(), tegra.Request{Mode: s.Device.Space().Max()})
	}
	must.NoError(t, err)
	d.press("1")
	air(87)
	d.until("it is warm, in the colour of warnings", shows(warm+"\u00a08\\d\u00a0warm"))
	must.Lack(t, ansi.Strip(drawn), "HOT")
	d.press("2", "enter", "1")
	d.until("the GPU is busy, in the colour of warnings", shows("GPU.*"+warm+" +9\\d %"))
	air(101)
	d.until("a sensor is hot, in red", shows(hot+"\u00a0\\d+\u00a0HOT"))
	d.until("it throttles, in red", shows(hot+`throttled YES \(thermal\)`))
	why := shows(warm + `(CPU core \d+|GPU) runs at [0-9.]+, set to [0-9.]+:`)
	d.within(30, "beside the clocks stands why they are lower", why)
}

// TestLivePaintsWattsByTheBudgetOfThePreset checks the colour of the module's power in a preset of 30 W.
func TestLivePaintsWattsByTheBudgetOfThePreset(t *testing.T) {
	t.Parallel()
	d := drive(t)
	d.press("1")
	for _, c := range []struct {
		watts float64
		style func(...string) string
		words string
	}{{28, widget.StyleBold.Render, ""}, {29, widget.StyleWarn.Render, "near the preset's budget of 30 W"},
		{31, widget.StyleBad.Render, "over the preset's budget of 30 W"}} {
		now := &d.r.sh.Readings.Sample.Reading
		now.Mode, now.TotalW = tegra.Some(d.r.sh.Device.Presets[2].Mode), tegra.Some(c.watts)
		for _, size := range pagetest.Sizes[:3] {
			drawn := d.r.shown().Render(size[0], size[1]-2)
			text := ansi.Strip(drawn)
			if !regexp.MustCompile(paintedAs(c.style)+`module total +`+widget.Number(c.watts, 1)).MatchString(drawn) ||
				strings.Contains(text, "the preset's budget") != (c.words != "") || !strings.Contains(text, c.words) {
				t.Errorf("%.0f W of 30 at %v, want the words %q:\n%s", c.watts, size, c.words, text)
			}
		}
	}
}
