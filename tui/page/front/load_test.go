package front

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"jtune/internal/arrivals"
	"jtune/internal/must"
	"jtune/optimize/mix"
	"jtune/optimize/outlook"
	"jtune/optimize/serving"
	"jtune/optimize/standing"
	"jtune/tegra"
	"jtune/tegra/metric"
	"jtune/tui/page"
	"jtune/tui/page/pagetest"
	"jtune/tui/widget"
)

// withLoad opens the page on an inference model with three batch sizes.
func withLoad(t *testing.T) (*pagetest.Driver, *cloudView) {
	t.Helper()
	d, p := pagetest.Drive(t, New)
	w := d.Serves()
	d.Show(pagetest.ServedOutlook(t, w, d.State.Device.Space))
	d.Size(120, 35)
	return d, p.cloud
}

// limits types limits on the page, which replace the present ones.
func limits(d *pagetest.Driver, line string) {
	d.Press("i")
	d.Type(line)
	d.Press("enter")
}

// chosen returns the answer of jtune ask choose to limits with a load.
func chosen(t *testing.T, v *outlook.Outlook, line string) (mix.Ask, mix.Outcome, standing.Standing, error) {
	t.Helper()
	a := must.Get(metric.Parse(line))(t)
	ask := must.Get(mix.AskOf(a, 0))(t)
	m := v.Model.Whole()
	s := serving.Under(outlook.OutlookOf(m, tegra.Settings(m.Space.Modes(), m.Batches)), ask)
	o, _, err := s.Answer()
	return ask, o, s.Standing(o.Setting), err
}

// The cursor shows the answer of the command, with its batch size, latency and standing.
func TestFrontUnderALoadShowsWhatChooseAnswers(t *testing.T) {
	d, c := withLoad(t)
	d.Sees("detect batch 16, closed loop", "inferences/s")
	sizes := map[int]bool{}
	for _, line := range []string{"p99 60 ms, 20/s", "p95 300 ms, 120/s, uniform", "p99 120 ms, 60/s, wait 30 ms",
		"40 W, p99 80 ms", "10 W, p99 1 ms, 20/s, uniform"} {
		ask, want, standing, err := chosen(t, d.State.Outlook, line)
		limits(d, line)
		got := d.State.Outlook.Known[c.cursor]
		if got.Mode != want.Mode || d.State.Outlook.Batch != want.Batch {
			t.Fatalf("%s: the cursor is on %v batch %d, choose answers %v", line, got.Mode, d.State.Outlook.Batch,
				want.Setting)
		}
		sizes[want.Batch] = true
		title := "the answer under the load"
		if err != nil {
			title = "nearest to the limits"
		}
		d.Sees(title, "limit "+line, standing.String())
		if !math.IsInf(want.LatencyMS, 1) {
			d.Sees(strings.TrimSpace(page.FiguresOf(tegra.Measured{TimeMS: want.LatencyMS}).MS) + " ms " +
				serving.QuantileText(ask.Quantile))
		}
		must.Equal(t, standing.Within(), err == nil, line)
	}
	if len(sizes) < 2 {
		t.Errorf("all answers have one batch size: %v", sizes)
	}
}

func TestFrontUnderALoadNamesItAndItsAxes(t *testing.T) {
	d, c := withLoad(t)
	for _, words := range []string{"time", "speed", "time", "speed", "power"} {
		must.Equal(t, c.trade().Across.Word, words)
		d.Press("X")
	}
	limits(d, "30 W, p99 100 ms, 60/s, uniform")
	d.Sees("p99 at 60/s, uniform", "limit 30 W, p99 100 ms, 60/s, uniform", "p99 ms", "% busy")
	across := map[string]string{}
	for range c.trades() {
		across[c.trade().Across.Label] += c.trade().Up.Label + " "
		for _, i := range c.front() {
			if !c.standing(i).Within() && c.trade().Plane < 0 {
				t.Errorf("%v is on the front under the load, and %v", d.State.Outlook.Known[i].Mode, c.standing(i))
			}
		}
		d.Press("X")
	}
	if across["p99 ms"] != "W mJ " || across["inferences/s"] != "W mJ " || across["W"] != "mJ " {
		t.Errorf("the axes are %v", across)
	}
	d.Size(120, 35)
	o := d.State.Served.AtMode(c.cursor)
	d.Press("b")
	d.Sees("p99 ms     W    J/b", widget.MS(o.LatencyMS)+fmt.Sprintf(" %5.1f", d.State.Outlook.Known[c.cursor].PowerW))
	d.Press("b")
	at := c.cursor
	d.Press("]", "]")
	d.Sees("p99 110 ms")
	if d.Press("[", "["); c.cursor != at {
		t.Errorf("up and down again leads from mode %d to %d", at, c.cursor)
	}
	d.Press("i")
	d.Type("nonsense")
	d.Sees("not yet: ", "take them", "leave them")
	d.Press("esc")
	limits(d, "30 W")
	d.Sees("closed loop", "limit 30 W")
	for _, size := range pagetest.Sizes {
		limits(d, "30 W, p99 100 ms, 60/s, uniform")
		d.Size(size[0], size[1])
		d.Sees("p99", c.standing(c.cursor).String())
	}
}

// Other batch sizes are one key away, and the page says which one is the answer's.
func TestFrontUnderALoadGoesBackToTheAnswersBatchSize(t *testing.T) {
	d, c := withLoad(t)
	limits(d, "p99 60 ms, 20/s, uniform")
	best := d.State.Outlook.Batch
	d.Press("z")
	if d.State.Outlook.Batch == best || strings.Contains(d.Screen(), "the answer under the load") {
		t.Fatalf("batch %d after z:\n%s", d.State.Outlook.Batch, d.Screen())
	}
	if d.Sees("is better: c shows it"); c.cursor != c.answer() {
		t.Error("the cursor is not on the best of the batch size")
	}
	d.Press("c")
	if d.Sees("the answer under the load"); d.State.Outlook.Batch != best {
		t.Errorf("c leads to batch %d, want %d", d.State.Outlook.Batch, best)
	}
	d.Press("/")
	d.Type("gpu<700MHz")
	d.Press("enter")
	if m := d.State.Outlook.Known[c.cursor].Mode; m.GPU > 700*tegra.MHz {
		t.Errorf("the answer among those that pass is %v", m)
	}
	files := must.Get(c.Files())(t)
	must.Equal(t, len(files), 2)
	must.Contain(t, files[1].Text, "latency_ms")
	d.Press("O")
	d.Sees("other models: not under a load")
}

// Training has no load: a load given for an inference does not change its page.
func TestFrontOfTrainingHasNoLoad(t *testing.T) {
	d, c := withView(t)
	d.Ask(metric.Question{Limit: metric.Watts(30), Load: arrivals.Spec{RatePerS: 30, LatencyMS: 50,
		Quantile: 0.99}})
	d.Sees("limit 30 W", "best within the limit")
	d.Press("i")
	d.Type(", p99 50 ms, 30/s")
	d.Sees("rate and latency are only for inference")
	if d.Press("esc"); len(c.trades()) != len(outlook.Planes) {
		t.Errorf("%d planes", len(c.trades()))
	}
}
