package readiness

import (
	"fmt"
	"slices"

	"jtune/profiles/record"
	"jtune/profiles/workload"
	"jtune/tegra"
	"jtune/tegra/virtual"
	"jtune/tui/session"
	"jtune/tui/session/campaigns"
)

// Memory is a board's memory in bytes while no job of jtune runs. Everything jtune says about what fits in memory and
// in the page cache follows from it and from the needs of jobs.
type Memory struct {
	Total int64
	Used  int64 // by the system and other programs, without the page cache
}

// memoryOf returns the memory of the machine on which a workload runs: the board, or this machine for jobs that a
// virtual board does not simulate; false if unknown.
func memoryOf(s *session.Session, w workload.Workload) (Memory, bool) {
	if s.Virtual != nil && s.Simulated(w) {
		m := s.Virtual.Memory()
		return Memory{Total: m.Total, Used: m.System}, true
	}
	r, err := machine(s)
	return Memory{Total: r.RAMTotal.V, Used: r.RAMUsed.V}, err == nil && r.RAMTotal.OK && r.RAMUsed.OK
}

// left returns what jobs with these needs leave for the page cache; negative if they do not fit.
func (m Memory) left(needs ...int64) int64 {
	left := m.Total - m.Used
	for _, n := range needs {
		left -= n
	}
	return left
}

// Need is the memory of a job at its batch size, and how that is known.
type Need struct {
	Bytes int64 // 0: unknown
	How   string
}

// String formats a need with its source.
func (n Need) String() string {
	if n.Bytes == 0 {
		return "an unknown amount"
	}
	return fmt.Sprintf("%.0f MB (%s)", float64(n.Bytes)/1e6, n.How)
}

// jobMemory returns what a job needs at its batch size: the simulation's figure on a board that simulates it, else that
// of its records at that size, else an estimate for the built-in network.
func jobMemory(s *session.Session, w workload.Workload, used int64) Need {
	if s.Simulated(w) {
		return Need{Bytes: s.Virtual.Needs(w.Name, w.Batch), How: "simulated"}
	}
	if most := recordedMemory(s, w, used); most > 0 {
		return Need{Bytes: most, How: "by its records"}
	}
	return Need{Bytes: virtual.Needs(w.SimulatedName(), w.Batch), How: "estimated"}
}

// recordedMemory returns the most memory that a workload took at its batch size in its newest records, as many as count
// for a model, beyond what the board uses now; 0 if unknown.
func recordedMemory(s *session.Session, w workload.Workload, used int64) int64 {
	list, err := campaigns.OnBoard(s.Options.Paths, s.Board())
	if err != nil {
		return 0
	}
	most, workload := int64(0), w.Fingerprint("")
	read := 0
	for _, c := range slices.Backward(list) {
		if c.Workload != workload ||
			c.Header.Pair != nil || c.Sizes != nil && !slices.Contains(c.Sizes, w.Batch) {
			continue
		}
		if read++; read > campaigns.MostOfSetting {
			break
		}
		runs, _, err := record.ReadRuns(c.Dir)
		if err != nil {
			continue
		}
		for _, run := range runs {
			if run.Character.Batch == w.Batch {
				most = max(most, int64(run.Character.All.RAMBytes.Or(0))-used)
			}
		}
	}
	return most
}

// PairFits refuses two jobs that together need more memory than the board has left.
func PairFits(s *session.Session, train, infer workload.Workload) error {
	m, ok := memoryOf(s, train)
	if !ok {
		return nil // no memory reading: no check
	}
	a, b := jobMemory(s, train, m.Used), jobMemory(s, infer, m.Used)
	if m.left(a.Bytes, b.Bytes) >= 0 {
		return nil
	}
	const mega = 1e6
	return fmt.Errorf("%w: %s needs %s and %s at batch size %d %s of memory, %.0f MB of the %.0f MB of %s are free: "+
		"did not run (DNR): end other programs, or take smaller jobs; jtune run measures what each needs alone",
		tegra.ErrUnsupported, train.Name, a, infer.Name, infer.Batch, b, float64(m.left())/mega,
		float64(m.Total)/mega, s.Device.Board().Name)
}

// machine reads the machine on which an unsimulated workload runs: with a virtual board, this machine.
func machine(s *session.Session) (tegra.Reading, error) {
	if s.Virtual == nil {
		return s.Device.Read()
	}
	h, err := tegra.OpenHost(tegra.DiskFS("/"), tegra.RealClock(), "", "")
	if err != nil {
		return tegra.Reading{}, err
	}
	defer h.Close()
	return h.Read()
}
