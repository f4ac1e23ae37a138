package tui

import (
	"strings"
	"testing"

	"jtune/profiles/workload"
	"jtune/tegra"
	"jtune/tui/page/pagetest"
	"jtune/tui/session"
)

// The shell works out in the background what modes do under the load, for the page, its limits and its batch sizes;
// what was asked for and left meanwhile does not show.
func TestShellWorksOutTheLoadOfTheModesThatShow(t *testing.T) {
	d := drive(t)
	gpu := []tegra.Freq{300 * tegra.MHz, 600 * tegra.MHz, 1200 * tegra.MHz}
	space, err := tegra.NewSpace([]int{4, 8}, []tegra.Freq{tegra.GHz}, gpu, []tegra.Freq{3200 * tegra.MHz})
	if err != nil {
		t.Fatal(err)
	}
	w := workload.Workload{Name: "detect", Kind: workload.Inference, Batch: 1}
	sh := d.r.sh
	sh.Device.Space, sh.Device.Presets = space, nil
	sh.Work.List = append(sh.Work.List, w)
	view := session.NewOutlook(w.Name, pagetest.Served(t, w, space), space)
	d.send(modelLoadedMsg{view, w.Name})
	if d.press("5"); sh.Served != nil || !strings.Contains(d.screen(), "closed loop") {
		t.Fatalf("without a load:\n%s", d.screen())
	}
	types := func(line string) {
		d.press("i")
		for range 60 {
			d.press("backspace")
		}
		for _, c := range line {
			d.press(strings.ReplaceAll(string(c), " ", "space"))
		}
		d.press("enter")
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
	if !strings.Contains(d.screen(), "limit 30.0 W") {
		t.Errorf("without a load again:\n%s", d.screen())
	}
	types("p99 5 ms, 1/s, uniform, wait 1 ms")
	d.until("nearest to it is worked out", func() bool { return strings.Contains(d.screen(), "nearest to the limits") })
}
