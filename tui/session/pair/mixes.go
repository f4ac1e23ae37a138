package pair

import (
	"cmp"
	"fmt"
	"slices"

	"jtune/internal/figure"
	"jtune/internal/sorted"
	"jtune/optimize/mix"
	"jtune/optimize/outlook"
	"jtune/profiles/record"
	"jtune/tegra"
	"jtune/tegra/metric"
	"jtune/tui/session/measure"
)

// Mixes are the mixes of a pair: predictions for its jobs in each mode, and measurements.
type Mixes struct {
	Train, Infer string
	Ask          mix.Ask    // without a policy
	Points       []MixPoint // predicted ones first
	Front        []int      // indexes of Points: predicted, least power first
	Answer       int        // index of Points: the best measured pair
	Feasible     bool       // Answer meets the limits
	Meets        bool       // a predicted mix meets the limits; otherwise only the nearest is listed
	Bound        bool       // off the front, latencies are lower bounds
	Search       Request
}

// MixPoint is a mix: a mode, a batch size, turns.
type MixPoint struct {
	mix.Outcome
	Measured *record.Pair // nil: predicted
}

// PowerW returns the power that the limit applies to.
func (m *Mixes) PowerW(i int) float64 {
	if m.Ask.PowerAs == mix.Mean {
		return m.Points[i].MeanW
	}
	return m.Points[i].PeakW
}

// Standing says whether a mix is within the limits.
func (m *Mixes) Standing(i int) string {
	p := m.Points[i]
	words := [2]string{"predicted within", "predicted over"}
	if p.Measured != nil {
		words = [2]string{"measured within", "measured over"}
	}
	if why := p.Why(); why != "" {
		return words[1] + ": " + why
	}
	return words[0]
}

// Walk returns the mixes on the front and the measured ones, least power first.
func (m *Mixes) Walk() []int {
	out := slices.Clone(m.Front)
	for i, p := range m.Points {
		if p.Measured != nil {
			out = append(out, i)
		}
	}
	sorted.Stable(out, func(i, j int) int {
		return cmp.Or(cmp.Compare(m.PowerW(i), m.PowerW(j)), cmp.Compare(i, j))
	})
	return out
}

// Setting formats a mix in the device's notation, with batch size and turns.
func (m *Mixes) Setting(i int, space *tegra.Space) string {
	p := m.Points[i]
	return fmt.Sprintf("%s batch %d, %s turns", space.Format(p.Mode), p.Batch, p.Policy)
}

// Figure draws the mixes for files.
func (m *Mixes) Figure(space *tegra.Space, b tegra.Board) figure.Figure {
	f := figure.Figure{Kind: "mixes", Title: "mixes of " + PairName(m.Train, m.Infer) + " on " + b.Name,
		Virtual: b.Virtual, Notes: []string{"mixes within " + m.Ask.String()},
		X: figure.Axis{Key: "peak_w", Name: "peak power", Unit: "W"}}
	if m.Ask.PowerAs == mix.Mean {
		f.X = figure.Axis{Key: "mean_w", Name: "mean power", Unit: "W"}
	}
	if mark := tegra.VirtualMark(b.Origin()); mark != "" {
		f.Title += "  " + mark
	}
	front := figure.Series{Name: "front, " + outlook.PredictedSeries, Shape: figure.Rings}
	dots := figure.Series{Name: outlook.PredictedSeries, Shape: figure.Dots}
	got := figure.Series{Name: "measured", Shape: figure.Marks}
	for i, p := range m.Points {
		at := figure.At(m.PowerW(i), p.TrainPerS).Of(m.Setting(i, space))
		switch {
		case p.Measured != nil:
			got.Points = append(got.Points, at)
		case slices.Contains(m.Front, i):
			front.Points = append(front.Points, at)
		default:
			dots.Points = append(dots.Points, at)
		}
	}
	rate := figure.Axis{Key: "train_per_s", Name: "training", Unit: "minibatches/s", Zero: true}
	f.Panels = []figure.Panel{{Axis: rate, Series: []figure.Series{dots, front, got}}}
	return f
}

// Add adds a measured pair; best marks it as the answer.
func (m *Mixes) Add(probe measure.PairProbe, best bool) {
	if best {
		m.Answer, m.Feasible = len(m.Points), probe.Meets
	}
	o := probe.Outcome
	o.Policy = probe.Ask.Policy
	m.Points = append(m.Points, MixPoint{Outcome: o, Measured: probe.Row.Pair})
}

// mixes returns the search's mixes, predicted from everything known of both jobs at its end; nil without predictions.
func (p *pairSearch) mixes() *Mixes {
	if p.found.Row == nil {
		return nil
	}
	ask := p.ask
	ask.Goal.Margin, ask.Policy = metric.UsualMargin, p.r.Policy
	list, known := ask.Map(p.options(ask).Settings(), p.phases.Infer, p.phases.Train)
	if !known {
		return nil
	}
	ask.Policy = ""
	ask.Goal.Margin = p.ask.Goal.Margin
	m := &Mixes{Train: p.r.Train.Name, Infer: p.r.Infer.Name, Search: p.r, Ask: ask,
		Front: list.Front, Bound: list.Bound, Feasible: p.found.Feasible, Meets: list.List[0].Meets}
	for _, o := range list.List {
		m.Points = append(m.Points, MixPoint{Outcome: o})
	}
	for _, probe := range p.found.Probes {
		if probe.Err != nil {
			continue
		}
		m.Add(probe, probe.Row.Setting == p.found.Setting && probe.Row.Pair.Policy == p.found.Row.Pair.Policy)
	}
	return m
}
