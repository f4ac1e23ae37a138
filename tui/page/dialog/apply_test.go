package dialog

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

	"jtune/internal/must"
	"jtune/profiles/workload"
	"jtune/tegra"
	"jtune/tegra/metric"
	"jtune/telemetry"
	"jtune/tui/page"
	"jtune/tui/page/pagetest"
)

// applied asks for a mode of the board and sets it, like a guard.
func applied(d *pagetest.Driver, f *Apply, m tegra.Mode) {
	f.Ask(page.Apply{Mode: m})
	d.Press("a")
	d.Does(f.Set(m, nil))
}

func TestApplyDoesNotRevertALaterModeByAnEarlierCountdown(t *testing.T) {
	d, f := pagetest.Drive(t, NewApply)
	presets := d.Board.Presets()
	applied(d, f, presets[1].Mode)
	old := f.serial
	d.Press("y")
	d.Does(f.Kept(nil, false))
	applied(d, f, presets[2].Mode)
	d.Want()
	d.Time = d.Time.Add(time.Minute)
	d.Does(f.passed(old))
	must.Equal(t, f.Stage(), Keeping)
	must.Equal(t, d.Want(), nil)
	d.Does(f.passed(f.serial))
	must.Equal(t, d.Want(), page.Intent(page.Revert{Why: "no answer"}))
	must.Equal(t, f.Stage(), Ending)
}

// A mode that could not be kept is still on trial, until its time is over; one that the guard has taken back is not.
func TestApplyAsksOnWhenAModeIsNotKept(t *testing.T) {
	d, f := pagetest.Drive(t, NewApply)
	applied(d, f, d.Board.Presets()[1].Mode)
	d.Press("y")
	d.Want()
	d.Does(f.Kept(errors.New("not kept"), false))
	if f.Stage() != Keeping {
		t.Fatalf("stage %v after a keep that failed", f.Stage())
	}
	d.Time = d.Time.Add(time.Minute)
	d.Does(f.passed(f.serial))
	must.Equal(t, d.Want(), page.Intent(page.Revert{Why: "no answer"}))
	d.Does(f.Reverted("", nil))
	applied(d, f, d.Board.Presets()[1].Mode)
	d.Press("y")
	d.Does(f.Kept(errors.New("reverted"), true))
	must.Equal(t, f.Stage(), Idle)
}

func TestApplySaysWhereTheModeStandsAgainstTheLimit(t *testing.T) {
	d, f := pagetest.Drive(t, NewApply)
	d.State.Outlook = d.Board.Outlook()
	d.State.Goal.Limit = metric.Watts(30)
	f.Ask(page.Apply{Mode: d.Board.Space().Max()})
	must.Contain(t, ansi.Strip(f.Render(60, 20)), "30 W  ✗ over  ")
}

// Pressing y at the shown change prints which key applies it.
func TestApplyTellsItsKeyWhereYesIsPressed(t *testing.T) {
	d, f := pagetest.Drive(t, NewApply)
	d.State.Outlook = d.Board.Outlook()
	f.Ask(page.Apply{Mode: d.Board.Space().Max()})
	d.Press("y")
	must.Equal(t, d.Notice, "a applies it, then asks whether to keep it")
	must.Equal(t, f.Stage(), Asking)
}

func TestApplyDoesNotShowAsPredictedWhatWasFitted(t *testing.T) {
	d, f := pagetest.Drive(t, NewApply)
	d.State.Outlook = d.Board.Outlook()
	f.Ask(page.Apply{Mode: d.Board.Samples()[3].Mode})
	if f.predicted != nil || f.measured == nil {
		t.Errorf("shows %v as predicted, %v as measured", f.predicted, f.measured)
	}
}

func TestApplyLocksTheClocksOrOnlyCapsThem(t *testing.T) {
	d, f := pagetest.Drive(t, NewApply)
	free, reboot := d.Board.Presets()[0], d.Board.Presets()[1]
	for _, c := range []struct {
		name string
		ask  page.Apply
		keys []string
		want tegra.Request
	}{
		{"a mode is locked", page.Apply{Mode: free.Mode}, []string{"a"}, tegra.Request{Mode: free.Mode}},
		{"D leaves its clocks free", page.Apply{Mode: free.Mode}, []string{"D", "a"},
			tegra.Request{Mode: free.Mode, DVFS: true}},
		{"D again locks them", page.Apply{Mode: free.Mode}, []string{"D", "D", "a"}, tegra.Request{Mode: free.Mode}},
		{"a preset is set as the preset", page.Apply{Mode: free.Mode, Preset: tegra.Some(free.ID)}, []string{"D", "a"},
			tegra.Request{Mode: free.Mode, DVFS: true, Preset: tegra.Some(free.ID)}},
		{"one that needs a reboot has its clocks set alone", page.Apply{Mode: reboot.Mode,
			Preset: tegra.Some(reboot.ID)}, []string{"a"}, tegra.Request{Mode: reboot.Mode}},
	} {
		f.Cancel()
		f.Ask(c.ask)
		d.Press(c.keys...)
		must.Equal(t, d.Want(), page.Intent(page.SetMode{Request: c.want}), c.name)
	}
}

func TestApplyAtOnceSetsWithoutAPreviewUnlessPasted(t *testing.T) {
	d, f := pagetest.Drive(t, NewApply)
	m := d.Board.Presets()[0].Mode
	d.State.Moment.Rushed = true
	if does := f.Ask(page.Apply{Mode: m, AtOnce: true}); does == (page.SetMode{Request: tegra.Request{Mode: m}}) ||
		f.Stage() != Idle {
		t.Errorf("a pasted key asks for %v", does)
	}
	d.State.Moment.Rushed = false
	want := page.SetMode{Request: tegra.Request{Mode: m}}
	if does := f.Ask(page.Apply{Mode: m, AtOnce: true}); does != want || f.Stage() != Working {
		t.Errorf("asks for %v at stage %d, want %v", does, f.Stage(), want)
	}
	d.Does(f.Set(m, nil))
	must.Equal(t, f.Stage(), Keeping, "a mode that was applied at once needs no word to be kept")
	says, _ := f.Ask(page.Apply{Mode: d.Board.Presets()[1].Mode, AtOnce: true}).(page.Say)
	must.Equal(t, f.Stage(), Keeping)
	must.Contain(t, string(says), "first answer whether to keep")
	d.Press("n")
	d.Does(f.Reverted("", nil))
	f.Ask(page.Apply{Mode: m})
	if d.Press("A"); d.Want() != want {
		t.Error("A in the preview does not apply")
	}
}

func TestApplyShowsTheLockAndTheIdlePowerBeforeAndAfter(t *testing.T) {
	d, f := pagetest.Drive(t, NewApply)
	idle := func(seconds int, watts float64, locked bool) {
		r := d.State.Readings.Sample.Reading
		r.T, r.TotalW, r.Locked = time.Duration(seconds)*time.Second, tegra.Some(watts), tegra.Some(locked)
		r.CPU.LoadPct, r.GPU.LoadPct = tegra.Some(2.0), tegra.Some(0.0)
		s := telemetry.Sample{T: r.T, Reading: r, Valid: true}
		d.State.Readings.Sample, d.State.Readings.History = s, append(d.State.Readings.History, s)
		d.State.Applied.Watch(d.State.Readings.History)
	}
	m := d.Board.Presets()[0].Mode
	d.State.Readings.History = nil
	idle(1, 7.3, false)
	f.Ask(page.Apply{Mode: m})
	must.Contain(t, ansi.Strip(f.Render(80, 24)), "free → locked", "7.3 W → measured once applied", "Apply MAXN locked")
	d.Press("a")
	d.State.Applied.Set(tegra.Request{Mode: m}, f.from, d.Time)
	d.Does(f.Set(m, nil))
	idle(2, 9, true) // it is still settling
	must.Lack(t, ansi.Strip(f.Banner(100, 24)), "idle")
	idle(3, 11, true)
	must.Contain(t, ansi.Strip(f.Banner(100, 24)), "idle 7.3 → 11.0 W")
	idle(9, 11, true)
	d.Press("y")
	d.Does(f.Kept(nil, false))
	f.Ask(page.Apply{Mode: m})
	d.Press("D")
	must.Contain(t, ansi.Strip(f.Render(80, 24)), "locked → free", "11.0 W → 7.3 W", "Apply MAXN 12c")
}

func TestTuneSaysWhatIsWrongInTheWordsOfTheDialog(t *testing.T) {
	for typed, want := range map[string]string{
		"30 W, 5000000/s":  "load: poisson arrivals take a rate such as 30/s, at most",
		"p99 50 ms, 0/s":   "want a number above 0",
		"30 W, p101 50 ms": "want a quantile such as p99",
		"30 W, uniform/":   "want a number above 0 in /s",
	} {
		d, _ := driveTune(t, func(s *page.State) {
			s.Work.List = append([]workload.Workload{{Name: "answers", Kind: "infer", Batch: 1}}, s.Work.List...)
		})
		d.Press("up", "up")
		d.Type(typed)
		d.Sees("✗ ", want)
		if strings.Contains(d.Screen(), "--") || strings.ContainsAny(d.Screen(), "“”") {
			t.Errorf("%s is answered with a flag or a mark:\n%s", typed, d.Screen())
		}
	}
}
