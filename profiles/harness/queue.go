package harness

import (
	"context"
	"runtime"
	"sync"

	"jtune/profiles/harness/pipe"
)

// queueLen is the number of events that can wait. A job that floods the queue loses the oldest: its reader never slows
// it down, and memory is bounded. An event takes two bytes at least, see handOver.
const queueLen = pipe.Chunk

// Queue passes events from the readers of a job to its Next. It drops the oldest when Next falls behind.
type Queue struct {
	events chan Event // closed after the last one
	end    error      // how the job ended, once events is closed

	mu      sync.Mutex // for Put
	dropped int
}

// NewQueue returns an empty queue.
func NewQueue() *Queue { return &Queue{events: make(chan Event, queueLen)} }

// Put adds an event.
func (q *Queue) Put(e Event) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for {
		select {
		case q.events <- e:
			return
		default:
		}
		select {
		case <-q.events:
			q.dropped++
		default: // Next took one in between
		}
	}
}

// handOver lets Next run when many events wait, for as long as Next takes some. The job's reader calls it between two
// reads of its output. While a mode is measured all goroutines share one thread (internal/cpubudget), which a reader of
// a long burst would keep until the queue overflows; one read brings at most half a queue of events. Other goroutines
// and the garbage collector may get the thread first, so Next gets a few turns before it counts as busy elsewhere.
func (q *Queue) handOver() {
	const turns = 16
	waiting := len(q.events)
	for idle := 0; waiting >= queueLen/4 && idle < turns; idle++ {
		runtime.Gosched()
		if left := len(q.events); left < waiting {
			waiting, idle = left, 0
		}
	}
}

// Close sets the error after the last event. Put must not be called afterwards.
func (q *Queue) Close(err error) {
	q.end = err
	close(q.events)
}

// Next waits for the next event. After the last one it returns the error of Close.
func (q *Queue) Next(ctx context.Context) (Event, error) {
	select {
	case e, ok := <-q.events:
		return q.taken(e, ok)
	case <-ctx.Done():
		return Event{}, ctx.Err()
	}
}

// taken returns an event as received, or the end of the job.
func (q *Queue) taken(e Event, ok bool) (Event, error) {
	if !ok {
		return Event{}, q.end
	}
	return e, nil
}
