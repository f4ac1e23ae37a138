package task

import (
	"slices"

	"jtune/tui/session/pair"
)

// Measure returns a task that runs a mix as a pair.
func Measure(m *pair.Mixes, i int) *Task {
	r := m.Search
	at := m.Points[i].Setting
	r.At, r.Policy, r.Dir = &at, m.Points[i].Policy, ""
	return Pair(r)
}

// With returns the mixes with the result of Measure; unchanged if the result is for other jobs or another question.
func With(m *pair.Mixes, of Spec, f pair.Answer) *pair.Mixes {
	if m == nil || f.Row == nil || len(f.Probes) == 0 || of.Subject() != pair.PairName(m.Train, m.Infer) ||
		f.Ask.String() != m.Ask.String() {
		return m
	}
	probe := f.Probes[0]
	next := *m
	next.Points = slices.Clone(m.Points)
	next.Add(probe, !m.Feasible && probe.Meets || probe.Meets && probe.TrainPerS > m.Points[m.Answer].TrainPerS)
	return &next
}
