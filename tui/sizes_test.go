package tui

import (
	"strings"
	"testing"

	"jtune/internal/must"
	"jtune/learn"
	"jtune/optimize"
	"jtune/optimize/outlook"
	"jtune/profiles/workload"
	"jtune/tegra"
	"jtune/tegra/metric"
	"jtune/tui/page"
	"jtune/tui/page/pagetest"
	"jtune/tui/session/measure"
	"jtune/tui/session/task"
)

// sizedModel returns a gp fitted to Law's modes with several batch sizes.
func sizedModel(t testing.TB, b *fakeHost) *learn.Model {
	t.Helper()
	var samples []tegra.Measured
	for i, m := range b.Space().Sample(24, 7) {
		batch := []int{8, 16, 32}[i%3]
		ms, watts := pagetest.Law(m)
		samples = append(samples, tegra.Measured{Setting: tegra.Setting{Mode: m, Batch: batch},
			TimeMS: ms * (0.2 + 0.05*float64(batch)), PowerW: watts})
	}
	m := must.Get(learn.Fit(t.Context(), samples, learn.Options{Space: b.Space(), SkipCV: true,
		Provenance: learn.Provenance{Device: "AGX Orin", Workload: "resnet18", Virtual: true}}))(t)
	return m
}

func TestFrontStepsThroughBatchSizesAndSaysWhich(t *testing.T) {
	t.Parallel()
	d := drive(t)
	view := outlook.New("resnet18", sizedModel(t, d.board), d.board.Space())
	d.send(modelLoadedMsg{view, "sized"})
	d.press("5")
	at := func(batch string) {
		t.Helper()
		d.until("batch "+batch+" is shown", func() bool {
			return d.r.sh.Outlook.Batch > 0 && strings.Contains(d.screen(), "resnet18 batch "+batch+" ")
		})
		for _, s := range sizes() {
			d.size(s[0], s[1])
			d.sees("resnet18 batch "+batch, "W")
		}
		d.size(80, 24)
		d.sees("best of batch "+batch, "ms/sample", "Z z size")
		must.Equal(t, d.onFront(), d.r.sh.Outlook.Answer(d.r.sh.Goal.Limit), batch)
	}
	at("32") // largest first
	d.press("z")
	at("8")
	slow := d.r.sh.Outlook.Known[d.onFront()].TimeMS
	d.press("Z", "Z")
	at("16")
	if fast := d.r.sh.Outlook.Known[d.onFront()].TimeMS; fast < 1.2*slow {
		t.Errorf("16 samples take %.1f ms, 8 take %.1f", fast, slow)
	}

	// a measurement stays with its batch size
	mode := d.r.sh.Outlook.Known[d.onFront()].Mode
	d.press("v")
	d.until("the mode is measured", func() bool { return d.r.sh.task.Done() })
	must.Equal(t, d.r.sh.task.Workload.Batch, 16)
	d.press("z")
	d.until("32", func() bool { return d.r.sh.Outlook.Batch == 32 })
	if d.r.sh.Outlook.About(mode).Measured() {
		t.Error("a measurement with 16 samples counts for 32")
	}
	d.press("Z")
	d.until("16", func() bool { return d.r.sh.Outlook.Batch == 16 })
	if at := d.r.sh.Outlook.About(mode); !at.Measured() || at.Best().TimeMS != at.Reading.TimeMS {
		t.Error("the measurement is forgotten on the way")
	}

	// the cursor stays on a mode that is not the answer
	d.press("home")
	off := d.onFront()
	d.press("z")
	d.until("32", func() bool { return d.r.sh.Outlook.Batch == 32 })
	if d.sees("at the cursor, batch 32"); d.onFront() != off {
		t.Error("the cursor left its mode")
	}
}

func TestFrontOfOneBatchSizeHasNoKeyForOthers(t *testing.T) {
	t.Parallel()
	d := drive(t).withView()
	d.press("5")
	before := d.r.sh.Outlook
	d.press("z", "Z")
	must.Equal(t, d.r.sh.Outlook, before)
	must.Lack(t, d.screen(), "size", "batch")
}

func TestFrontAnswerOfASearchOverBatchSizesNamesItsSize(t *testing.T) {
	t.Parallel()
	d := drive(t)
	m := sizedModel(t, d.board)
	limit := metric.Watts(30)
	view := outlook.New("resnet18", m.At(16), d.board.Space())
	best := view.Known[view.Answer(limit)]
	res := &measure.TuneResult{Result: optimize.Result{Answers: []optimize.Answer{{Measured: tegra.Measured{
		Setting: best.WithBatch(16), TimeMS: best.TimeMS, PowerW: 29}}}}, Fitted: m}
	res.AnswerTo(measure.TuneRequest{Questions: metric.Question{Limit: limit}.List()}, tegra.Board{})
	j := &shownTask{Task: page.Task{Spec: task.Spec{Kind: task.Tuning,
		Workload: workload.Workload{Name: "resnet18"}, Questions: metric.Question{Limit: limit}.List()}}}
	d.shows(j)
	d.send(taskDoneMsg{task: j, view: view, now: task.Snapshot{State: task.Done,
		Outcome: task.Outcome{Tuned: res}}})
	d.press("5")
	d.sees("resnet18 batch 16", "the answer, batch 16")
	d.press("z")
	d.until("32", func() bool { return d.r.sh.Outlook.Batch == 32 })
	d.sees("best of batch 32")
}
