package arrivals

import (
	"time"
)

// Never is later than any request.
const Never = time.Duration(1<<63 - 1)

// Batching decides which waiting requests are served together.
type Batching struct {
	Size int // requests of a full batch; 0 means 1
	// MaxWait is how long the first request of a batch waits for the others; 0: until the batch is full.
	MaxWait time.Duration
}

// Queue holds the requests of a load until they are served, in batches and in order of arrival. A batch is due when its
// last request arrives, or when its first has waited for Batching.MaxWait. A single server takes it when it is due and
// the server is free.
type Queue struct {
	batching Batching
	times    *Times          // nil: closed loop
	next     []time.Duration // arrivals not taken yet, as far as generated
	taken    int
}

// NewQueue starts the requests of a load at start.
func NewQueue(l Load, b Batching, seed uint64, start time.Duration) *Queue {
	b.Size = max(1, b.Size)
	q := &Queue{batching: b}
	if l.Open() {
		q.times = l.Times(seed, start)
		return q
	}
	for range min(max(1, l.Outstanding), max(b.Size, mostOutstanding)) {
		q.next = append(q.next, start)
	}
	return q
}

// mostOutstanding is the number of requests outstanding in an unbounded closed loop.
const mostOutstanding = 1024

// look generates arrivals until n are known, if there are that many.
func (q *Queue) look(n int) {
	for q.times != nil && len(q.next) < n {
		q.next = append(q.next, q.times.Next())
	}
}

// Due returns when the next batch may be served; Never if no request is left, as in a closed loop whose requests are
// all being served. In a closed loop a batch that can never fill is due at once.
func (q *Queue) Due() time.Duration {
	q.look(q.batching.Size)
	n := len(q.next)
	if n == 0 {
		return Never
	}
	full := q.next[min(q.batching.Size, n)-1]
	if q.batching.MaxWait > 0 {
		return min(full, q.next[0]+q.batching.MaxWait)
	}
	return full
}

// Take removes the batch to serve now and returns the arrival times of its requests: at most a full batch of those that
// have arrived. number is the number of its first request, from 0.
func (q *Queue) Take(now time.Duration) (number int, arrived []time.Duration) {
	q.look(q.batching.Size)
	n := 0
	for n < min(q.batching.Size, len(q.next)) && q.next[n] <= now {
		n++
	}
	number, arrived = q.taken, q.next[:n:n]
	q.next, q.taken = q.next[n:], q.taken+n
	return number, arrived
}

// Answered reports that n requests were answered: in a closed loop n new ones arrive.
func (q *Queue) Answered(n int, at time.Duration) {
	if q.times == nil {
		for range n {
			q.next = append(q.next, at)
		}
	}
}
