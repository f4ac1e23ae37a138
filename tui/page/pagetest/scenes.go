package pagetest

import (
	"math"
	"time"

	"jtune/optimize"
	"jtune/optimize/outlook"
	"jtune/profiles"
	"jtune/profiles/record"
	"jtune/tegra"
	"jtune/tegra/metric"
	"jtune/telemetry"
	"jtune/tui/page"
	"jtune/tui/session/answers"
	"jtune/tui/session/campaigns"
	"jtune/tui/session/measure"
	"jtune/tui/session/task"
)

// Task returns a campaign in progress, without a goroutine.
func Task(b *Board, kind task.TaskKind) *page.Task {
	w, _ := b.Workloads()
	j := &page.Task{Spec: task.Spec{Kind: kind, Workload: w[0],
		Questions: metric.Question{Limit: metric.Watts(30)}.List(),
		Planned:   optimize.DefaultProbes}}
	j.State, j.Began = task.Running, b.Elapsed-372*time.Second
	for i, s := range b.Samples()[:8] {
		row := record.Row{Measured: s, Status: record.OK}
		probe := optimize.Probe{Measured: s, Why: optimize.Improve, Feasible: s.PowerW <= 30}
		if i == 5 {
			row = record.Row{Measured: tegra.Measured{Setting: tegra.Setting{Mode: s.Mode}}, Status: record.TimedOut,
				Why: "slower than 10 min"}
		}
		j.Rows, j.Probes = append(j.Rows, row), append(j.Probes, probe)
	}
	best := b.Samples()[3]
	j.Best = &answers.Answer{Setting: best.Setting, About: outlook.About{Reading: tegra.Mean{Measured: best, N: 1}},
		Limit: j.Limits[0]}
	top := &outlook.Comparison{Name: "MAXN"}
	top.Other.TimeMS, top.Other.PowerW, j.Best.Versus.MaxN = 105.4, 46.8, top
	j.Step = &optimize.Step{Setting: b.Samples()[8].Setting, Why: optimize.Improve, Limit: j.Limits[0],
		Gain: tegra.Some(0.031), Keeps: tegra.Some(0.92)}
	j.Progress = profiles.Progress{Phase: profiles.Measuring,
		Step: profiles.Step{Setting: tegra.Setting{Mode: b.Samples()[8].Mode}}, Minibatch: 31, Of: 40, TimeMS: 88.1,
		PowerW: tegra.Some(27.3),
		ETALo:  7 * time.Minute, ETAHi: 9 * time.Minute}
	for i, t := range []float64{55, 70, 95, 140, 210, 310} { // like a preview of eight modes
		w := 9 + 1600/t
		j.Preview.TimeMS, j.Preview.PowerW = append(j.Preview.TimeMS, t), append(j.Preview.PowerW, w)
		j.Preview.LowW, j.Preview.HighW = append(j.Preview.LowW, w*(0.93-0.01*float64(i))),
			append(j.Preview.HighW, w*(1.07+0.02*float64(i)))
	}
	j.Preview.Modes, j.Preview.TimePct, j.Preview.PowerPct, j.Bands = 7, 14, 8, []float64{60, 45, 20, 14}
	for i := range 50 {
		j.Times = append(j.Times, 60+float64(i%7))
	}
	return j
}

// Searched returns the task at its end, with an answer to each limit.
func Searched(b *Board, watts ...float64) *page.Task {
	j := Task(b, task.Tuning)
	j.State, j.Step, j.Limits = task.Done, nil, nil
	j.Tuned = &measure.TuneResult{Result: optimize.Result{Probes: j.Probes}, Took: 6 * time.Minute}
	view := b.Outlook()
	for _, w := range watts {
		l := metric.Watts(w)
		at := view.Answer(l)
		found := Read(view.Known[at].Mode, 1.002, 0.998)
		versus := outlook.Compare(optimize.MeasuredPrediction(found), Predictor{}, b.Samples(), b.space, b.presets,
			tegra.Setup{Mode: tegra.Some(b.space.Max())})
		r := optimize.Answer{Measured: found, N: 2, Feasible: l.Met(found), Verified: true}
		j.Limits = append(j.Limits, l)
		top := Read(b.space.Max(), 1, 1)
		a := answers.Answer{Setting: found.Setting, Limit: l, Feasible: r.Feasible,
			About:    outlook.About{Reading: tegra.Mean{Measured: found, N: r.N}},
			Standing: r.Standing(l), Versus: versus, Probes: j.Probes,
			Error: answers.ErrorsOf(found.Setting, r.N, nil), Before: &answers.Baseline{Name: "MAXN",
				Mean: tegra.Mean{Measured: top, N: 1}, Error: answers.ErrorsOf(top.Setting, 1, nil)}}
		for _, preset := range b.presets {
			if m := Read(preset.Mode, 1, 1); l.Met(m) && (a.Preset == nil || l.Better(m, a.Preset.Measured)) {
				a.Preset = &answers.Baseline{Name: preset.Name, Mean: tegra.Mean{Measured: m, N: 1},
					Error: answers.ErrorsOf(m.Setting, 1, nil)}
			}
		}
		a.Compared()
		j.Tuned.Answers = append(j.Tuned.Answers, a)
	}
	return j
}

// Readings returns two minutes of readings.
func (f *Board) Readings() telemetry.Readings {
	var m telemetry.Readings
	for i := range 120 {
		r, _ := f.Read()
		r.T = f.Elapsed - time.Duration(119-i)*time.Second
		if i == 60 { // a sensor that once gave no value
			r.TotalW = tegra.Val[float64]{}
		} else {
			r.TotalW.V += 3 * math.Sin(float64(i)/9)
		}
		m.Last = telemetry.Sample{T: r.T, Reading: r, Valid: true}
		m.Samples = append(m.Samples, m.Last)
	}
	m.EnergyJ, m.Cost = 31400, telemetry.Cost{CPUPct: tegra.Some(0.3), BytesPerS: tegra.Some(900.0)}
	m.GPU = telemetry.GPUUse{Asked: true, Processes: []tegra.GPUProcess{{PID: 7001, Name: "python3", Bytes: 1.9e9},
		{PID: 6520, Name: "Xorg", Bytes: 20e6}}}
	return m
}

// Campaigns returns a board's campaigns: an interrupted one, one of another program, two ended ones; and a deleted one.
func Campaigns(b *Board) (list, deleted []task.Listed) {
	works, _ := b.Workloads()
	one := func(name string, ago time.Duration, state campaigns.CampaignState, plan record.PlanHeader, n int,
		times float64) task.Listed {
		h := record.Header{Created: Start.Add(-ago), Device: record.NewDeviceHeader(b), Workload: works[0], Plan: plan}
		var rows []record.Row
		for _, m := range b.Samples()[:n] {
			m.TimeMS *= times
			rows = append(rows, record.Row{Measured: m, Status: record.OK, When: Start})
		}
		l := task.Listed{State: state, NoResume: "it is " + string(state), NoRedo: "none failed",
			Campaign: campaigns.Of(name, "/data/campaigns/"+name, h, rows)}
		l.Again = &task.Interrupted{Dir: l.Dir, Workload: works[0]}
		return l
	}
	cut := one("20260314-144500-resnet18-sample", 25*time.Minute, campaigns.CampaignInterrupted,
		record.PlanHeader{Kind: "sample", Modes: 11, Filter: "cores>=4"}, 6, 1)
	cut.NoResume = ""
	other := one("20260314-150100-resnet18-grid", 8*time.Minute, campaigns.CampaignRunning,
		record.PlanHeader{Kind: "grid", Modes: 4368}, 4, 1)
	other.PID, other.NoResume, other.NoRedo = 4242, "it runs", "it runs"
	list = []task.Listed{other, cut,
		one("after the new heat sink", 26*time.Hour, campaigns.CampaignFinished,
			record.PlanHeader{Kind: "modes", Modes: 9}, 9, 0.95),
		one("20260312-091500-resnet18-list", 54*time.Hour, campaigns.CampaignFinished,
			record.PlanHeader{Kind: "list", Modes: 4, Repeats: 2}, 8, 1)}
	deleted = []task.Listed{one("20260310-120000-resnet18-modes", 99*time.Hour, campaigns.CampaignFinished,
		record.PlanHeader{Kind: "modes", Modes: 7}, 7, 1)}
	deleted[0].Again = nil
	return list, deleted
}
