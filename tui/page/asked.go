package page

import (
	"jtune/profiles/workload"
	"jtune/tegra/metric"
)

// Asked is a job, and the limit of the question that a mode answers.
type Asked struct {
	Workload workload.Workload
	Limit    metric.Goal
}

// Asked returns what the modes of a workload answer, at a batch size (0: its own); nil if it is not known here, or its
// limits hold under a load, which it does not have alone.
func (r Reader) Asked(name string, batch int, q metric.Question) *Asked {
	w, known := r.Work().Find(name)
	if !known || q != (metric.Question{Limit: q.Limit}) {
		return nil
	}
	return &Asked{w.AtBatch(batch), q.Limit}
}

// AskedOfModel returns what the modes of the shown model answer; nil without a model.
func (r Reader) AskedOfModel() *Asked {
	v := r.Outlook()
	if v == nil {
		return nil
	}
	return r.Asked(v.Workload, v.Batch, r.Goal())
}

// Dropping reports whether the job of the mode that waits to be kept runs.
func (r Reader) Dropping() bool { return r.Drop() != nil && !r.Drop().Done() }

// Drop returns the readings of the mode that waits to be kept; nil if its job does not run.
func (r Reader) Drop() *Task { return r.state.Tasks.Drop }
