package dialog

import (
	"math"
	"testing"

	"jtune/internal/must"
	"jtune/tui/page"
	"jtune/tui/page/pagetest"
)

// A form keeps the clock rate that the command line or a key gave; otherwise a search can be watched, and what has no
// answer to wait for takes no time.
func TestFormsKeepTheRateThatWasAsked(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		now          float64
		paced        bool
		tune, others float64
	}{
		{1, false, watched, math.Inf(1)},
		{1, true, 0, 0},
		{20, true, 0, 0},
		{5, false, 0, 0}, // by a key
		{watched, true, 0, 0},
		{math.Inf(1), true, 0, 0},
	} {
		d, f := driveTune(t, nil)
		d.State.Device.Rate.SetSpeed(c.now)
		d.State.Device.Paced = c.paced
		read := page.ReaderOf(d.State)
		*f.Tune = *NewTune(read)
		for name, got := range map[string]struct{ rate, want float64 }{
			"tune":         {NewTune(read).clock.rate(), c.tune},
			"new campaign": {NewCampaign(read).clock.rate(), c.others},
			"soak":         {soakSpeed(read), c.others},
			"measure":      {read.Pace(), c.others},
		} {
			must.Equal(t, got.rate, got.want, name, c.now, c.paced)
		}
		d.Press("t")
		if start, _ := d.Want().(page.Start); start.Speed != c.tune {
			t.Errorf("at ×%g, given %v: it starts at ×%g, want ×%g", c.now, c.paced, start.Speed, c.tune)
		}
	}
}

// soakSpeed returns the rate that a soak of the dialog's first answers starts at.
func soakSpeed(read page.Reader) float64 {
	d := NewSoak(read, page.AskSoak{})
	for range d.Fields {
		if does, _ := d.Acts().Key(pagetest.Key("enter")); does != nil {
			return does.(page.All)[1].(page.All)[1].(page.Start).Speed
		}
	}
	return math.NaN()
}
