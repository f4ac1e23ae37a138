package load

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"jtune/internal/arrivals"
	"jtune/tegra"
)

// mostUnanswered is how many requests may wait for a server: one that is so far behind does not
// serve this rate, and each of them costs a connection.
const mostUnanswered = 4096

// ErrOverloaded: too many requests are unanswered.
var ErrOverloaded = errors.New("the server does not follow the rate")

// Options say what is sent. One of Requests and For must be given.
type Options struct {
	Load     arrivals.Load
	Requests int           // ends after so many; 0: no such end
	For      time.Duration // requests that arrive before this time has passed; 0: no such end
	Seed     uint64
	Clock    tegra.Clock // the machine's when nil
}

func (o *Options) prepare() error {
	if o.Clock == nil {
		o.Clock = tegra.RealClock()
	}
	if o.Requests <= 0 && o.For <= 0 {
		return errors.New("load: neither a number of requests nor a time is given")
	}
	return o.Load.Check()
}

// ended reports whether request number, of an arrival, is beyond the end.
func (o Options) ended(number int, since time.Duration) bool {
	return o.Requests > 0 && number >= o.Requests || o.For > 0 && since >= o.For
}

// Reply is what a server answered.
type Reply struct {
	First   time.Duration // by the clock: when the first token came; 0 where there is none of its own
	In, Out int           // tokens of the request and of the answer; 0 where there are none
}

// Request is one request that was answered, or was not.
type Request struct {
	Number int
	Arrive time.Duration // by the clock, as scheduled
	Start  time.Duration // sent to the server
	End    time.Duration
	Reply
	Err error // of a request that failed
}

// LatencyMS is from the scheduled arrival to the end, waiting included.
func (r Request) LatencyMS() float64 { return ms(r.End - r.Arrive) }

func ms(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// Send sends the requests of a load to a server, each by a call of do, which blocks until it is
// answered. It returns when all were. An error of do marks its request; ErrOverloaded, or the end of
// ctx, ends the load, with the requests that were answered so far.
func Send(ctx context.Context, o Options, do func(ctx context.Context, number int) (Reply, error)) (Result, error) {
	if err := o.prepare(); err != nil {
		return Result{}, err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	s := &sender{o: o, do: do, begun: o.Clock.Now()}
	var err error
	if o.Load.Open() {
		err = s.schedule(ctx)
	} else {
		s.loop(ctx)
	}
	if err != nil {
		cancel()
	}
	s.waiting.Wait()
	if err == nil {
		err = ctx.Err()
	}
	slices.SortFunc(s.done, func(a, b Request) int { return cmp.Compare(a.Number, b.Number) })
	return Result{Load: o.Load, Requests: s.done, Begun: s.begun, Ended: o.Clock.Now()}, err
}

type sender struct {
	o       Options
	do      func(ctx context.Context, number int) (Reply, error)
	begun   time.Duration
	waiting sync.WaitGroup

	mu         sync.Mutex
	done       []Request
	sent       int // of the closed loop
	unanswered int
}

// schedule sends the requests of an open loop when they are due.
func (s *sender) schedule(ctx context.Context) error {
	times := s.o.Load.Times(s.o.Seed, s.begun)
	for n := 0; ; n++ {
		at := times.Next()
		if s.o.ended(n, at-s.begun) {
			return nil
		}
		if err := s.o.Clock.Sleep(ctx, at-s.o.Clock.Now()); err != nil {
			return err
		}
		if behind := s.add(); behind > mostUnanswered {
			return fmt.Errorf("%w of %.4g requests per second: %d are unanswered", ErrOverloaded,
				s.o.Load.MeanRate(), behind)
		}
		s.waiting.Go(func() { s.request(ctx, n, at) })
	}
}

// loop sends the requests of a closed loop.
func (s *sender) loop(ctx context.Context) {
	for range min(max(1, s.o.Load.Outstanding), mostUnanswered) {
		s.waiting.Go(func() {
			for ctx.Err() == nil {
				n, now := s.next(), s.o.Clock.Now()
				if s.o.ended(n, now-s.begun) {
					return
				}
				s.add()
				s.request(ctx, n, now)
			}
		})
	}
}

func (s *sender) next() (number int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sent++
	return s.sent - 1
}

func (s *sender) add() (unanswered int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.unanswered++
	return s.unanswered
}

func (s *sender) request(ctx context.Context, number int, arrive time.Duration) {
	r := Request{Number: number, Arrive: arrive, Start: s.o.Clock.Now()}
	r.Reply, r.Err = s.do(ctx, number)
	r.End = s.o.Clock.Now()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.unanswered--
	if ctx.Err() == nil || r.Err == nil {
		s.done = append(s.done, r)
	}
}
