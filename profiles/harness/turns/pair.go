// Package turns lets two jobs share one GPU: they run one unit each at a time, a minibatch or a batch of requests,
// never both at once. It is a harness of the two, on a machine or on a virtual board.
//
//	Start ──► Pair (a harness.Harness) ◄── scheduler: whose turn it is, who loses it
//	                                         └─► floor: sockets of two processes, or the virtual board
//
// The turn protocol: a job gets a socket, by number in the environment variable harness.TurnVariable, over which it
// says one JSON object per line and waits for the answer:
//
//	job ──► {"want":"train"}        it has its data and wants the GPU
//	    ◄── {"go":1,"n":16}         n: requests of the batch; 1 for a minibatch
//	job ──► {"done":1}              its work has ended on the GPU too
//
// In Python: with jtune.turn("train"): … (package torch, jtune.py). As one goroutine grants turns, one
// after the other, no two overlap; a job that does not give its turn back is ended before the other
// gets one.
package turns

import (
	"context"
	"fmt"
	"io"
	"strconv"
	"sync"
	"time"

	"jtune/internal/arrivals"
	"jtune/profiles/harness"
	"jtune/tegra"
	"jtune/tegra/virtual"
)

// Options describe two jobs that share a GPU, the training first; or only the inference, whose requests arrive in the
// same way: the training then has no name.
type Options struct {
	Names [2]string
	// Jobs are started with a turn socket each; Board, if not nil, then simulates the power of the two workloads in
	// Simulated. Without Jobs, Board simulates both jobs.
	Jobs      []harness.ExecOptions
	Board     *virtual.Board
	Simulated [2]virtual.Job
	Clock     tegra.Clock

	Turns   arrivals.Turns
	Free    bool // no turns: each job may use the GPU at any time
	Load    arrivals.Load
	Batch   int           // most requests served together
	MaxWait time.Duration // of the first request of a batch; 0: until it is full
	Seed    uint64
	First   [2]time.Duration // how long each may take to its first unit; 0: 60 s
	WarmUp  int              // uncounted turns of the inference before requests arrive

	patience [2]time.Duration // least time that each may keep its turn; 0: leastPatience
}

// Pair is two jobs that take turns on one GPU. Its events come from both jobs, as Event.Job says: turns as minibatches
// and batches, answered requests, and Gone when a job has ended and the other continues.
type Pair struct {
	s     *scheduler
	floor floor

	// For a virtual board: Next computes the turns.
	ready []harness.Event
	// For processes: a goroutine grants the turns.
	queue  *harness.Queue
	cancel context.CancelFunc
	over   chan struct{} // closed when both have ended

	mu      sync.Mutex
	order   *Part
	stopped sync.Once
}

var _ harness.Harness = (*Pair)(nil)

// Start starts two jobs. Both take turns until Share changes that.
func Start(ctx context.Context, o Options) (*Pair, error) {
	p := &Pair{}
	for i := range o.First {
		if o.First[i] == 0 {
			o.First[i] = harness.DefaultSilence
		}
	}
	o.Batch = max(1, o.Batch)
	p.s = &scheduler{o: o}
	if o.Names[trains] == "" {
		p.s.seats[trains].state = gone
	}
	if o.Jobs == nil {
		f, err := startTurns(o.Board, o)
		if err != nil {
			return nil, fmt.Errorf("harness on the virtual board: %w", err)
		}
		p.floor, p.s.emit = f, func(e harness.Event) { p.ready = append(p.ready, e) }
		for i, name := range jobNames {
			if o.Names[i] == "" {
				continue
			}
			p.s.emit(harness.Event{Kind: harness.Hello, Job: name, Info: map[string]string{"protocol": "2",
				"workload": o.Names[i], "batch_size": strconv.Itoa(o.Simulated[i].Batch),
				"framework": harness.Simulated}})
		}
		p.begin()
		return p, nil
	}
	p.queue = harness.NewQueue()
	p.s.emit = p.queue.Put
	if o.Board != nil {
		if err := o.Board.StartPair(o.Simulated, o.Free); err != nil {
			return nil, err
		}
	}
	f, err := startSockets(ctx, [2]harness.ExecOptions(o.Jobs), o.Clock, o.Board, p.s.emit)
	if err != nil {
		if o.Board != nil {
			o.Board.StopWorkload()
		}
		return nil, err
	}
	p.floor = f
	p.begin()
	ctx, p.cancel = context.WithCancel(context.Background())
	p.over = make(chan struct{})
	go p.run(ctx)
	return p, nil
}

func (p *Pair) begin() {
	p.s.floor = p.floor
	for i := range p.s.seats {
		seat := &p.s.seats[i]
		seat.since, seat.first, seat.least = p.floor.now(), p.s.o.First[i], p.s.o.patience[i]
	}
	p.s.share(Together)
	if p.s.o.WarmUp > 0 {
		p.s.part = ServeAlone
	}
}

// run grants turns to the processes until the pair is stopped or no job is left.
func (p *Pair) run(ctx context.Context) {
	for {
		p.obey()
		if p.s.step(ctx) != nil {
			break
		}
	}
	p.floor.stop(context.Background())
	p.queue.Close(io.EOF)
	close(p.over)
}

// Share sets which jobs get turns from now on. A turn in progress ends first.
func (p *Pair) Share(part Part) {
	p.mu.Lock()
	p.order = &part
	p.mu.Unlock()
	p.floor.wake()
}

func (p *Pair) obey() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.order != nil {
		p.s.share(*p.order)
		p.order = nil
	}
}

// Next waits for the next event. It returns io.EOF when no job is left.
func (p *Pair) Next(ctx context.Context) (harness.Event, error) {
	if p.queue != nil {
		return p.queue.Next(ctx)
	}
	for len(p.ready) == 0 {
		p.obey()
		if err := p.s.step(ctx); err != nil {
			return harness.Event{}, err
		}
	}
	e := p.ready[0]
	p.ready = p.ready[1:]
	return e, nil
}

// Stop ends both jobs.
func (p *Pair) Stop(ctx context.Context) error {
	p.stopped.Do(func() {
		if p.queue == nil {
			p.floor.stop(ctx)
			return
		}
		p.cancel()
		<-p.over
	})
	return nil
}
