package load

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"os"
	"os/exec"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"jtune/internal/arrivals"
	"jtune/tegra"
)

const msec = time.Millisecond

// oneServer answers one request at a time.
type oneServer struct {
	turn    chan struct{} // a mutex would stop the clock of the bubble
	service time.Duration
	stalls  int // the request that takes a second more
}

func newServer(service time.Duration) *oneServer {
	return &oneServer{turn: make(chan struct{}, 1), service: service}
}

func (s *oneServer) answer(_ context.Context, number int) (Reply, error) {
	s.turn <- struct{}{}
	defer func() { <-s.turn }()
	time.Sleep(s.service)
	if s.stalls > 0 && number == s.stalls {
		time.Sleep(time.Second)
	}
	return Reply{}, nil
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
			r, err := Send(t.Context(), Options{Load: l, For: span, Seed: 1}, server.answer)
			if err != nil {
				t.Fatal(err)
			}
			times := l.Times(1, r.Begun)
			slow := 0
			for i, q := range r.Requests {
				if want := times.Next(); q.Number != i || q.Arrive != want || q.Start != want {
					t.Fatalf("%s request %d arrived at %v and was sent at %v, want %v", pattern, i, q.Arrive,
						q.Start, want)
				}
				if q.LatencyMS() > 500 {
					slow++
				}
			}
			if next := times.Next(); next-r.Begun < span {
				t.Errorf("%s: request %d, at %v, was not sent", pattern, len(r.Requests), next)
			}
			if r.LateMS() != 0 || r.Failed() != 0 {
				t.Errorf("%s: late %v ms, %d failed", pattern, r.LateMS(), r.Failed())
			}
			// The server works at half of its capacity. Those that came in the first half of the stall, and those
			// behind them in the queue, waited for more than half a second: 500 of the uniform ones.
			if slow < 400 || slow > 600 {
				t.Errorf("%s: %d requests waited for 0.5 s or more", pattern, slow)
			}
			if pattern == arrivals.Uniform {
				if got := r.ServedPerS(); math.Abs(got/rate-1) > 0.005 {
					t.Errorf("uniform: %v served per second", got)
				}
			}
		})
	}
}

func TestSendInAClosedLoopWaitsForAnswers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		most, now := 0, 0
		var mu sync.Mutex
		do := func(context.Context, int) (Reply, error) {
			mu.Lock()
			now++
			most = max(most, now)
			mu.Unlock()
			time.Sleep(40 * msec)
			mu.Lock()
			now--
			mu.Unlock()
			return Reply{Out: 7}, nil
		}
		r, err := Send(t.Context(), Options{Load: arrivals.Load{Outstanding: 4}, Requests: 40}, do)
		if err != nil || len(r.Requests) != 40 || most != 4 {
			t.Fatalf("%d requests, at most %d at a time, %v", len(r.Requests), most, err)
		}
		got := r.ServedPerS()
		if math.Abs(got-100) > 1e-6 || r.Latencies().Quantile(0.5).MS != 40 || r.Requests[3].Out != 7 {
			t.Errorf("%v served per second, %v", got, r.Latencies())
		}
	})
}

func TestSendEndsWhenTheServerDoesNotFollow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hang := func(ctx context.Context, _ int) (Reply, error) {
			<-ctx.Done()
			return Reply{}, ctx.Err()
		}
		r, err := Send(t.Context(), Options{Load: open(arrivals.Poisson, 1000), For: time.Hour}, hang)
		if !errors.Is(err, ErrOverloaded) || len(r.Requests) != 0 {
			t.Errorf("%d requests, %v", len(r.Requests), err)
		}
	})
}

func TestSendKeepsFailuresApart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		do := func(_ context.Context, n int) (Reply, error) {
			if n%3 == 0 {
				return Reply{}, errors.New("HTTP 500")
			}
			time.Sleep(5 * msec)
			return Reply{}, nil
		}
		r, err := Send(t.Context(), Options{Load: open(arrivals.Uniform, 100), Requests: 300}, do)
		if err != nil || r.Failed() != 100 || len(r.Latencies()) != 200 || r.Latencies()[0] != 5 {
			t.Errorf("%d failed, %d latencies, %v", r.Failed(), len(r.Latencies()), err)
		}
	})
}

func TestSendStopsWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		for _, l := range []arrivals.Load{open(arrivals.Uniform, 10), {Outstanding: 2}} {
			r, err := Send(ctx, Options{Load: l, For: time.Hour}, newServer(msec).answer)
			if !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("%v: %d requests, %v", l, len(r.Requests), err)
			}
		}
	})
}

func TestOptionsWithoutAnEndAreRefused(t *testing.T) {
	t.Parallel()
	for _, o := range []Options{{}, {Requests: 1, Load: open(arrivals.Poisson, -1)}} {
		if _, err := Send(t.Context(), o, nil); err == nil {
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

func TestResultIsMarkedWhenTheGeneratorWasLate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, c := range []struct {
			by   time.Duration
			want bool
		}{{50 * time.Microsecond, false}, {200 * time.Microsecond, true}} { // 1 % of 10 ms is 100 µs
			o := Options{Load: open(arrivals.Uniform, 100), Requests: 50, Clock: delayed{tegra.RealClock(), c.by}}
			sent, err := Send(t.Context(), o, func(context.Context, int) (Reply, error) { return Reply{}, nil })
			if marked := Late(sent.LateMS(), 100); err != nil || marked != c.want {
				t.Errorf("Send late by %v: marked %v, mean %v ms, %v", c.by, marked, sent.LateMS(), err)
			}
		}
	})
}

func TestQuantileWithoutEnoughRequestsIsMarked(t *testing.T) {
	t.Parallel()
	few, many := make([]float64, 999), make([]float64, 1000)
	for i := range many {
		many[i] = float64(len(many) - i)
	}
	copy(few, many)
	for _, c := range []struct {
		list       []float64
		q          float64
		text, json string
	}{
		{many, 0.99, "990", "990"},
		{few, 0.99, "~991", "null"},
		{few, 0.5, "501", "501"},
		{nil, 0.5, "-", "null"},
	} {
		got := NewLatencies(c.list).Quantile(c.q)
		if b, err := json.Marshal(got); got.String() != c.text || string(b) != c.json || err != nil {
			t.Errorf("%v of %d: %s, %s, %v", c.q, len(c.list), got, b, err)
		}
	}
}

// The same in real time, while all cores are busy. How late the requests are sent is measured and
// shown; that they are marked as late is then right.
func TestSendKeepsTheRateOnABusyMachine(t *testing.T) {
	if os.Getenv("JTUNE_LONG") == "" {
		t.Skip("takes two minutes; JTUNE_LONG=1 does")
	}
	for range 4 {
		busy := exec.Command("sh", "-c", "while :; do :; done")
		if err := busy.Start(); err != nil {
			t.Fatal(err)
		}
		defer busy.Wait()
		defer busy.Process.Kill()
	}
	for _, pattern := range []arrivals.Pattern{arrivals.Uniform, arrivals.Poisson} {
		const rate = 500.0
		l, span := open(pattern, rate), time.Minute
		r, err := Send(t.Context(), Options{Load: l, For: span, Seed: 2},
			func(context.Context, int) (Reply, error) { time.Sleep(msec); return Reply{}, nil })
		if err != nil {
			t.Fatal(err)
		}
		scheduled, times := 0, l.Times(2, 0)
		for times.Next() < span {
			scheduled++
		}
		if got := r.ServedPerS() * span.Seconds() / float64(scheduled); math.Abs(got-1) > 0.005 {
			t.Errorf("%s: %v of the scheduled rate", pattern, got)
		}
		t.Logf("%s: %d requests, sent %.3f ms late in the mean, marked %v; latency p50 %v p99 %v ms", pattern,
			len(r.Requests), r.LateMS(), Late(r.LateMS(), rate), r.Latencies().Quantile(0.5),
			r.Latencies().Quantile(0.99))
	}
}
