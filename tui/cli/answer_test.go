package cli

import (
	"slices"
	"strings"
	"testing"

	"jtune/tegra"
	"jtune/tui/session"
)

func TestEachModeIsComparedOnceUnderAllItsNames(t *testing.T) {
	modes := toyModes()
	is := func(name string, m tegra.Mode) session.Comparison { return session.Comparison{Name: name, Mode: m} }
	maxn, present := is("MAXN", modes[0]), is("present", modes[0])
	other := is("present", modes[1])
	for _, c := range []struct {
		name   string
		versus session.Versus
		want   []string
	}{
		{"the board is in MAXN", session.Versus{MaxN: &maxn, Present: &present, Presets: []session.Comparison{is("MAXN", modes[0]), is("30W", modes[2])}}, []string{"MAXN = present", "30W"}},
		{"the board is in a preset", session.Versus{MaxN: &maxn, Present: &other, Presets: []session.Comparison{is("MAXN", modes[0]), is("30W", modes[1])}}, []string{"MAXN", "present = 30W"}},
		{"a preset that is MAXN under another name", session.Versus{MaxN: &maxn, Presets: []session.Comparison{is("MODE_60W", modes[0])}}, []string{"MAXN = MODE_60W"}},
		{"nothing known", session.Versus{}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got []string
			for _, o := range (answer{versus: c.versus}).comparisons() {
				got = append(got, o.Name)
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestTuneInWordsNamesNoModeTwice(t *testing.T) {
	o := jtune(t, with(virtualBoard, "tune", "lstm", "--power-limit", "30", "--probes", "6")...).done(t)
	if n := strings.Count(o.out, "against MAXN"); n != 1 {
		t.Errorf("\"against MAXN\" stands %d times, want once:\n%s", n, o.out)
	}
	if !strings.Contains(o.out, "VIRTUAL: a simulation, not a measurement") {
		t.Errorf("no mark of a simulation:\n%s", o.out)
	}
}
