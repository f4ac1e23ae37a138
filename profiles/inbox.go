package profiles

import (
	"sync"
	"time"

	"jtune/telemetry"
)

// inbox holds samples of the device until somebody comes for them. Samples are
// put in order of time, from another goroutine than takes them.
type inbox struct {
	mu      sync.Mutex
	waiting []telemetry.Sample
}

func (b *inbox) put(s telemetry.Sample) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.waiting = append(b.waiting, s)
}

// takeUpTo takes the samples up to now out of those that wait.
func (b *inbox) takeUpTo(now time.Duration) []telemetry.Sample {
	b.mu.Lock()
	defer b.mu.Unlock()
	n := 0
	for n < len(b.waiting) && b.waiting[n].T <= now {
		n++
	}
	out := b.waiting[:n:n]
	b.waiting = b.waiting[n:]
	return out
}
