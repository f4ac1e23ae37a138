package pair

import (
	"cmp"
	"fmt"
	"slices"

	"jtune/internal/usage"
	"jtune/learn"
	"jtune/profiles/workload"
	"jtune/tegra"
	"jtune/tui/session"
	"jtune/tui/session/readiness"
	"jtune/tui/session/workloads"
)

// PairJobs finds two workloads by name, and the batch sizes of the inference to choose among.
func PairJobs(s *session.Session, train, infer string) (r Request, err error) {
	if s.Replays() {
		return r, ErrReplayedPair
	}
	if r.Train, err = workloads.FindAny(s, train); err != nil {
		return r, err
	}
	if r.Infer, r.Batches, err = workloads.FindSized(s, infer); err != nil {
		return r, err
	}
	if r.Batches == nil && len(s.Batches) == 0 {
		r.Batches = PairSizes(r.Infer)
	}
	return r, nil
}

// ErrReplayedPair: a file of measurements covers only one job.
var ErrReplayedPair = fmt.Errorf("%w: a replay answers for one workload: a pair runs on a Jetson or a virtual board",
	tegra.ErrUnsupported)

// mayPair refuses jobs that cannot share this board's GPU.
func mayPair(s *session.Session, r Request) error {
	if s.Replays() {
		return ErrReplayedPair
	}
	if why := (workload.Pair{Train: r.Train, Infer: r.Infer}).Fault(); why != "" {
		return usage.Errorf("%s", why)
	}
	for _, w := range []workload.Workload{r.Train, r.Infer} {
		if err := workloads.CanRun(s, w); err != nil {
			return err
		}
	}
	return pairFits(s, r)
}

// pairFits refuses two jobs that together need more memory than is free. If there are several batch sizes, the smallest
// must fit; fitting removes the others that do not.
func pairFits(s *session.Session, r Request) error {
	r.Infer.Batch = slices.Min(r.sizes())
	return readiness.PairFits(s, r.Train, r.Infer)
}

// fitting removes the batch sizes that do not fit in memory with the training.
func (r *Request) fitting(s *session.Session) {
	if r.At != nil {
		return
	}
	r.Batches = slices.DeleteFunc(slices.Clone(r.Batches), func(size int) bool {
		infer := r.Infer
		infer.Batch = size
		return readiness.PairFits(s, r.Train, infer) != nil
	})
}

// Refused returns why the present board would not run the workloads of two models together, by the same rule as Search;
// nil if it would, or if the models belong to another board or to unknown workloads.
func Refused(o session.Options, train, infer *learn.Model) error {
	s, err := session.Open(o)
	if err != nil {
		return nil
	}
	defer s.Close()
	var jobs [2]workload.Workload
	for i, m := range []*learn.Model{train, infer} {
		from := m.Provenance
		if from.Device != s.Device.Board().Name || from.Virtual != s.Device.Board().Virtual || s.Replays() {
			return nil
		}
		if jobs[i], err = workloads.FindAny(s, from.Workload); err != nil {
			return nil
		}
		jobs[i] = jobs[i].AtBatch(cmp.Or(m.Batch, from.Batch))
	}
	return pairFits(s, Request{Train: jobs[0], Infer: jobs[1], Batches: tegra.Among(infer.Batches)})
}
