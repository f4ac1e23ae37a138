package harness

import (
	"cmp"
	"time"
)

// stretch is how many times as long as expected, or as the longest so far, a minibatch may take before its job counts
// as hung: the first one of a job chooses its kernels, the first one in a power mode is slow too.
const stretch = 5

// Expecting is a harness that can be told how long minibatches take from now on, so that a slow one is not taken for a
// job that hangs.
type Expecting interface {
	// Expect sets the time of a minibatch; 0: unknown.
	Expect(minibatch time.Duration)
}

var (
	_ Expecting = (*job)(nil)
	_ Expecting = (*simulated)(nil)
)

// silence is how long a job may print nothing.
type silence struct {
	start    time.Duration // at least, before its first minibatch
	limit    time.Duration // at least, from then on
	expected time.Duration // of a minibatch; 0: unknown
	longest  time.Duration // minibatch since then
}

func silenceOf(start, limit time.Duration) silence {
	limit = cmp.Or(limit, DefaultSilence)
	return silence{start: max(start, limit), limit: limit}
}

func (s *silence) expect(minibatch time.Duration) { s.expected, s.longest = minibatch, 0 }

// saw takes note of a minibatch, which did not take longer than the time since the event before it.
func (s *silence) saw(e Event, since time.Duration) {
	if e.Timed() {
		s.start = 0
		s.longest = max(s.longest, min(since, time.Duration(e.TimeMS*float64(time.Millisecond))))
	}
}

// most is how long the job may be silent now.
func (s silence) most() time.Duration {
	return max(s.start, s.limit, stretch*max(s.expected, s.longest))
}
