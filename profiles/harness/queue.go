package harness

import (
	"runtime"
	"sync"
)

// queueLen is how many events wait for their reader. A job that floods loses
// the oldest: it is never slowed down by its reader, and memory is bounded.
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

// put adds an event. Who waits for it hears of it by tell: events that came
// together are taken together. When they are very many it lets their reader
// run in between, which may have no other thread (GOMAXPROCS 1).
func (q *queue) put(e Event) {
	if q.add(e)%(queueLen/4) == 0 {
		q.tell()
		runtime.Gosched()
	}
}

// add tells how many events wait now.
func (q *queue) add(e Event) int {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.n == queueLen {
		q.head = (q.head + 1) % queueLen
		q.n--
		q.dropped++
	}
	q.ring[(q.head+q.n)%queueLen] = e
	q.n++
	return q.n
}

// tell wakes who waits, if there is something to take.
func (q *queue) tell() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.signal()
}

// close says how the job ended; only the first call counts.
func (q *queue) close(err error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.end == nil {
		q.end = err
	}
	q.signal()
}

// take gives the next event, or how the job ended; false when neither is here.
func (q *queue) take() (Event, error, bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.n > 0 {
		e := q.ring[q.head]
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
