package pair

import (
	"fmt"

	"jtune/internal/usage"
	"jtune/profiles/record"
	"jtune/profiles/workload"
	"jtune/tegra"
	"jtune/tegra/virtual"
	"jtune/tui/session"
	"jtune/tui/session/campaigns"
	"jtune/tui/session/models"
	"jtune/tui/session/workloads"
)

// PairJobs are two workloads by their names, and the batch sizes of the inference to choose among.
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

// ErrReplayedPair: a file of measurements is of one job.
var ErrReplayedPair = fmt.Errorf("%w: a replay answers for one workload: a pair runs on a Jetson or a virtual board",
	tegra.ErrUnsupported)

// mayPair refuses what cannot share this board's GPU.
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

// pairFits refuses two jobs that need more memory together than is free: by what each took in its records, else by what
// is known of built-in networks.
func pairFits(s *session.Session, r Request) error {
	now, err := s.Device.Read()
	free := workloads.FreeMemory(now)
	if err != nil || !free.OK {
		return nil // a board without the reading is asked for nothing
	}
	used, total, left := float64(now.RAMUsed.V)/mega, float64(now.RAMTotal.V)/mega, float64(free.V)/mega
	train, trainHow := needsMB(s, r.Train, used)
	infer, inferHow := needsMB(s, r.Infer, used)
	if train+infer <= left {
		return nil
	}
	return fmt.Errorf("%w: %s needs %s and %s %s of memory, %.0f MB of the %.0f MB of %s are free: did not run (DNR): "+
		"end other programs, or take smaller jobs; jtune run measures what each needs alone", tegra.ErrUnsupported,
		r.Train.Name, trainHow, r.Infer.Name, inferHow, left, total, s.Device.Board().Name)
}

const mega = 1e6

// needsMB is the memory that a workload takes, and how that is known; 0 where it is not.
func needsMB(s *session.Session, w workload.Workload, usedMB float64) (need float64, how string) {
	how = "by its records"
	if need = recordedMB(s, w, usedMB); need == 0 {
		need, how = 1000*virtual.NeedsGB(w.SimulatedName()), "estimated"
	}
	if need == 0 {
		return 0, "an unknown amount"
	}
	return need, fmt.Sprintf("%.0f MB (%s)", need, how)
}

// recordedMB is the memory that a workload took in its records, above what the board uses now; 0 where none says it.
func recordedMB(s *session.Session, w workload.Workload, usedMB float64) float64 {
	list, err := campaigns.List(s.Options.Paths)
	if err != nil {
		return 0
	}
	most := 0.0
	for _, c := range list {
		if c.Err != nil || models.Board(c) != s.Board() || c.Header.Workload.Fingerprint("") != w.Fingerprint("") ||
			c.Header.Pair != nil {
			continue
		}
		runs, _, err := record.ReadRuns(c.Dir)
		if err != nil {
			continue
		}
		for _, run := range runs {
			most = max(most, run.Character.All.RAMBytes.Or(0)/mega-usedMB)
		}
	}
	return most
}
