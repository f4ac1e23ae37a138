package dialog

import (
	"slices"
	"testing"

	tea "charm.land/bubbletea/v2"

	"jtune/internal/must"
	"jtune/optimize/mix"
	"jtune/tegra/metric"
	"jtune/tui/page"
	"jtune/tui/page/pagetest"
	"jtune/tui/session/pair"
	"jtune/tui/session/task"
)

// drivePair opens the dialog for resnet18 and the next inference job.
func drivePair(t *testing.T) (*pagetest.Driver, tuneForm) {
	d, f := pagetest.Drive(t, func(read page.Reader) tuneForm { return tuneForm{NewTune(read)} })
	other := pagetest.Serves()
	other.Name = "bert-infer"
	d.State.Work.List = append(d.State.Work.List, pagetest.Serves(), other)
	d.Press("up")
	d.Sees("+ adds an inference job")
	d.Press("+")
	return d, f
}

func TestTunePairStartsWithWhatWasTyped(t *testing.T) {
	t.Parallel()
	d, f := drivePair(t)
	d.Sees("pgdn more: turns, arrivals, max wait, batch")
	d.Press("pgdown")
	d.Sees("training and inference on one GPU", "resnet18 + mobilenet-infer", "a pair needs a rate",
		"of the inference: choose among 1 4 16 32 64", "auto: the better of strict and fill", "poisson: at random")
	d.Press("enter", "t")
	must.Equal(t, d.Want(), nil, "it starts without a rate")
	d.Press(letters("30 W, p99 300 ms, 60/s")...)
	d.Press("down", "right", "right")
	d.Sees("most training within 30 W, p99 300 ms, 60/s", "fill: trains while")
	d.Press("down", "right", "down", "2", "5", "t")
	d.Sees("uniform: evenly spaced", "25.0 ms")
	start, ok := d.Want().(page.Start)
	if !ok || start.Task == nil || start.Task.Kind != task.Pairing ||
		start.Task.Subject() != "resnet18 + mobilenet-infer" {
		t.Fatalf("it wants %+v", start)
	}
	r, err := f.pair.search()
	if v := r.Load; err != nil || r.Limit.Of(metric.Power) != 30 || r.Policy != mix.Fill || v.RatePerS != 60 ||
		v.LatencyMS != 300 || v.Quantile != 0.99 || v.Arrivals != "uniform" || v.MaxWaitMS != 25 ||
		!slices.Equal(r.Batches, pair.PairBatches) {
		t.Errorf("it asks for %+v, %v", r, err)
	}
	got := d.Remembered
	must.Equal(t, got.Pair, "resnet18 + mobilenet-infer")
	must.Equal(t, got.PairLimits, "30 W, p99 300 ms, 60/s, uniform, wait 25 ms")
	d.State.Work.Choice = d.Remembered
	*f.Tune = *NewTune(page.ReaderOf(d.State))
	d.Sees("resnet18 + mobilenet-infer", "30 W, p99 300 ms, 60/s", "uniform", "25.0 ms")
	must.Equal(t, must.Get(f.pair.search())(t).Load, r.Load)
	d.State.Work.Choice.Pair = "resnet18 + gone-infer"
	if next := NewTune(page.ReaderOf(d.State)); next.pair.on() {
		t.Error("it begins with a workload that is gone")
	}
}

func TestTunePairOffersTheJobsThatCanShare(t *testing.T) {
	t.Parallel()
	d, f := drivePair(t)
	d.Press("right")
	d.Sees("resnet18 + bert-infer")
	d.Press("right")
	d.Sees("resnet18 + mobilenet-infer")
	d.Press("down", "[")
	d.Type("25")
	d.Press("down", "up", "]")
	if d.Sees("26 W"); f.pair.asked.Limit.Of(metric.Power) != 26 {
		t.Errorf("a number alone is not the power limit: %+v", f.pair.asked)
	}
	d.Press("up")
	for range "resnet18 + mobilenet-infer" {
		d.Press("backspace")
	}
	d.Sees("find the best power mode", "fastest within")
	if f.pair.on() {
		t.Error("an empty name is a pair")
	}
}

func TestTunePairTakesANameTypedAfterPlus(t *testing.T) {
	t.Parallel()
	for _, typed := range []string{"bert-infer", " bert-infer"} {
		d, f := drivePair(t)
		d.Press(letters(typed)...)
		must.Equal(t, f.pair.name.Value(), "resnet18 + bert-infer", typed)
	}
}

func TestTunePairSaysWhatIsWrongInALine(t *testing.T) {
	t.Parallel()
	for pasted, want := range map[string]string{
		"resnet18 + mobilenet":                     "✗ two training jobs",
		"mobilenet-infer + bert-infer":             "✗ two inference jobs",
		"resnet18 + nothing":                       `✗ "nothing" is not a workload`,
		"resnet18 + mobilenet-infer + bert":        "✗ want two workloads",
		"mobilenet-infer + resnet18":               "needs a rate", // in either order
		"resnet18 + a workload\x1b[31m with signs": "is not a workload",
	} {
		d, _ := drivePair(t)
		for range "resnet18 + mobilenet-infer" {
			d.Press("backspace")
		}
		d.Send(tea.PasteMsg{Content: pasted})
		d.Sees(want)
		d.Press("down")
		d.Type("30 W, 60/s")
		d.Press("down", "t")
		must.Equal(t, d.Want() != nil, want == "needs a rate", pasted)
	}
	d, _ := drivePair(t)
	d.Press("down")
	for typed, want := range map[string]string{"30 W": "needs a rate", "p99 0 ms, 60/s": "✗", "60": "needs a rate"} {
		d.Type(typed)
		d.Sees(want)
		for range typed {
			d.Press("backspace")
		}
	}
	d.State.Device.Board.Replay = "file.csv"
	d.Sees("a replay answers for one workload")
}

// The name of a single job in the form for two jobs selects that job.
func TestTunePairWithOneNameIsThatJobAgain(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"mobilenet", "mobilenet +"} {
		d, f := drivePair(t)
		for f.pair.name.Value() != "r" {
			d.Press("backspace")
		}
		d.Press("backspace")
		if d.Sees("find the best power mode", "resnet18"); f.pair.on() {
			t.Error("an empty line names two jobs")
		}
		d.Press("+", "home")
		f.pair.name.SetValue(name[:1])
		d.Type(name[1:])
		if d.Press("enter"); f.pair.on() || f.workload().Name != "mobilenet" {
			t.Errorf("%q: two jobs %v, of %s", name, f.pair.on(), f.workload().Name)
		}
		d.Sees("find the best power mode", "mobilenet: MobileNet v3 on GLD23k")
	}
}
