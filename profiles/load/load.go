package load

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"jtune/internal/arrivals"
	"jtune/tegra"
)

// mostUnanswered is how many requests may be outstanding: a server that is further behind cannot serve this rate, and
// each request costs a connection.
const mostUnanswered = 4096

// ErrOverloaded means that too many requests are unanswered.
var ErrOverloaded = errors.New("the server does not follow the rate")

// Options configure a load.
type Options struct {
	Load  arrivals.Load
	For   time.Duration // requests that arrive before this time has passed; required
	Seed  uint64
	Clock tegra.Clock // the machine's when nil
}

func (o *Options) prepare() error {
	if o.Clock == nil {
		o.Clock = tegra.RealClock()
	}
	if o.For <= 0 {
		return errors.New("load: no time is given")
	}
	return o.Load.Check()
}

// Do sends request number and blocks until it is answered. due is the scheduled arrival by the clock: in an open loop
// latency counts from there, whenever the request could be sent.
type Do func(ctx context.Context, number int, due time.Duration)

// Send sends the requests of a load to a server and returns when all are answered, or on ErrOverloaded or the end of
// ctx.
func Send(ctx context.Context, o Options, do Do) error {
	if err := o.prepare(); err != nil {
		return err
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
	return err
}

type sender struct {
	o          Options
	do         Do
	begun      time.Duration
	waiting    sync.WaitGroup
	sent       atomic.Int64 // of the closed loop
	unanswered atomic.Int64
}

// schedule sends the requests of an open loop when they are due.
func (s *sender) schedule(ctx context.Context) error {
	times := s.o.Load.Times(s.o.Seed, s.begun)
	for n := 0; ; n++ {
		at := times.Next()
		if at-s.begun >= s.o.For {
			return nil
		}
		if err := s.o.Clock.Sleep(ctx, at-s.o.Clock.Now()); err != nil {
			return err
		}
		if behind := s.unanswered.Add(1); behind > mostUnanswered {
			return fmt.Errorf("%w of %.4g requests per second: %d are unanswered", ErrOverloaded,
				s.o.Load.RatePerS, behind)
		}
		s.waiting.Go(func() {
			defer s.unanswered.Add(-1)
			s.do(ctx, n, at)
		})
	}
}

// loop sends the requests of a closed loop.
func (s *sender) loop(ctx context.Context) {
	for range min(max(1, s.o.Load.Outstanding), mostUnanswered) {
		s.waiting.Go(func() {
			for ctx.Err() == nil {
				number, now := s.sent.Add(1)-1, s.o.Clock.Now()
				if now-s.begun >= s.o.For {
					return
				}
				s.do(ctx, int(number), now)
			}
		})
	}
}

// mostLate is the mean delay of the generator, as a share of the interval between requests, above which a row is
// marked: its numbers then partly measure the generator.
const mostLate = 0.01

// Late reports whether requests were sent so late on average that their row must be marked.
func Late(meanMS, ratePerS float64) bool { return meanMS > mostLate*1000/ratePerS }
