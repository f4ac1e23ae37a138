package harness

import (
	"cmp"
	"time"
)

// stretch is how many times the expected or longest duration a minibatch may take before its job counts as hung: the
// first minibatch of a job selects its kernels, and the first one in a power mode is also slow.
const stretch = 5

// StartLimit is how long a command may run without a first step, unless the user says otherwise.
const StartLimit = 15 * time.Minute

// Expecting is a harness that can be told how long minibatches take from now on, so that a slow minibatch does not look
// like a hung job.
type Expecting interface {
	// Expect sets the time of a minibatch; 0: unknown.
	Expect(minibatch time.Duration)
}

var (
	_ Expecting = (*job)(nil)
	_ Expecting = (*simulated)(nil)
)

// silence computes how long a job may print nothing.
type silence struct {
	start    time.Duration // at least, before its first minibatch
	limit    time.Duration // at least, from then on
	expected time.Duration // of a minibatch; 0: unknown
	longest  time.Duration // longest minibatch since then
}

func silenceOf(start, limit time.Duration) silence {
	limit = cmp.Or(limit, DefaultSilence)
	return silence{start: max(start, limit), limit: limit}
}

func (s *silence) expect(minibatch time.Duration) { s.expected, s.longest = minibatch, 0 }

// saw notes a minibatch; it took at most the time since the previous event.
func (s *silence) saw(e Event, since time.Duration) {
	if e.Timed() {
		s.start = 0
		s.longest = max(s.longest, min(since, time.Duration(e.TimeMS*float64(time.Millisecond))))
	}
}

// most returns how long the job may be silent now.
func (s silence) most() time.Duration {
	return max(s.start, s.limit, stretch*max(s.expected, s.longest))
}
