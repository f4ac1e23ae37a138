package dialog

import (
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

	"jtune/optimize"
	"jtune/tegra"
	"jtune/tui/page"
	"jtune/tui/page/pagetest"
)

// applied begins with a mode of the board and sets it, as a guard would.
func applied(d *pagetest.Driver, f *Apply, m tegra.Mode) {
	f.Ask(m)
	d.Press("a")
	d.Send(page.ModeSet{Mode: m})
}

func TestApplyDoesNotRevertALaterModeByAnEarlierCountdown(t *testing.T) {
	d, f := pagetest.Drive(t, NewApply)
	presets := d.Board.Presets()
	applied(d, f, presets[1].Mode)
	old := f.serial
	d.Press("y")
	d.Send(page.ModeKept{})
	applied(d, f, presets[2].Mode)
	d.Want()
	d.Time = d.Time.Add(time.Minute)
	d.Send(countdownMsg{old})
	if f.Stage() != Keeping || d.Want() != nil {
		t.Error("the first mode's countdown ended the second mode's question")
	}
	d.Send(countdownMsg{f.serial})
	if got := d.Want(); got != (page.Revert{Why: "no answer"}) || f.Stage() != Ending {
		t.Errorf("silence asks for %v", got)
	}
}

func TestApplySaysWhereTheModeStandsAgainstTheLimit(t *testing.T) {
	d, f := pagetest.Drive(t, NewApply)
	d.State.Outlook = d.Board.Outlook(d.Board.Samples())
	d.State.Limit = optimize.Limit{PowerW: 30}
	f.Ask(d.Board.Space().Max())
	if got := ansi.Strip(f.Render(60, 20)); !strings.Contains(got, "30.0 W  ✗ over, chance >99 %") {
		t.Errorf("the dialog does not say that MAXN is over 30 W:\n%s", got)
	}
}

func TestApplyDoesNotShowAsPredictedWhatWasFitted(t *testing.T) {
	d, f := pagetest.Drive(t, NewApply)
	d.State.Outlook = d.Board.Outlook(d.Board.Samples())
	f.Ask(d.Board.Samples()[3].Mode)
	if f.predicted != nil || f.measured == nil {
		t.Errorf("shows %v as predicted, %v as measured", f.predicted, f.measured)
	}
}
