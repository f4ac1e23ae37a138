package tui

import (
	"strings"
	"testing"

	"jtune/internal/must"
	"jtune/tui/page/pagetest"
)

// serves loads an inference model with several batch sizes.
func (d *driver) serves() {
	sh := &d.r.sh.State
	w := d.board.Serve(d.t, sh)
	d.send(modelLoadedMsg{pagetest.ServedOutlook(d.t, w, sh.Device.Space), w.Name})
	d.r.sh.notices.hush()
}

// limits types limits on Front or Modes.
func (d *driver) limits(line string) {
	d.press("i", "ctrl+u")
	for _, c := range line {
		d.press(strings.ReplaceAll(string(c), " ", "space"))
	}
	d.press("enter")
}

// underALoad types limits with a load on Front, and waits for the answer.
func (d *driver) underALoad(line string) {
	d.press("5")
	d.limits(line)
	sh := d.r.sh
	d.until("the load is worked out", func() bool {
		return sh.Served.Of(sh.Outlook) && sh.Served.Best.Batch == sh.Outlook.Batch
	})
}

// The shell predicts in a command how modes serve the load, for the limits and batch sizes of the page; a result for
// limits that the user has changed is not shown.
func TestShellWorksOutTheLoadOfTheModesThatShow(t *testing.T) {
	d := drive(t)
	d.serves()
	sh, space, types := d.r.sh, d.r.sh.Device.Space, d.limits
	if d.press("5"); sh.Served != nil || !strings.Contains(d.screen(), "closed loop") {
		t.Fatalf("without a load:\n%s", d.screen())
	}
	types("p99 90 ms, 40/s, uniform")
	types("p99 60 ms, 20/s")
	done := func() bool {
		return sh.Served.Of(sh.Outlook) && strings.Contains(d.screen(), "the answer under the load")
	}
	d.until("the load is worked out", done)
	got, onFront := sh.Served, space.At(d.onFront())
	if got.LatencyMS != 60 || got.Best.Batch != sh.Outlook.Batch || got.Best.Mode != onFront {
		t.Errorf("the answer is %v, shown is batch %d:\n%s", got.Best.Setting, sh.Outlook.Batch, d.screen())
	}
	d.press("]")
	d.until("the next limit is worked out", func() bool { return sh.Served.LatencyMS == 63 })
	types("30 W")
	d.until("the load is gone", func() bool { return sh.Served == nil })
	must.Contain(t, d.screen(), "limit 30 W")
	types("p99 5 ms, 1/s, uniform, wait 1 ms")
	d.until("nearest to it is worked out", func() bool { return strings.Contains(d.screen(), "nearest to the limits") })
}
