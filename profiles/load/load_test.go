package load

import (
	"context"
	"errors"
	"math"
	"os"
	"os/exec"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"jtune/internal/arrivals"
	"jtune/internal/must"
	"jtune/tegra"
)

const msec = time.Millisecond

// request is one that was answered: when it was due, when it was sent, and when its answer came.
type request struct{ due, start, end time.Duration }

func (r request) latency() time.Duration { return r.end - r.due }

// oneServer answers one request at a time, and keeps when.
type oneServer struct {
	turn    chan struct{} // a mutex would stop the clock of the bubble
	service time.Duration
	stalls  int // the request that takes a second more

	clock    tegra.Clock
	mu       sync.Mutex
	answered map[int]request
}

func newServer(service time.Duration) *oneServer {
	return &oneServer{turn: make(chan struct{}, 1), service: service, clock: tegra.RealClock(),
		answered: map[int]request{}}
}

func (s *oneServer) answer(_ context.Context, number int, due time.Duration) {
	r := request{due: due, start: s.clock.Now()}
	s.turn <- struct{}{}
	time.Sleep(s.service)
	if s.stalls > 0 && number == s.stalls {
		time.Sleep(time.Second)
	}
	<-s.turn
	r.end = s.clock.Now()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.answered[number] = r
}

// perS is the rate of answers, from begun to the last of them.
func (s *oneServer) perS(begun time.Duration) float64 {
	var last time.Duration
	for _, r := range s.answered {
		last = max(last, r.end)
	}
	return float64(len(s.answered)) / (last - begun).Seconds()
}

// lateMS is how late the requests were sent in the mean.
func (s *oneServer) lateMS() float64 {
	sum := time.Duration(0)
	for _, r := range s.answered {
		sum += r.start - r.due
	}
	return float64(sum) / float64(len(s.answered)) / float64(time.Millisecond)
}

func open(p arrivals.Pattern, rate float64) arrivals.Load {
	return arrivals.Load{Pattern: p, RatePerS: rate}
}

// In a bubble of testing/synctest the machine's clock stands still while anything runs, so each
// request must be sent exactly at its scheduled time.
func TestSendKeepsTheScheduleOf500PerSecondWhileTheServerStalls(t *testing.T) {
	for _, pattern := range []arrivals.Pattern{arrivals.Uniform, arrivals.Poisson} {
		synctest.Test(t, func(t *testing.T) {
			const rate, span, stall = 500.0, 20 * time.Second, 2500
			l := open(pattern, rate)
			server := newServer(msec)
			server.stalls = stall
			begun := server.clock.Now()
			must.NoError(t, Send(t.Context(), Options{Load: l, For: span, Seed: 1}, server.answer))
			times := l.Times(1, begun)
			slow := 0
			for n := range len(server.answered) {
				r := server.answered[n]
				if want := times.Next(); r.due != want || r.start != want {
					t.Fatalf("%s request %d was due at %v and sent at %v, want %v", pattern, n, r.due, r.start, want)
				}
				if r.latency() > 500*msec {
					slow++
				}
			}
			if next := times.Next(); next-begun < span {
				t.Errorf("%s: request %d, at %v, was not sent", pattern, len(server.answered), next)
			}
			// The server works at half of its capacity. Those that came in the first half of the stall, and those
			// behind them in the queue, waited for more than half a second: 500 of the uniform ones.
			if slow < 400 || slow > 600 {
				t.Errorf("%s: %d requests waited for 0.5 s or more", pattern, slow)
			}
			if pattern == arrivals.Uniform {
				if got := server.perS(begun); math.Abs(got/rate-1) > 0.005 {
					t.Errorf("uniform: %v served per second", got)
				}
			}
		})
	}
}

func TestSendInAClosedLoopWaitsForAnswers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		most, now, sent := 0, 0, 0
		var mu sync.Mutex
		do := func(context.Context, int, time.Duration) {
			mu.Lock()
			now++
			sent++
			most = max(most, now)
			mu.Unlock()
			time.Sleep(40 * msec)
			mu.Lock()
			now--
			mu.Unlock()
		}
		err := Send(t.Context(), Options{Load: arrivals.Load{Outstanding: 4}, For: 400 * msec}, do)
		if err != nil || sent != 40 || most != 4 {
			t.Fatalf("%d requests, at most %d at a time, %v", sent, most, err)
		}
	})
}

func TestSendEndsWhenTheServerDoesNotFollow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hang := func(ctx context.Context, _ int, _ time.Duration) { <-ctx.Done() }
		err := Send(t.Context(), Options{Load: open(arrivals.Poisson, 1000), For: time.Hour}, hang)
		if !errors.Is(err, ErrOverloaded) {
			t.Error(err)
		}
	})
}

func TestSendStopsWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		for _, l := range []arrivals.Load{open(arrivals.Uniform, 10), {Outstanding: 2}} {
			err := Send(ctx, Options{Load: l, For: time.Hour}, newServer(msec).answer)
			if !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("%v: %v", l, err)
			}
		}
	})
}

func TestOptionsWithoutAnEndAreRefused(t *testing.T) {
	t.Parallel()
	for _, o := range []Options{{}, {For: time.Second, Load: open(arrivals.Poisson, -1)}} {
		if err := Send(t.Context(), o, nil); err == nil {
			t.Errorf("Send takes %+v", o)
		}
	}
}

// delayed is a clock on which every sleep lasts longer by a fixed time.
type delayed struct {
	tegra.Clock
	by time.Duration
}

func (c delayed) Sleep(ctx context.Context, d time.Duration) error {
	return c.Clock.Sleep(ctx, max(0, d)+c.by)
}

func TestLoadMarksRequestsThatTheGeneratorSentLate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, c := range []struct {
			by   time.Duration
			want bool
		}{{50 * time.Microsecond, false}, {200 * time.Microsecond, true}} { // 1 % of 10 ms is 100 µs
			server := newServer(0)
			o := Options{Load: open(arrivals.Uniform, 100), For: 500 * msec, Clock: delayed{tegra.RealClock(), c.by}}
			err := Send(t.Context(), o, server.answer)
			if marked := Late(server.lateMS(), 100); err != nil || marked != c.want {
				t.Errorf("Send late by %v: marked %v, mean %v ms, %v", c.by, marked, server.lateMS(), err)
			}
		}
	})
}

// The same in real time, while all cores are busy. How late the requests are sent is measured and
// shown; that they are marked as late is then right.
func TestSendKeepsTheRateOnABusyMachine(t *testing.T) {
	if os.Getenv("JTUNE_LONG") == "" {
		t.Skip("takes two minutes; JTUNE_LONG=1 does")
	}
	for range 4 {
		busy := exec.Command("sh", "-c", "while :; do :; done")
		must.NoError(t, busy.Start())
		defer busy.Wait()
		defer busy.Process.Kill()
	}
	for _, pattern := range []arrivals.Pattern{arrivals.Uniform, arrivals.Poisson} {
		const rate = 500.0
		l, span := open(pattern, rate), time.Minute
		server := newServer(0)
		begun := server.clock.Now()
		err := Send(t.Context(), Options{Load: l, For: span, Seed: 2}, server.answer)
		must.NoError(t, err)
		scheduled, times := 0, l.Times(2, 0)
		for times.Next() < span {
			scheduled++
		}
		if got := server.perS(begun) * span.Seconds() / float64(scheduled); math.Abs(got-1) > 0.005 {
			t.Errorf("%s: %v of the scheduled rate", pattern, got)
		}
		t.Logf("%s: %d requests, sent %.3f ms late in the mean, marked %v", pattern, len(server.answered),
			server.lateMS(), Late(server.lateMS(), rate))
	}
}
