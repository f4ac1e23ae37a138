package profiles

import (
	"sync"
	"time"

	"jtune/telemetry"
)

// sampleQueue holds samples of the device in order of time until they are popped. Samples are
// pushed and popped by different goroutines.
type sampleQueue struct {
	mu      sync.Mutex
	waiting []telemetry.Sample
}

func (b *sampleQueue) push(s telemetry.Sample) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.waiting = append(b.waiting, s)
}

// popUntil takes the samples up to now out of those that wait.
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
