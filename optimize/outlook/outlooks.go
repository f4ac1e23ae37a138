package outlook

import (
	"maps"

	"jtune/learn"
	"jtune/tegra"
)

// Subject identifies readings: those of one subject never count for another.
type Subject struct{ Workload, Board string }

// SubjectOf names a workload on a board; a replay or virtual board differs from the real one.
func SubjectOf(workload string, b tegra.Board) Subject {
	return Subject{workload, b.Name + " " + b.Origin()}
}

// Outlooks holds the outlooks of each subject: one per displayed batch size of the current model, and the readings
// since the model was fitted. The zero value is ready for use. It is not safe for concurrent use.
type Outlooks struct{ by map[Subject]*beliefs }

// beliefs holds the model and readings of one subject.
type beliefs struct {
	model *learn.Model // for all batch sizes
	space *tegra.Space // that it predicts
	sizes map[int]*Outlook
	since []handed // oldest first
}

// handed is a reading and the model at the time of its arrival.
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

// Put stores the outlook of a model and returns it with the readings that the model lacks. If the model is already
// stored, it returns the stored outlook, with what searches have found by now. A new model, or a larger space, replaces
// the previous one.
func (s *Outlooks) Put(subject Subject, o *Outlook) *Outlook {
	b := s.of(subject)
	if whole := o.Model.Whole(); b.model != whole || !b.space.Equal(o.space) {
		b.model, b.space, b.sizes = whole, o.space, map[int]*Outlook{}
	}
	if known := b.sizes[o.Batch]; known != nil {
		if !maps.Equal(known.Found, o.Found) {
			next := *known
			next.Found, b.sizes[o.Batch] = o.Found, &next
		}
		return b.sizes[o.Batch]
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

// Add adds readings; their batch size is 0 unless it is an input of the model.
func (s *Outlooks) Add(subject Subject, readings ...tegra.Measured) {
	b := s.of(subject)
	for _, m := range readings {
		b.since = append(b.since, handed{m, b.model})
		if o := b.sizes[m.Batch]; o != nil {
			next := o.With(m)
			next.Found = nil
			b.sizes[m.Batch] = next
		}
	}
}

// Get returns the outlook of a subject's model for a batch size; nil if there is none.
func (s *Outlooks) Get(subject Subject, batch int) *Outlook { return s.of(subject).sizes[batch] }

// Whole returns the outlook of all batch sizes of its model, with its readings; itself if the model has one size.
func (o *Outlook) Whole(before *Outlook) *Outlook {
	if len(o.Batches()) < 2 {
		return o
	}
	next := before
	if next == nil || next.Model != o.Model.Whole() || !next.space.Equal(o.space) {
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
