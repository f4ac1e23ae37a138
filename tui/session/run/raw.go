package run

import (
	"cmp"
	"sync"
	"time"

	"jtune/internal/text"
	"jtune/profiles"
	"jtune/profiles/harness"
	"jtune/profiles/record"
	"jtune/tegra"
	"jtune/telemetry"
	"jtune/tui/session/measure"
)

// mostRaw caps the minibatches and samples kept of a run: about 90 MB, four days of the fastest workload at 2
// minibatches a second.
const mostRaw = 1_000_000

// rawRun writes the minibatches and samples of a run to its folder. nil: there is no folder.
type rawRun struct {
	rec     *record.Record
	at      tegra.Setting
	settle  *profiles.Settle
	observe measure.Observer
	lines   int
	began   time.Duration // of the first minibatch
	begun   bool

	mu      sync.Mutex
	waiting []telemetry.Sample // until it is known when power settled
}

// sample adds a reading; safe from any goroutine.
func (r *rawRun) sample(s telemetry.Sample) {
	if r == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.waiting = append(r.waiting, s); len(r.waiting) > mostRaw {
		r.waiting = r.waiting[mostRaw/2:]
	}
}

// minibatch adds a minibatch; why is the reason that it does not count, "" if it counts.
func (r *rawRun) minibatch(e harness.Event, why string) {
	if r == nil {
		return
	}
	if !r.begun {
		r.begun, r.began = true, e.Began()
	}
	r.write(func() error { return r.rec.Minibatch(r.at, e, why) })
	if r.settle.Verdict() != telemetry.Settling {
		r.samples()
	}
}

// samples writes the waiting readings; those before power settled are marked invalid.
func (r *rawRun) samples() {
	if r == nil {
		return
	}
	r.mu.Lock()
	waiting := r.waiting
	r.waiting = nil
	r.mu.Unlock()
	for _, s := range waiting {
		if !r.begun || s.T < r.began {
			continue // the job is still loading
		}
		if r.settle.Verdict() == telemetry.Settling || s.T <= r.settle.At() {
			s.Valid, s.Why = false, cmp.Or(s.Why, record.WhySettling)
		}
		r.write(func() error { return r.rec.Sample(r.at, s) })
	}
}

// write writes a line unless there are too many or the disk is full.
func (r *rawRun) write(line func() error) {
	switch r.lines++; {
	case r.lines > mostRaw:
	case r.lines == mostRaw:
		r.observe.Note("the run is long: only its first " + text.Thousands(mostRaw) +
			" minibatches and samples are recorded")
	default:
		if err := line(); err != nil {
			r.lines = mostRaw
			r.observe.Note("minibatches and samples are no longer recorded: " + err.Error())
		}
	}
}
