package pagetest

import (
	"cmp"
	"math"
	"time"

	"jtune/internal/arrivals"
	"jtune/internal/sorted"
	"jtune/optimize/mix"
	"jtune/profiles"
	"jtune/profiles/harness"
	"jtune/profiles/harness/turns"
	"jtune/profiles/record"
	"jtune/profiles/workload"
	"jtune/tegra"
	"jtune/tegra/metric"
	"jtune/tui/page"
	"jtune/tui/session/measure"
	"jtune/tui/session/pair"
	"jtune/tui/session/task"
)

// Serves returns an inference workload.
func Serves() workload.Workload {
	return workload.Workload{Name: "mobilenet-infer", Model: "MobileNet v3", Dataset: "GLD23k",
		Kind: workload.Inference, Task: "image classification", Samples: 23080, Batch: 16}
}

// pairAsk returns the goal of the pair in the scenes.
func pairAsk() mix.Ask {
	return mix.Ask{Goal: metric.Watts(30), LatencyMS: 300, Quantile: 0.99, Policy: mix.Fill,
		IdleW: math.NaN(),
		Load:  arrivals.Load{Pattern: arrivals.Uniform, RatePerS: 60}}
}

// pairRow returns the row of two jobs in the mode of a sample, by Law.
func (f *Board) pairRow(at int, policy string, p99, idle float64) record.Row {
	m := f.Samples()[at]
	t, w := Law(m.Mode)
	row := record.Row{Measured: m, Status: record.OK, Pair: &record.Pair{Policy: policy,
		TrainAloneMS: tegra.Some(t), TrainAloneW: tegra.Some(w), InferAloneMS: tegra.Some(t / 2),
		InferAloneW: tegra.Some(0.8 * w), InferMS: tegra.Some(t / 2), ServedPerS: 60, MeanW: 0.95 * w,
		IdleShare: tegra.Some(idle), Minibatches: 400,
		Latency: record.Latency{P50: 0.5 * p99, P95: 0.9 * p99, P99: p99, N: 600}}}
	row.Batch = 16
	if policy != record.Alone {
		row.Pair.TrainMS, row.Pair.TrainPerS = tegra.Some(1.02*t), 0.7*1000/t
	}
	return row
}

// pairProbe returns the event of a row.
func pairProbe(row record.Row) measure.PairProbe {
	o := mix.Outcome{Setting: row.Setting, Policy: mix.Fill, TrainPerS: row.Pair.TrainPerS,
		PeakW: row.Pair.PeakW(), MeanW: row.Pair.MeanW, TimeMS: row.Pair.InferMS.V, ServedPerS: 60}
	ask := pairAsk()
	return measure.PairProbe{Ask: ask, Predicted: o, Row: row, Outcome: ask.AsSeen(o, mix.Seen{
		LatencyMS: row.Pair.Latency.P99, ServedPerS: 60, TrainPerS: row.Pair.TrainPerS, MeanW: row.Pair.MeanW,
		IdleShare: row.Pair.IdleShare.V})}
}

// overLimit and answered are the indexes of the scenes' pairs among the board's samples.
const overLimit, answered = 3, 2

// PairEvents returns the events of a search that has measured both jobs alone and now measures its second pair.
func (f *Board) PairEvents() (out []measure.Event) {
	finished := func(row record.Row) {
		out = append(out, measure.ProgressEvent{Progress: profiles.Progress{Phase: profiles.Finished, Row: &row}})
	}
	for _, name := range []string{"resnet18", Serves().Name} {
		out = append(out, measure.PairStage{Workload: name})
		for i, m := range f.Samples()[:3] {
			if name != "resnet18" {
				m.Batch = []int{4, 16, 32}[i]
			}
			finished(record.Row{Measured: m, Status: record.OK})
		}
	}
	for n, at := range []int{overLimit, answered} {
		row := f.pairRow(at, mix.Fill, 210-20*float64(n), 0.03)
		probe := pairProbe(row)
		out = append(out, measure.PairStage{Doing: measure.PairVerifies, N: n + 1, Ask: pairAsk(),
			Predicted: &probe.Outcome})
		step := profiles.Step{Setting: row.Setting}
		out = append(out, measure.ProgressEvent{Progress: profiles.Progress{Phase: profiles.Applying, Step: step}})
		end := f.Elapsed
		for i := range 120 {
			e := harness.Event{Kind: harness.Minibatch, Job: harness.JobTrain, TimeMS: 66}
			if i%9 == 8 {
				e.Kind, e.Job, e.TimeMS, e.N = harness.Infer, harness.JobInfer, 33, 16
				end += 20 * time.Millisecond // idle before it
			}
			end += time.Duration(e.TimeMS * float64(time.Millisecond))
			e.T = end
			out = append(out, measure.ProgressEvent{Progress: profiles.Progress{Phase: profiles.Measuring, Step: step,
				Event: &e, PowerW: tegra.Some(28.1)}})
		}
		out = append(out, measure.ProgressEvent{Progress: profiles.Progress{Phase: profiles.Measuring, Step: step,
			Pair: &profiles.PairProgress{Part: turns.Together, Pair: *row.Pair}}})
		if n == 0 {
			finished(row)
			out = append(out, probe)
		}
	}
	return out
}

// Paired returns the result of that search.
func (f *Board) Paired() *pair.Answer {
	row, alone := f.pairRow(answered, mix.Fill, 190, 0.03), f.pairRow(answered, record.Alone, 140, 0.62)
	found := &pair.Answer{Feasible: true, Row: &row, AloneRow: &alone,
		Probes: []measure.PairProbe{pairProbe(f.pairRow(overLimit, mix.Fill, 210, 0.03)), pairProbe(row)}}
	found.Outcome, found.Ask = pairProbe(row).Outcome, pairAsk()
	found.Alone = mix.Outcome{Setting: row.Setting, IdleShare: 0.62, JPerUnit: 0.46}
	found.TrainAlonePerS = 1000 / row.Pair.TrainAloneMS.V
	return found
}

// Pairing returns a search for a pair in progress, or ended, without a goroutine.
func Pairing(b *Board, ended bool) *page.Task {
	w, _ := b.Workloads()
	j := &page.Task{Spec: task.Pair(pair.Request{Train: w[0], Infer: Serves(),
		Question: metric.Question{Limit: metric.Watts(30),
			Load: arrivals.Spec{RatePerS: 60, Arrivals: "uniform", LatencyMS: 300, Quantile: 0.99}}}).Spec}
	j.State, j.Began = task.Running, b.Elapsed-372*time.Second
	for _, e := range b.PairEvents() {
		j.Fold(e)
	}
	if !ended {
		return j
	}
	found := b.Paired()
	for i, row := range []*record.Row{found.Row, found.AloneRow} {
		j.Fold(measure.ProgressEvent{Progress: profiles.Progress{Phase: profiles.Finished, Row: row}})
		if i == 0 {
			j.Fold(found.Probes[1])
		}
	}
	j.State, j.Paired = task.Done, found
	return j
}

// Mixes returns the mixes of the scenes' pair over the board's modes; feasible: some keep the limits.
func Mixes(b *Board, feasible bool) *pair.Mixes {
	found, ask := b.Paired(), pairAsk()
	ask.Policy = ""
	m := &pair.Mixes{Train: "resnet18", Infer: Serves().Name, Ask: ask, Feasible: feasible, Meets: feasible}
	most := 0.0
	modes := b.space.Sample(400, 5)
	sorted.By(modes, func(x, y tegra.Mode) int {
		_, a := Law(x)
		_, b := Law(y)
		return cmp.Compare(a, b)
	})
	for _, mode := range modes {
		t, w := Law(mode)
		o := mix.Outcome{Setting: tegra.Setting{Mode: mode, Batch: 16}, Policy: mix.Fill,
			TrainPerS: 0.7 * 1000 / t, PeakW: w, MeanW: 0.95 * w, LatencyMS: 2 * t, TimeMS: t / 2}
		o = ask.AsSeen(o, mix.Seen{LatencyMS: 2 * t, ServedPerS: 60, TrainPerS: o.TrainPerS, MeanW: o.MeanW})
		switch {
		case !feasible && len(m.Points) == 0 && !o.Meets:
			m.Points, m.Front = append(m.Points, pair.MixPoint{Outcome: o}), []int{0}
		case feasible && o.Meets:
			if o.TrainPerS > most {
				m.Front, most = append(m.Front, len(m.Points)), o.TrainPerS
			}
			m.Points = append(m.Points, pair.MixPoint{Outcome: o})
		}
	}
	for _, probe := range found.Probes {
		m.Answer = len(m.Points)
		m.Points = append(m.Points, pair.MixPoint{Outcome: probe.Outcome, Measured: probe.Row.Pair})
	}
	return m
}
