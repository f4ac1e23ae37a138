package outlook

import (
	"maps"

	"jtune/learn"
	"jtune/tegra"
)

// Subject is what readings are of: those of one subject never count for another.
type Subject struct{ Workload, Board string }

// SubjectOf names a workload on a board; a replay or a virtual board is another
// board than the real one.
func SubjectOf(workload string, b tegra.Board) Subject {
	return Subject{workload, b.Name + " " + b.Origin()}
}

// Outlooks holds what is known of each subject: one model's outlook for
// each batch size that was shown, and the readings since the model was made.
// The zero value is ready. It belongs to one goroutine.
type Outlooks struct{ by map[Subject]*beliefs }

// beliefs are the beliefs about one subject.
type beliefs struct {
	model *learn.Model // whole
	sizes map[int]*Outlook
	since []handed // oldest first
}

// handed is a reading and the model that was known when it came.
type handed struct {
	tegra.Measured
	under *learn.Model
}

func (s *Outlooks) of(subject Subject) *beliefs {
	if s.by[subject] == nil {
		if s.by == nil {
			s.by = map[Subject]*beliefs{}
		}
		s.by[subject] = &beliefs{}
	}
	return s.by[subject]
}

// Put takes the outlook of a model and returns it with what was measured since
// and the model does not know; of a model that is known already, the outlook that
// is known. Another model takes the place of the one before.
func (s *Outlooks) Put(subject Subject, o *Outlook) *Outlook {
	b := s.of(subject)
	if whole := o.Model.Whole(); b.model != whole {
		b.model, b.sizes = whole, map[int]*Outlook{}
	}
	if known := b.sizes[o.Batch]; known != nil {
		return known
	}
	made := o
	for _, m := range b.since {
		if m.Batch == o.Batch && (m.under == b.model || !made.About(m.Mode).Measured()) {
			o = o.With(m.Measured)
		}
	}
	b.sizes[o.Batch] = o
	return o
}

// Add hands over readings, each with the batch size that its model has as an
// input, else 0.
func (s *Outlooks) Add(subject Subject, readings ...tegra.Measured) {
	b := s.of(subject)
	for _, m := range readings {
		b.since = append(b.since, handed{m, b.model})
		if o := b.sizes[m.Batch]; o != nil {
			b.sizes[m.Batch] = o.With(m)
		}
	}
}

// Get returns the outlook of a subject's model for a batch size; nil while there is
// none.
func (s *Outlooks) Get(subject Subject, batch int) *Outlook { return s.of(subject).sizes[batch] }

// Whole is the outlook of all batch sizes that its model knows, with its readings; itself where the model knows one.
func (o *Outlook) Whole(before *Outlook) *Outlook {
	if o.Batches() == nil {
		return o
	}
	next := before
	if next == nil || next.Model != o.Model.Whole() {
		m := o.Model.Whole()
		next = build(m, o.Workload, m, m.Readings(), o.space,
			m.PredictSettings(tegra.Settings(o.space.Modes(), m.Batches)))
	}
	for at, r := range o.readings {
		if next.readings[at] != r {
			with := *next
			with.readings = maps.Clone(next.readings)
			maps.Copy(with.readings, o.readings)
			with.work()
			return &with
		}
	}
	return next
}
