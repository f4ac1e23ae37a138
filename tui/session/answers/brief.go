package answers

import (
	"jtune/optimize"
	"jtune/optimize/outlook"
	"jtune/optimize/standing"
	"jtune/profiles/record"
	"jtune/tegra"
	"jtune/tegra/metric"
)

// Brief is what a list of campaigns says of an answer.
type Brief struct {
	Goal     metric.Question
	Setting  tegra.Setting
	Feasible bool
	MS       float64 // time, or the latency under a load
	Quantile float64 // of the latency; 0: MS is the time
	More     int     // further answers of the search
}

// Brief returns the first answer in brief.
func (k *Kept) Brief() *Brief {
	if k == nil {
		return nil
	}
	a := k.Answers[0]
	b := &Brief{Goal: k.Goal(0), Setting: a.Setting, Feasible: a.Feasible, More: len(k.Answers) - 1}
	if b.MS, b.Quantile = a.terms().slow(); a.Trial != nil && a.Trial.LatencyMS.OK {
		b.MS, b.Quantile = a.Trial.LatencyMS.V, a.Ask.Quantile
	}
	return b
}

// Verdict returns what the first answer's readings, or its requests under a load, say of its limit; NoVerdict if it was
// not measured, or no mode meets the limit.
func (k *Kept) Verdict() standing.Verdict {
	if k == nil {
		return standing.NoVerdict
	}
	switch a := k.Answers[0]; {
	case !a.Feasible || a.Trial == nil && a.Reading.N == 0:
		return standing.NoVerdict
	case a.Trial != nil:
		return a.Trial.Verdict()
	default:
		return a.Standing.Verdict()
	}
}

// complete is the end of a campaign that measured everything it had to.
const complete = "complete"

// WorkedOut returns the best of a search's own rows within each of its limits, for folders of versions that kept no
// answer; nil if there is none, or if the goal was more than a limit, such as a load. ended is how the campaign ended.
func WorkedOut(h record.Header, ended string, all func() []record.Row) *Kept {
	if h.Search == nil || h.Search.Load.Any() || h.Plan.PartOf != "" || ended != complete {
		return nil
	}
	rows := record.Usable(all())
	out := Kept{Jtune: h.Jtune, When: h.Created, Batches: h.Plan.Batches, Worked: true}
	for _, l := range h.Search.Limits {
		best := l.BestOf(rows)
		if best.N == 0 {
			continue
		}
		a := Answer{Setting: best.Setting, About: outlook.About{Reading: best}, Device: h.Device.Name,
			Virtual: h.Device.Virtual, Workload: h.Workload.Name, Limit: l, Feasible: true, Verified: best.N > 1,
			Standing: standing.Stand(l, optimize.MeasuredPrediction(best.Measured), best.N), Ended: optimize.Converged}
		for _, m := range rows {
			a.Probes = append(a.Probes, optimize.Probe{Measured: m, Feasible: l.Met(m)})
		}
		if space, err := h.Device.Space(); err == nil {
			a.Versus = outlook.Compare(optimize.MeasuredPrediction(best.Measured), nil, tegra.OncePerSetting(rows),
				space, nil, tegra.Setup{})
		}
		out.Answers = append(out.Answers, a)
	}
	if out.Answers == nil {
		return nil
	}
	return &out
}
