package harness

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"sync"
	"time"

	"jtune/tegra"
	"jtune/tegra/virtual"
)

// Simulated is the framework that the job of a virtual board reports.
const Simulated = "virtual board"

// VirtualOptions describe the job on a virtual board.
type VirtualOptions struct {
	Workload string
	Infer    bool   // it reports batches of inference
	Unit     string // of inference
	Batch    int
	Workers  *int          // loader processes; nil: the workload's own
	Cache    string        // page cache before an epoch: "preload", "drop", "drop-once" or "" for unchanged
	PerEpoch int           // minibatches; 0: one endless epoch
	Epochs   int           // 0: until stopped
	Requests int           // of inference per epoch, after a warm-up; 0: unlimited
	Silence  time.Duration // of the board's clock; 60 s
	Start    time.Duration // the same before the first minibatch, if longer
}

// simulated is a job on a virtual board, on the board's clock. Its events come in the same order as from a real job.
type simulated struct {
	board *virtual.Board
	clock *virtual.Clock
	o     VirtualOptions
	ready []Event // returned before the next minibatch
	count int     // minibatches so far, without the warm-up
	warm  int     // remaining batches of the warm-up
	share float64 // of the data in the page cache, as last emitted
	ended error

	unwatch func()
	mu      sync.Mutex
	since   time.Duration      // start of the current wait
	hush    context.CancelFunc // ends the current wait; nil between waits
	silent  time.Duration      // how long the job has been silent; 0: it is not
	quiet   silence
}

var _ Harness = (*simulated)(nil)

// Virtual starts a job on a virtual board.
func Virtual(b *virtual.Board, o VirtualOptions) (Harness, error) {
	s := &simulated{board: b, clock: b.Clock(), o: o, quiet: silenceOf(o.Start, o.Silence)}
	if o.Requests > 0 {
		s.warm, s.o.PerEpoch = warmUp, (o.Requests-1)/max(1, o.Batch)+1
	}
	s.prepare(0)
	if err := b.Start(virtual.Job{Workload: o.Workload, Batch: o.Batch, Workers: o.Workers}); err != nil {
		return nil, fmt.Errorf("harness on the virtual board: %w", err)
	}
	s.unwatch = s.clock.Every(time.Second, s.watch)
	info := map[string]string{
		"protocol":   "1",
		"workload":   o.Workload,
		"batch_size": strconv.Itoa(o.Batch),
		"framework":  Simulated,
	}
	if o.Infer {
		info["protocol"], info["kind"], info["unit"] = "2", "infer", o.Unit
	}
	s.emit(Event{Kind: Hello, Info: info})
	s.emitCache(0)
	if !o.Infer {
		s.emit(Event{Kind: EpochBegin})
	}
	return s, nil
}

// prepare changes the page cache as a real job does before an epoch.
func (s *simulated) prepare(epoch int) {
	switch how := s.o.Cache; {
	case how == "preload":
		s.board.SetCached(s.o.Workload, 1)
	case how == "drop", how == "drop-once" && epoch == 0:
		s.board.SetCached(s.o.Workload, 0)
	}
}

// emitCache emits the share of the data in the board's page cache when it has changed by at
// least least since the last cache event.
func (s *simulated) emitCache(least float64) {
	if now := s.board.Cached(s.o.Workload); now.OK && !s.o.Infer && math.Abs(now.V-s.share) >= least {
		s.share = now.V
		s.emit(Event{Kind: Cache, Share: now})
	}
}

// Expect implements Expecting.
func (s *simulated) Expect(minibatch time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.quiet.expect(minibatch)
}

func (s *simulated) emit(e Event) { s.ready = append(s.ready, stamp(e, s.clock.Now())) }

// Next returns the next event; it trains a minibatch when none is ready.
func (s *simulated) Next(ctx context.Context) (Event, error) {
	for len(s.ready) == 0 && s.ended == nil {
		if err := ctx.Err(); err != nil {
			return Event{}, err
		}
		if err := s.step(ctx); err != nil {
			if ctx.Err() != nil {
				return Event{}, ctx.Err()
			}
			s.ended = err
		}
	}
	if len(s.ready) == 0 {
		return Event{}, s.ended
	}
	e := s.ready[0]
	s.ready = s.ready[1:]
	return e, nil
}

func (s *simulated) step(ctx context.Context) error {
	n := s.units()
	if n > 0 {
		s.board.Resize(n)
	}
	waiting, cancel := context.WithCancel(ctx)
	defer cancel()
	s.wait(cancel)
	m, err := s.board.NextMinibatch(waiting)
	if quiet := s.waited(m); quiet > 0 && err != nil {
		return &SilenceError{Command: s.o.Workload, After: quiet}
	}
	if errors.Is(err, virtual.ErrDied) {
		return &ExitError{Command: s.o.Workload, Status: "exit status 1", Lines: []string{err.Error()}}
	}
	if err != nil {
		return err
	}
	epoch, batch := 0, s.count
	if s.o.PerEpoch > 0 {
		epoch, batch = s.count/s.o.PerEpoch, s.count%s.o.PerEpoch
	}
	if s.warm == 0 {
		s.count++
	}
	e := Event{Kind: Minibatch, T: m.T, Epoch: epoch, Batch: batch, TimeMS: m.TimeMS}
	if s.o.Infer {
		e.Kind, e.N, e.Unclean = Infer, max(1, s.o.Batch), s.warm > 0
		if n > 0 {
			e.N = n
		}
	}
	if m.Parts {
		e.FetchMS, e.StallMS = tegra.Some(RoundMS(m.FetchMS)), tegra.Some(RoundMS(m.StallMS))
		e.PrepareMS, e.CopyMS = tegra.Some(RoundMS(m.PrepareMS)), tegra.Some(RoundMS(m.CopyMS))
		e.LaunchMS = tegra.Some(RoundMS(m.LaunchMS))
		e.ComputeMS, e.OverheadMS = tegra.Some(RoundMS(m.ComputeMS)), tegra.Some(RoundMS(m.OverheadMS))
	}
	s.ready = append(s.ready, e)
	s.emitCache(0.01)
	if s.warm > 0 {
		if s.warm--; s.warm == 0 {
			s.emit(Event{Kind: Warm, N: warmUp})
		}
		return nil
	}
	s.endEpoch(epoch, batch)
	return nil
}

// warmUp is the number of batches before a fixed number of requests.
const warmUp = 20

// units returns the size of the next batch when the number of requests is fixed, else 0: the last batch takes the
// remaining ones.
func (s *simulated) units() int {
	if s.o.Requests == 0 {
		return 0
	}
	whole := max(1, s.o.Batch)
	if done := s.count % s.o.PerEpoch * whole; s.warm == 0 {
		return min(whole, s.o.Requests-done)
	}
	return whole
}

func (s *simulated) endEpoch(epoch, batch int) {
	if s.o.PerEpoch == 0 || s.o.Infer && s.o.Requests == 0 || batch != s.o.PerEpoch-1 {
		return
	}
	s.emitCache(1e-9)
	s.emit(Event{Kind: EpochEnd, Epoch: epoch})
	if s.o.Epochs > 0 && epoch == s.o.Epochs-1 {
		s.emit(Event{Kind: Done, Epoch: epoch})
		s.ended = io.EOF
		return
	}
	if s.o.Infer {
		return
	}
	s.prepare(epoch + 1)
	s.emitCache(1e-9)
	s.emit(Event{Kind: EpochBegin, Epoch: epoch + 1})
}

// wait and waited mark the time in which the board computes a minibatch; watch ends the job when this takes too long by
// the board's clock.
func (s *simulated) wait(cancel context.CancelFunc) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.since, s.hush = s.clock.Now(), cancel
}

func (s *simulated) waited(m virtual.Minibatch) (silent time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.hush = nil
	s.quiet.saw(Event{Kind: Minibatch, TimeMS: m.TimeMS}, s.clock.Now()-s.since)
	return s.silent
}

func (s *simulated) watch(now time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.hush != nil && now-s.since >= s.patience() {
		s.silent = s.quiet.most()
		s.hush()
	}
}

// machineSilence is how long a job on a fast clock must also be silent by the machine's clock, so that a busy machine
// does not look like a silent job.
const machineSilence = 2 * time.Second

// patience returns how long the job may be silent, by the board's clock.
func (s *simulated) patience() time.Duration {
	speed := s.clock.Speed()
	if math.IsInf(speed, 1) { // not tied to the machine's clock
		return s.quiet.most()
	}
	return max(s.quiet.most(), time.Duration(speed*float64(machineSilence)))
}

// Stop ends the job.
func (s *simulated) Stop(context.Context) error {
	if s.unwatch != nil {
		s.unwatch()
		s.unwatch = nil
		s.board.StopWorkload()
	}
	if s.ended == nil {
		s.ended = io.EOF
	}
	return nil
}
