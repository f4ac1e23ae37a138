package arrivals

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

const msec = time.Millisecond

// trace returns a load with arrivals in milliseconds.
func trace(ms ...float64) Load {
	var times []float64
	for _, v := range ms {
		times = append(times, v/1000)
	}
	l, _ := Recorded(times)
	return l
}

func ExampleQueue() {
	q := NewQueue(Load{Pattern: Uniform, RatePerS: 100}, Batching{Size: 4, MaxWait: 25 * time.Millisecond}, 1, 0)
	due := q.Due()
	number, arrived := q.Take(due)
	fmt.Println(due, number, len(arrived), q.Due())
	// Output: 25ms 0 3 55ms
}

func TestQueueIsDueWithTheLastOfABatchOrTheWaitOfTheFirst(t *testing.T) {
	t.Parallel()
	l := trace(0, 10, 20, 100, 200)
	for _, c := range []struct {
		name string
		b    Batching
		due  time.Duration
		n    int
	}{
		{"one by one", Batching{}, 0, 1},
		{"a full batch", Batching{Size: 3}, 20 * msec, 3},
		{"the maximal wait is over first", Batching{Size: 4, MaxWait: 50 * msec}, 50 * msec, 3},
		{"full before the maximal wait", Batching{Size: 2, MaxWait: 50 * msec}, 10 * msec, 2},
	} {
		q := NewQueue(l, c.b, 0, time.Second)
		due := q.Due()
		_, arrived := q.Take(due)
		if due != time.Second+c.due || len(arrived) != c.n {
			t.Errorf("%s: due at %v with %d requests, want %v with %d", c.name, due, len(arrived), c.due, c.n)
		}
	}
}

func TestQueueOfAClosedLoopHoldsWhatWasAnswered(t *testing.T) {
	t.Parallel()
	q := NewQueue(Load{Outstanding: 3}, Batching{Size: 2}, 0, 0)
	_, first := q.Take(0)
	q.Answered(len(first), 7*msec)
	number, second := q.Take(7 * msec)
	if len(first) != 2 || number != 2 || !slices.Equal(second, []time.Duration{0, 7 * msec}) || q.waiting(7*msec) != 1 {
		t.Errorf("first %v, then number %d %v, %d wait", first, number, second, q.waiting(7*msec))
	}
	q.Take(7 * msec)
	if q.Due() != Never {
		t.Error("a queue without requests is due")
	}
	few := NewQueue(Load{Outstanding: 2}, Batching{Size: 8}, 0, 5*msec)
	if due := few.Due(); due != 5*msec {
		t.Errorf("a batch that can never fill is due at %v", due)
	}
}

// In every queue, at every time, each request is served once and in order, never before it arrives, and no batch is too
// large.
func TestQueueServesEachRequestOnce(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(3, 4))
	for range 200 {
		l := Load{Pattern: Poisson, RatePerS: 1 + 1000*rng.Float64()}
		b := Batching{Size: rng.IntN(9), MaxWait: time.Duration(rng.IntN(3)) * 7 * msec}
		q, times := NewQueue(l, b, 9, 0), l.Times(9, 0)
		now, served := time.Duration(0), 0
		for range 100 {
			now = max(now+time.Duration(rng.IntN(20))*msec, q.Due())
			waiting := q.waiting(now)
			number, arrived := q.Take(now)
			if number != served || len(arrived) == 0 || len(arrived) > max(1, b.Size) || waiting < len(arrived) ||
				q.waiting(now) != waiting-len(arrived) {
				t.Fatalf("%v: number %d of %d served, a batch of %d of %d that wait", b, number, served,
					len(arrived), waiting)
			}
			for _, at := range arrived {
				if want := times.Next(); at != want || at > now {
					t.Fatalf("%v: an arrival at %v, want %v, now %v", b, at, want, now)
				}
			}
			served += len(arrived)
		}
	}
}

// waiting counts the requests that have arrived by now and are not taken.
func (q *Queue) waiting(now time.Duration) int {
	for q.times != nil && (len(q.next) == 0 || q.next[len(q.next)-1] <= now) {
		q.look(len(q.next) + 1)
	}
	n, _ := slices.BinarySearch(q.next, now+1)
	return n
}
