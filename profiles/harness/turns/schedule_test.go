package turns

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"jtune/internal/arrivals"
	"jtune/profiles/harness"
)

// slowFloor is a floor without processes on a machine so busy that a millisecond passes between two readings of its
// clock. Its jobs take 5 ms for each turn and fetch their data in up to 200 ms, longer each time.
type slowFloor struct {
	t     *testing.T
	at    time.Duration
	deeds []deed
	last  [2]int // turn after which a job asks for no other; 0: none
	begun [2]int
}

var _ floor = (*slowFloor)(nil)

func (f *slowFloor) now() time.Duration {
	f.at += time.Millisecond
	return f.at
}

func (f *slowFloor) begin(job, _ int) error {
	f.begun[job]++
	turn := f.at + 5*time.Millisecond
	f.deeds = append(f.deeds, deed{job: job, what: done, at: turn})
	if f.last[job] == 0 || f.begun[job] < f.last[job] {
		fetch := time.Duration(f.begun[job]) * 700 * time.Microsecond % (200 * time.Millisecond)
		f.deeds = append(f.deeds, deed{job: job, what: wants, at: turn + fetch})
	}
	return nil
}

func (f *slowFloor) wait(_ context.Context, until time.Duration) (deed, error) {
	slices.SortStableFunc(f.deeds, func(a, b deed) int { return cmp.Compare(a.at, b.at) })
	if len(f.deeds) == 0 || until < f.deeds[0].at {
		if until == arrivals.Never {
			return deed{}, errors.New("waits without a deadline")
		}
		f.at = max(f.at, until)
		return deed{what: nothing, at: f.at}, nil
	}
	d := f.deeds[0]
	f.deeds = f.deeds[1:]
	f.at = max(f.at, d.at)
	return d, nil
}

func (f *slowFloor) wake()                                       {}
func (f *slowFloor) took(int, time.Duration)                     {}
func (f *slowFloor) end(_ context.Context, _ int, e error) error { return e }
func (f *slowFloor) stop(context.Context)                        {}

// slowScheduler has two jobs that want a turn, and requests at 8/s.
func slowScheduler(f *slowFloor, turns arrivals.Turns) (*scheduler, *[]harness.Event) {
	f.deeds = []deed{{job: trains, what: wants}, {job: serves, what: wants}}
	var events []harness.Event
	s := &scheduler{floor: f, emit: func(e harness.Event) { events = append(events, e) }, o: Options{
		Names: [2]string{"a", "b"}, Turns: turns, Batch: 1,
		Load: arrivals.Load{Pattern: arrivals.Uniform, RatePerS: 8}}}
	for i := range s.seats {
		s.seats[i].first = time.Minute
	}
	s.share(Together)
	return s, &events
}

// A request may arrive at any moment between two readings of the clock: the wait ends then.
func TestSchedulerAwaitsABatchThatFallsDueWhileItGrantsTurns(t *testing.T) {
	for _, turns := range []arrivals.Turns{{Fill: true}, {Tau: 1}} {
		for _, part := range []Part{Together, ServeLoad} {
			f := &slowFloor{t: t}
			s, _ := slowScheduler(f, turns)
			s.share(part)
			for f.begun[serves] < 2000 {
				begun := f.begun[serves]
				if err := s.step(t.Context()); err != nil {
					t.Fatalf("%+v, part %d, after %d batches: %v", turns, part, begun, err)
				}
				if late := s.seats[serves].late; f.begun[serves] > begun && late > 20*time.Millisecond {
					t.Fatalf("%+v, part %d: batch %d is %v late", turns, part, begun, late)
				}
			}
		}
	}
}

func TestSchedulerEndsAJobThatAsksForNoOtherTurn(t *testing.T) {
	for job := range jobNames {
		f := &slowFloor{t: t}
		f.last[job] = 7
		s, events := slowScheduler(f, arrivals.Turns{Fill: true})
		for s.seats[job].state != gone && f.at < time.Hour {
			if err := s.step(t.Context()); err != nil {
				t.Fatalf("%s job, after %v: %v", jobNames[job], f.at, err)
			}
		}
		last := (*events)[len(*events)-1]
		if last.Kind != harness.Gone || last.Job != jobNames[job] || f.at > 70*time.Second ||
			!strings.Contains(last.Message, "has not asked for a turn in 60 s, since its last one") {
			t.Errorf("%s job, after %v: %+v", jobNames[job], f.at, last)
		}
		if f.begun[job] != 7 || f.begun[1-job] < 20 {
			t.Errorf("%s job: %v turns", jobNames[job], f.begun)
		}
	}
}
