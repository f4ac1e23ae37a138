package profiles

import (
	"sync"
	"time"

	"jtune/telemetry"
)

// sampleQueue holds samples of the device in order of time until they are popped. Pushing and popping may happen on
// different goroutines.
type sampleQueue struct {
	mu      sync.Mutex
	waiting []telemetry.Sample
}

func (b *sampleQueue) push(s telemetry.Sample) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.waiting = append(b.waiting, s)
}

// popUntil removes and returns the samples up to now.
func (b *sampleQueue) popUntil(now time.Duration) []telemetry.Sample {
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
