package turns

import (
	"context"
	"math"
	"time"

	"jtune/internal/arrivals"
	"jtune/tegra/virtual"
)

// simulatedTurns is the floor of two jobs on a virtual board, on the board's clock. It runs ahead of a real-time clock
// by less than turnLump, so that not every turn wakes the machine.
type simulatedTurns struct {
	board *virtual.Board
	clock *virtual.Clock
	at    time.Duration // time up to which the turns are computed
	jobs  [2]struct {
		next  time.Duration // when its turn ends, or when it wants one
		what  act           // what it does then; nothing: it waits
		fetch time.Duration // after its turn
	}
	share shares
}

const turnLump = 250 * time.Millisecond

var _ floor = (*simulatedTurns)(nil)

func startTurns(b *virtual.Board, o Options) (*simulatedTurns, error) {
	if err := b.StartPair(o.Simulated, o.Free); err != nil {
		return nil, err
	}
	now := b.Clock().Now()
	f := &simulatedTurns{board: b, clock: b.Clock(), at: now, share: shares{board: b, since: now}}
	for i := range f.jobs {
		f.jobs[i].next, f.jobs[i].what = now, wants
	}
	return f, nil
}

// now returns the board's time; after a pause of the reader, the jobs continue where they stopped.
func (f *simulatedTurns) now() time.Duration {
	if now := f.clock.Now(); now > f.at+turnLump {
		f.at = now
	}
	return f.at
}

func (f *simulatedTurns) begin(i, n int) error {
	j := &f.jobs[i]
	turn, fetch, err := f.board.Unit(i, n, f.at)
	switch {
	case virtual.Stuck(err):
		j.next, j.what = arrivals.Never, done
		return nil
	case err != nil:
		return err
	}
	j.next, j.what, j.fetch = f.at+turn, done, fetch
	return nil
}

func (f *simulatedTurns) wait(ctx context.Context, until time.Duration) (deed, error) {
	d := deed{at: until}
	for i := range f.jobs {
		if j := &f.jobs[i]; j.what != nothing && max(j.next, f.at) < d.at {
			d = deed{job: i, what: j.what, at: max(j.next, f.at)}
		}
	}
	if d.at == arrivals.Never { // neither job will do anything again
		d.at = f.at + time.Second
	}
	f.at = d.at
	if ahead := f.at - f.clock.Now(); ahead >= turnLump || ahead > 0 && math.IsInf(f.clock.Speed(), 1) {
		if err := f.clock.Sleep(ctx, ahead); err != nil {
			return deed{}, err
		}
	}
	f.share.flush(f.at)
	if d.what == nothing {
		return d, ctx.Err()
	}
	j := &f.jobs[d.job]
	if j.what = nothing; d.what == done {
		j.next, j.what = f.at+j.fetch, wants
	}
	return d, ctx.Err()
}

func (f *simulatedTurns) wake() {}

// took reports the following fetch as part of the turn: the job's power is the mean of a whole minibatch.
func (f *simulatedTurns) took(i int, turn time.Duration) { f.share.add(i, turn+f.jobs[i].fetch, f.at) }

func (f *simulatedTurns) end(_ context.Context, i int, err error) error {
	f.jobs[i].what = nothing
	return err
}

func (f *simulatedTurns) stop(context.Context) { f.share.end() }
