package plots

import (
	"fmt"
	"slices"

	"jtune/internal/figure"
	"jtune/internal/text"
	"jtune/learn"
	"jtune/optimize/outlook"
	"jtune/tegra"
	"jtune/tegra/metric"
	"jtune/tui/session/models"
)

// Rival holds a model's predictions for an outlook's modes, without measurements in their place. Several rivals over
// one cloud show how their Pareto fronts and choices differ, and how these compare with measurements.
type Rival struct {
	Name string
	*outlook.Outlook
	chooses *outlook.Outlook // with the model's own readings, as used by the command choose
}

// RivalOf returns a model as a rival of an outlook, at the outlook's batch size.
func RivalOf(name string, m *learn.Model, o *outlook.Outlook) Rival {
	chooses := outlook.New(o.Workload, m.At(o.Batch), o.Space())
	if from, own := m.Provenance, o.Model.Provenance; from.Workload == own.Workload && from.Device == own.Device &&
		from.Origin() == own.Origin() {
		chooses.Found = o.Found
	}
	return Rival{name, outlook.By(m, o.Workload, m, nil, o.Space()), chooses}
}

// Own returns the outlook's own model as a rival.
func Own(o *outlook.Outlook) Rival {
	return Rival{string(o.Model.Method), outlook.By(o.Predictor, o.Workload, o.Model, nil, o.Space()), o}
}

// Rivals returns the outlook's own model and the others in a list for the same workload and board, by name.
func Rivals(o *outlook.Outlook, list []models.Info) []Rival {
	own := o.Model.Provenance
	out := []Rival{Own(o)}
	for _, info := range list {
		if info.Model == nil || info.Model == o.Model.Whole() || !info.Model.HasPower() {
			continue
		}
		from := info.Model.Provenance
		same := from.Workload == own.Workload && from.Device == own.Device && from.Origin() == own.Origin()
		known := slices.Contains(info.Model.Batches, o.Batch) && from.Batch == own.Batch
		if same && known && (from.Pool == "" || from.Pool != own.Pool) {
			out = append(out, RivalOf(info.Name, info.Model, o))
		}
	}
	return out
}

// Observed returns the measurement of each mode: from the outlook's readings, the samples of rivals, and others.
func Observed(o *outlook.Outlook, rivals []Rival, others []tegra.Measured) map[tegra.Mode]tegra.Measured {
	out := map[tegra.Mode]tegra.Measured{}
	for _, m := range others {
		out[m.Mode] = m
	}
	for _, r := range rivals {
		for _, m := range r.Model.Trusted() {
			out[m.Mode] = m
		}
	}
	for _, m := range o.Measured() {
		out[m.Mode] = m
	}
	return out
}

// Readout is a model's choice for a limit.
type Readout struct {
	Name      string
	Predicted learn.Prediction
	Met       bool // the prediction is within the limit; otherwise it is the nearest
	Observed  tegra.Val[tegra.Measured]
}

// Readouts returns the choices of rivals.
func Readouts(rivals []Rival, observed map[tegra.Mode]tegra.Measured, l metric.Goal) (out []Readout) {
	for _, r := range rivals {
		at := r.chooses.Answer(l)
		row := Readout{Name: r.Name, Predicted: r.Predicted[at], Met: l.Met(r.chooses.Known[at].Measured)}
		if m, ok := observed[row.Predicted.Mode]; ok {
			row.Observed = tegra.Some(m)
		}
		out = append(out, row)
	}
	return out
}

// words formats a readout as a line.
func (r *Readout) words(space *tegra.Space) string {
	words := fmt.Sprintf("%s: %s, predicted %s ms %s W", r.Name, space.Format(r.Predicted.Mode),
		text.Of(r.Predicted.TimeMS), text.Of(r.Predicted.PowerW))
	if r.Observed.OK {
		words += fmt.Sprintf(", observed %s ms %s W", text.Of(r.Observed.V.TimeMS), text.Of(r.Observed.V.PowerW))
	} else {
		words += ", not measured"
	}
	if !r.Met {
		words += ", exceeds the limit"
	}
	return words
}

// RivalCloud is Cloud with the predicted fronts of rivals, the measurements of their modes, and their choices.
func RivalCloud(o *outlook.Outlook, plane int, l metric.Goal, rivals []Rival,
	observed map[tegra.Mode]tegra.Measured) figure.Figure {
	f := Cloud(o, plane, l)
	pl, panel := outlook.Planes[plane], &f.Panels[0]
	for _, r := range rivals {
		predicted := figure.Series{Name: r.Name + " pred", Shape: figure.Line}
		seen := figure.Series{Name: r.Name + " obs", Shape: figure.Marks}
		for _, i := range r.Front(plane) {
			m := r.Predicted[i].Measured
			mode := o.ModeText(m.Mode)
			predicted.Points = append(predicted.Points, figure.At(pl.Across.Of(m), pl.Up.Of(m)).Of(mode))
			if got, ok := observed[m.Mode]; ok {
				seen.Points = append(seen.Points, figure.At(pl.Across.Of(got), pl.Up.Of(got)).Of(mode))
			}
		}
		panel.Series = append(panel.Series, predicted, seen)
	}
	if l != (metric.Goal{}) {
		for _, r := range Readouts(rivals, observed, l) {
			f.Notes = append(f.Notes, r.words(o.Space()))
		}
	}
	return f
}
