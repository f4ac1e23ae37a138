package turns

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"math"
	"time"

	"jtune/internal/arrivals"
	"jtune/internal/stats"
	"jtune/internal/units"
	"jtune/profiles/harness"
	"jtune/tegra/virtual"
)

const (
	trains = 0
	serves = 1
)

var jobNames = [2]string{harness.JobTrain, harness.JobInfer}

// floor is where two jobs run: two processes with sockets, or a virtual board. Only the scheduler calls it.
type floor interface {
	now() time.Duration
	// begin gives the GPU for n units to a job that wants it.
	begin(job, n int) error
	// wait returns the next action of a job; at until, or when woken, it returns that nothing has happened.
	wait(ctx context.Context, until time.Duration) (deed, error)
	wake() // may be called by other goroutines
	// took notes that a job has given back the GPU after a turn of that length.
	took(job int, turn time.Duration)
	// end ends a job that cannot continue. It returns the reason once the job no longer uses the GPU.
	end(ctx context.Context, job int, err error) error
	stop(ctx context.Context)
}

// deed is an action of a job.
type deed struct {
	job  int
	what act
	at   time.Duration
	err  error // of gone
}

type act int

const (
	nothing act = iota
	wants       // a turn
	done        // with its turn
	gone
)

// Limits of how long a job may keep its turn.
const (
	patienceTurns = 10               // times its median turn
	leastPatience = 15 * time.Second // a machine that swaps or is busy holds a job up for seconds
	keptTurns     = 64               // turns from which the median is taken
)

// HungError means that a job did not give its turn back.
type HungError struct{ After time.Duration }

func (e *HungError) Error() string {
	return fmt.Sprintf("has had its turn for %s and does not give it back: ended", units.Span(e.After))
}

// seat is the scheduler's state of a job.
type seat struct {
	state   act // nothing: it fetches its data; wants; done: it has the turn
	has     bool
	since   time.Duration // when its turn began or ended, or its first turn was first awaited
	wanted  time.Duration // when it requested the turn
	late    time.Duration // how late the requests of its turn were handed out
	first   time.Duration // how long the first turn may take, its start included, and how long it may fetch its data
	arrived []time.Duration
	closed  bool // its batch is not made of requests
	n       int
	took    []float64 // seconds of the last turns
	turns   int
	due     time.Duration // of the next batch, when it got its turn
	least   time.Duration // of its patience; 0: leastPatience
}

// fewTurns is how many turns are too few to predict the next one: the first loads kernels.
const fewTurns = 5

// median returns the job's median turn; 0 after too few turns.
func (s *seat) median() time.Duration {
	if s.turns < fewTurns {
		return 0
	}
	return time.Duration(stats.Median(s.took) * float64(time.Second))
}

func (s *seat) note(took time.Duration) {
	if len(s.took) < keptTurns {
		s.took = append(s.took, 0)
	}
	s.took[s.turns%len(s.took)] = took.Seconds()
	s.turns++
}

// deadline returns when the job has kept the scheduler waiting for too long; Never while it waits itself.
func (s *seat) deadline() time.Duration {
	if !s.has && s.state != nothing {
		return arrivals.Never
	}
	return s.since + s.patience()
}

// patience returns how long its turn, or its fetching of data, may last. The first turns load kernels and may be long.
func (s *seat) patience() time.Duration {
	least := cmp.Or(s.least, leastPatience)
	if !s.has || s.turns < fewTurns {
		return max(s.first, least)
	}
	return max(least, patienceTurns*s.median())
}

// Part selects the jobs of a pair that get turns.
type Part int

// Parts.
const (
	Together   Part = iota // both, by the policy
	TrainAlone             // only the training, without pauses
	ServeAlone             // only full batches of the inference, without pauses; they answer no requests
	ServeLoad              // only the requests, as they arrive
)

// scheduler grants the turns. One goroutine at a time calls its methods.
type scheduler struct {
	floor  floor
	o      Options
	seats  [2]seat
	queue  *arrivals.Queue
	part   Part
	since  int // minibatches since the last batch
	units  [2]int
	emit   func(harness.Event)
	failed [2]error
}

// share begins a part: the requests of its load arrive from now on.
func (s *scheduler) share(p Part) {
	s.part, s.since = p, 0
	s.queue = arrivals.NewQueue(s.o.Load, arrivals.Batching{Size: s.o.Batch, MaxWait: s.o.MaxWait}, s.o.Seed,
		s.floor.now())
}

// step grants turns and waits for the next action. It returns io.EOF when no job is left.
func (s *scheduler) step(ctx context.Context) error {
	if s.seats[trains].state == gone && s.seats[serves].state == gone {
		return io.EOF
	}
	now := s.floor.now() // of both: a batch due between two readings of the clock would be neither granted nor awaited
	s.grant(ctx, now)
	d, err := s.floor.wait(ctx, s.until(now))
	if err != nil {
		return err
	}
	s.take(ctx, d)
	return nil
}

// due returns when the next batch may start.
func (s *scheduler) due(now time.Duration) time.Duration {
	switch {
	case s.seats[serves].state == gone, s.part == TrainAlone:
		return arrivals.Never
	case s.part == ServeAlone:
		return now
	}
	return s.queue.Due()
}

// grant gives turns to the jobs that may have one now, requests first.
func (s *scheduler) grant(ctx context.Context, now time.Duration) {
	due := s.due(now)
	t, i := &s.seats[trains], &s.seats[serves]
	held := t.has || i.has
	if i.state == wants && now >= due && (s.o.Free || !held) {
		i.n, i.arrived, i.closed = s.o.Batch, nil, s.part == ServeAlone
		if !i.closed {
			_, i.arrived = s.queue.Take(now)
			i.n, i.late = len(i.arrived), max(0, now-max(due, i.wanted))
		}
		s.since, held = 0, true
		s.begin(ctx, serves, i.n, now, due)
		due = s.due(now)
	}
	if t.state != wants || held && !s.o.Free || s.part == ServeAlone || s.part == ServeLoad {
		return
	}
	if s.o.Free || due == arrivals.Never || s.o.Turns.Trains(now, due, t.median(), s.since) {
		s.since++
		s.begin(ctx, trains, 1, now, due)
	}
}

func (s *scheduler) begin(ctx context.Context, job, n int, now, due time.Duration) {
	seat := &s.seats[job]
	seat.state, seat.has, seat.since, seat.due = nothing, true, now, due
	if err := s.floor.begin(job, n); err != nil {
		s.lose(ctx, job, err)
	}
}

// until returns the next time at which the scheduler has something to do by itself, after the turns of now are granted.
func (s *scheduler) until(now time.Duration) time.Duration {
	next := min(s.seats[trains].deadline(), s.seats[serves].deadline())
	if due := s.due(now); due > now {
		next = min(next, due)
	}
	return next
}

// take handles an action of a job.
func (s *scheduler) take(ctx context.Context, d deed) {
	seat := &s.seats[d.job]
	switch {
	case d.what == nothing:
		s.overdue(ctx, d.at)
	case seat.state == gone: // sent before it ended
	case d.what == gone:
		s.lose(ctx, d.job, d.err)
	case d.what == wants && (seat.has || seat.state == wants):
		s.lose(ctx, d.job, fmt.Errorf("wants a turn while it has one"))
	case d.what == wants:
		seat.state, seat.wanted = wants, d.at
	case !seat.has:
		s.lose(ctx, d.job, fmt.Errorf("gives back a turn that it does not have"))
	default:
		s.finish(d)
	}
}

// overdue ends jobs that have had their turn for too long, or do not ask for one.
func (s *scheduler) overdue(ctx context.Context, now time.Duration) {
	for i := range s.seats {
		seat := &s.seats[i]
		silent := now - seat.since
		switch {
		case now < seat.deadline():
		case seat.has:
			s.lose(ctx, i, &HungError{silent})
		case seat.turns == 0:
			s.lose(ctx, i, fmt.Errorf("has not asked for a turn in %s: does it use jtune.turn of jtune.py?",
				units.Span(silent)))
		default:
			s.lose(ctx, i, fmt.Errorf("has not asked for a turn in %s, since its last one: ended",
				units.Span(silent)))
		}
	}
}

// lose ends a job; the other one continues.
func (s *scheduler) lose(ctx context.Context, job int, err error) {
	seat := &s.seats[job]
	seat.state, seat.has = gone, false
	s.failed[job] = fmt.Errorf("%s job %s: %w", jobNames[job], s.o.Names[job], s.floor.end(ctx, job, err))
	s.emit(harness.Event{Kind: harness.Gone, Job: jobNames[job], T: s.floor.now(), Message: s.failed[job].Error()})
}

// finish takes a turn back and reports it.
func (s *scheduler) finish(d deed) {
	seat := &s.seats[d.job]
	began := seat.since
	took := d.at - began
	seat.has, seat.since = false, d.at
	seat.note(took)
	s.floor.took(d.job, took)
	e := harness.Event{Kind: harness.Minibatch, Job: jobNames[d.job], T: d.at,
		TimeMS: float64(took) / float64(time.Millisecond),
		Batch:  s.units[d.job]}
	s.units[d.job]++
	if d.job == trains {
		e.Late = !s.o.Free && !s.o.Turns.Fill && seat.due < d.at
		s.emit(e)
		return
	}
	warming := s.units[serves] <= s.o.WarmUp
	e.Kind, e.N, e.Unclean = harness.Infer, max(1, seat.n), warming
	s.emit(e)
	for _, at := range seat.arrived {
		s.emit(harness.Event{Kind: harness.Request, Job: harness.JobInfer, T: d.at, Arrive: at, Start: began,
			First: d.at, N: 1,
			LateMS: float64(seat.late) / float64(time.Millisecond)})
	}
	if !seat.closed {
		s.queue.Answered(seat.n, d.at)
	}
	if warming && s.units[serves] == s.o.WarmUp {
		s.emit(harness.Event{Kind: harness.Warm, Job: harness.JobInfer, T: d.at, N: s.o.WarmUp})
		s.share(Together)
	}
}

// shares reports to a virtual board how two jobs share it.
type shares struct {
	board *virtual.Board // nil: no reports
	spent [2]time.Duration
	since time.Duration
}

// shareEvery is the interval of these reports.
const shareEvery = time.Second

func (s *shares) add(job int, turn, now time.Duration) {
	s.spent[job] += turn
	s.flush(now)
}

func (s *shares) flush(now time.Duration) {
	span := (now - s.since).Seconds()
	if s.board == nil || span < shareEvery.Seconds() {
		return
	}
	s.board.Spend([2]float64{math.Min(1, s.spent[trains].Seconds()/span), math.Min(1, s.spent[serves].Seconds()/span)})
	s.spent, s.since = [2]time.Duration{}, now
}

func (s *shares) end() {
	if s.board != nil {
		s.board.StopWorkload()
	}
}
