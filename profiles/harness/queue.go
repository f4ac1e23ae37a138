package harness

import (
	"runtime"
	"sync"
)

// queueLen is the number of events that can wait. A job that floods the queue loses the oldest:
// its reader never slows it down, and memory is bounded.
const queueLen = 4096

// queue hands events from the job's reader to Next.
type queue struct {
	mu      sync.Mutex
	ring    [queueLen]Event
	head    int // the oldest
	n       int
	end     error // after the last event; nil while more may come
	dropped int
	ready   chan struct{} // holds a token while something can be taken
}

func newQueue() *queue { return &queue{ready: make(chan struct{}, 1)} }

// put adds an event. Next is woken by wake or handOver, so that events that came together are
// taken together.
func (q *queue) put(e Event) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.n == queueLen {
		q.head = (q.head + 1) % queueLen
		q.n--
		q.dropped++
	}
	q.ring[(q.head+q.n)%queueLen] = e
	q.n++
}

// handOver is called by the job's reader between two reads of its output: it
// wakes Next, and lets it run first when many events wait, for as long as it
// takes some. While a mode is measured all goroutines share one thread
// (internal/cpubudget), which a reader of a long burst would keep until the queue
// runs over: one read brings at most half a queue of events.
func (q *queue) handOver() {
	for waiting := q.wake(); waiting >= queueLen/4; {
		runtime.Gosched()
		left := q.wake()
		if left >= waiting {
			return
		}
		waiting = left
	}
}

// wake wakes Next if there is something to take. It returns the number of waiting events.
func (q *queue) wake() (waiting int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.signal()
	return q.n
}

// close sets the error after the last event; only the first call counts.
func (q *queue) close(err error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.end == nil {
		q.end = err
	}
	q.signal()
}

// take returns the next event, or the end of the job; ok is false when there is neither.
func (q *queue) take() (e Event, err error, ok bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.n > 0 {
		e = q.ring[q.head]
		q.ring[q.head] = Event{}
		q.head = (q.head + 1) % queueLen
		q.n--
		q.signal()
		return e, nil, true
	}
	if q.end != nil {
		q.signal()
		return Event{}, q.end, true
	}
	return Event{}, nil, false
}

// signal needs q.mu.
func (q *queue) signal() {
	if q.n == 0 && q.end == nil {
		return
	}
	select {
	case q.ready <- struct{}{}:
	default:
	}
}
