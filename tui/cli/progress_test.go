package cli

import (
	"strings"
	"testing"

	"jtune/internal/must"
	"jtune/optimize"
	"jtune/profiles"
	"jtune/profiles/record"
	"jtune/tegra"
	"jtune/tui/session/measure"
)

// stillBoard is a device that only has a space.
type stillBoard struct {
	tegra.Device
	space *tegra.Space
}

func (b stillBoard) Space() *tegra.Space { return b.space }

func TestProgressOffATerminalIsPlainLines(t *testing.T) {
	t.Parallel()
	space := must.Get(tegra.NewSubspace(toyModes()))(t)
	var out strings.Builder
	r := &reporter{w: &out, device: stillBoard{space: space}}
	mode := space.At(0)
	good := record.Row{Measured: tegra.Measured{Setting: tegra.Setting{Mode: mode}, TimeMS: 80, PowerW: 20},
		Status: record.OK}
	bad := record.Row{Measured: tegra.Measured{Setting: tegra.Setting{Mode: mode}}, Status: record.Rejected,
		Why: "100 % no"}
	r.observe(measure.NoteEvent("a torn line was cut: 50 %"))
	r.observe(measure.ProgressEvent{Progress: profiles.Progress{Phase: profiles.Measuring, Minibatch: 3, Of: 40,
		Step: profiles.Step{Setting: tegra.Setting{Mode: mode}}}})
	r.observe(measure.ProgressEvent{Progress: profiles.Progress{Row: &good, Done: 1, Total: 9}})
	r.observe(measure.ProgressEvent{Progress: profiles.Progress{Row: &bad, Done: 2, Total: 9}})
	r.observe(measure.ProbeEvent{Probe: optimize.Probe{Measured: good.Measured, Why: optimize.Start}})
	want := []string{"a torn line was cut: 50 %", "1/9  " + space.Format(mode) + "  ok  80.0 ms  20.0 W",
		"2/9  " + space.Format(mode) + "  rejected  (100 % no)", space.Format(mode) + " (start): 80.0 ms, 20.0 W"}
	must.Equal(t, strings.Split(strings.TrimSpace(out.String()), "\n"), want)
}

func TestProgressOnATerminalRewritesItsLine(t *testing.T) {
	t.Parallel()
	space := must.Get(tegra.NewSubspace(toyModes()))(t)
	var out strings.Builder
	r := &reporter{w: &out, bar: true, device: stillBoard{space: space}}
	for n := range 40 {
		r.observe(measure.ProgressEvent{Progress: profiles.Progress{Phase: profiles.Measuring, Minibatch: n, Of: 40,
			Total: 4,
			Step:  profiles.Step{Setting: tegra.Setting{Mode: space.At(0)}}}})
	}
	r.wipe()
	if got := out.String(); strings.Contains(got, "\n") || !strings.Contains(got, "[....................] 0/4") ||
		!strings.HasSuffix(got, "\r") {
		t.Errorf("got %q", got)
	}
}

func TestProgressNeverCountsMoreThanAll(t *testing.T) {
	t.Parallel()
	for want, c := range map[string][2]int{"3/66": {3, 66}, "66/66": {66, 66}, "67/67": {67, 66}, "5": {5, 0}} {
		must.Equal(t, counted(c[0], c[1]), want, c[0], c[1])
	}
}

// A bar that is wider than the terminal would leave a row for each mode.
func TestProgressBarIsNoWiderThanTheTerminal(t *testing.T) {
	t.Parallel()
	for _, width := range []int{40, 120} {
		out := &screen{width: width}
		r := &reporter{w: out, bar: true}
		r.draw(strings.Repeat("█", 200))
		if got := []rune(out.String()); len(got) != width-1 || got[len(got)-1] != '…' {
			t.Errorf("%d columns of %d: %s", len(got), width, out)
		}
	}
}

// The pairs of a search have the same notes: each is printed once, whichever mode it names.
func TestProgressPrintsANoteOnce(t *testing.T) {
	t.Parallel()
	var out safeBuffer
	r := &reporter{w: &out}
	for cores := range 3 {
		m := tegra.Mode{Cores: cores + 1, CPU: tegra.GHz, GPU: tegra.GHz, EMC: tegra.GHz}
		r.progress(profiles.Progress{Step: profiles.Step{Setting: tegra.Setting{Mode: m}}, Line: m.String() + ": fast"})
		r.progress(profiles.Progress{Step: profiles.Step{Setting: tegra.Setting{Mode: m}}, Line: "confirmed"})
		r.line("pair %d", cores+1)
	}
	want := "1c/1.00C/1.00G/1.00M: fast\nconfirmed\npair 1\npair 2\npair 3\n"
	must.Equal(t, out.String(), want)
}
