package modes

import (
	"math"
	"slices"
	"strings"
	"testing"

	"jtune/optimize/serving"
	"jtune/tui/page/pagetest"
)

// Modes of inference have units per second and the energy per unit; under a load they can be listed, sorted and
// filtered by latency, and the numbers agree with Front and jtune ask choose.
func TestModesOfInferenceAreListedUnderTheLoad(t *testing.T) {
	d, p := pagetest.Drive(t, New)
	w := d.Serves()
	d.Show(pagetest.ServedOutlook(t, w, d.State.Device.Space))
	d.Size(120, 35)
	d.Sees("inf/s", "mJ/inf", "ms/b", "for detect batch 16 within 30 W, by state")
	d.Press("s", "u")
	if d.Sees("by units/s ▾"); !p.falling {
		t.Error("the fastest are not first")
	}
	d.Press("i")
	for range 20 {
		d.Press("backspace")
	}
	d.Type("p99 90 ms, 45/s")
	d.Press("enter")
	best := d.State.Served.Best
	d.Sees("p99 at 45/s, Poisson", "p99 ms")
	for range pagetest.ServedBatches { // to the answer's batch size, like Front
		if d.State.Outlook.Batch != best.Batch {
			d.Show(d.State.Outlook.AtBatch(best.Batch))
		}
	}
	d.Press("s", "t")
	d.Sees("by p99 ▴")
	if m, _ := p.chosen(); d.State.Outlook.StandingOf(m, d.State.Goal.Limit).Limited {
		t.Error("there is no plain limit")
	}
	last := 0.0
	for _, i := range p.order {
		o := d.State.Served.AtMode(i)
		if o.LatencyMS < last {
			t.Errorf("%v waits %.4g ms, the row above %.4g", d.State.Device.Space.At(i), o.LatencyMS, last)
		}
		last = o.LatencyMS
	}
	d.Press("end")
	if !math.IsInf(last, 1) || !strings.Contains(d.Screen(), "grows") {
		t.Errorf("the last row waits %g ms:\n%s", last, d.Screen())
	}
	d.Press("/")
	d.Type("latency<90 speed>20 unit<2000mJ")
	d.Press("enter")
	d.Sees("of 32 modes")
	if len(p.order) == 0 || len(p.order) > 31 {
		t.Errorf("%d modes pass", len(p.order))
	}
	for _, i := range p.order {
		if o := d.State.Served.AtMode(i); o.LatencyMS >= 90 {
			t.Errorf("%v passes with %.4g ms", o.Mode, o.LatencyMS)
		}
	}
	standing := serving.QuantileText(d.State.Served.Quantile)
	for _, size := range pagetest.Sizes {
		d.Size(size[0], size[1])
		d.Sees(standing)
	}
}

// Training has none of these columns.
func TestModesOfTrainingHaveNoUnits(t *testing.T) {
	d, p := withView(t)
	d.Size(200, 50)
	if text := d.Screen(); strings.Contains(text, "inf/s") || slices.Contains(p.tab.Cols.Titles(), "inf/s") {
		t.Errorf("units of training:\n%s", text)
	}
	d.Press("s", "u")
	d.Sees("only for inference")
	d.Press("/")
	d.Type("latency<50")
	if d.Screen(); !strings.Contains(p.filter.Wrong, `no key "latency"`) {
		t.Errorf("a latency of training: %q, %d modes", p.filter.Wrong, len(p.order))
	}
}
