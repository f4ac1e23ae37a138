package session

import (
	"fmt"

	"jtune/profiles/record"
	"jtune/profiles/workload"
	"jtune/tegra"
)

// PairJobs are two workloads by their names, and the batch sizes of the inference to choose among.
func (s *Session) PairJobs(train, infer string) (r PairSearch, err error) {
	if s.replays() {
		return r, ErrReplayedPair
	}
	if r.Train, err = s.findWorkload(train); err != nil {
		return r, err
	}
	if r.Infer, r.Batches, err = s.SizedWorkload(infer); err != nil {
		return r, err
	}
	if r.Batches == nil && len(s.Batches) == 0 {
		r.Batches = PairSizes(r.Infer)
	}
	return r, nil
}

// ErrReplayedPair: a file of measurements is of one job.
var ErrReplayedPair = fmt.Errorf("%w: a replay answers for one workload: a pair runs on a Jetson or a virtual board",
	tegra.ErrUnsupported)

// mayPair refuses what cannot share this board's GPU.
func (s *Session) mayPair(r PairSearch) error {
	if s.replays() {
		return ErrReplayedPair
	}
	if why := (workload.Pair{Train: r.Train, Infer: r.Infer}).Fault(); why != "" {
		return fmt.Errorf("%w: %s", ErrUsage, why)
	}
	for _, w := range []workload.Workload{r.Train, r.Infer} {
		if err := s.canRun(w); err != nil {
			return err
		}
	}
	return s.pairFits(r)
}

// pairFits refuses two jobs that need more memory together than is free, by what their records show.
func (s *Session) pairFits(r PairSearch) error {
	now, err := s.Device.Read()
	if err != nil || !now.RAMUsed.OK || !now.RAMTotal.OK {
		return nil // a board without the reading is asked for nothing
	}
	const mb = 1e6
	used, total := float64(now.RAMUsed.V)/mb, float64(now.RAMTotal.V)/mb
	train, infer := s.ownMB(r.Train, used), s.ownMB(r.Infer, used)
	if free := total - used; train+infer > free {
		return fmt.Errorf("%w: %s needs %.0f MB and %s %.0f MB by their records, %.0f MB of %.0f are free: "+
			"did not run (DNR)", tegra.ErrUnsupported, r.Train.Name, train, r.Infer.Name, infer, free, total)
	}
	return nil
}

// ownMB is the memory that a workload took in its records, above what the board uses now; 0 where none says it.
func (s *Session) ownMB(w workload.Workload, usedMB float64) float64 {
	list, err := s.Options.Campaigns()
	if err != nil {
		return 0
	}
	most := 0.0
	for _, c := range list {
		if c.Err != nil || c.Board() != s.board() || c.Header.Workload.Fingerprint("") != w.Fingerprint("") ||
			c.Header.Pair != nil {
			continue
		}
		runs, _, err := record.ReadRuns(c.Dir)
		if err != nil {
			continue
		}
		for _, run := range runs {
			most = max(most, run.Character.All.RAMBytes.Or(0)/1e6-usedMB)
		}
	}
	return most
}
