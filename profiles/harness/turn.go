package harness

// The turn protocol: two jobs on one GPU that run one unit each at a time, a minibatch or a batch of
// requests, never both at once. A job gets a socket, by number in the environment variable JTUNE_TURN,
// over which it says one JSON object per line and waits for the answer:
//
//	job ──► {"want":"train"}        it has its data and wants the GPU
//	    ◄── {"go":1,"n":16}         n: requests of the batch; 1 for a minibatch
//	job ──► {"done":1}              its work has ended on the GPU too
//
// In Python: with jtune.turn("train"): … (package torch, jtune.py). As one goroutine grants turns, one
// after the other, no two overlap; a job that does not give its turn back is ended by its harness
// before the other gets one.

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"time"

	"golang.org/x/sys/unix"

	"jtune/internal/stats"
	"jtune/internal/text"
)

// TurnVariable is the environment variable that holds the number of the turn socket.
const TurnVariable = "JTUNE_TURN"

// turnFile is that number in a job: the first after the standard ones.
const turnFile = 3

const (
	longestTurnLine = 4096
	// A turn lasts no longer than this many times the job's median turn, and leastPatience.
	patienceTurns = 10
	leastPatience = 5 * time.Second
	keptTurns     = 64 // of which the median is taken
)

// HungError: a job did not give its turn back.
type HungError struct {
	Job   string
	After time.Duration
}

func (e *HungError) Error() string {
	return fmt.Sprintf("job %s has had its turn for %s and does not give it back", e.Job,
		e.After.Round(time.Millisecond))
}

// Party is jtune's end of a job's turn socket. One goroutine at a time uses it.
type Party struct {
	name   string
	conn   net.Conn
	lines  chan turnLine // what the job says; closed with the socket
	err    error         // why it was closed
	wants  bool
	took   []float64     // seconds of the last turns
	begun  int           // turns
	Longer time.Duration // the least that a turn may last; 0: 5 s
}

// turnLine is what a job says.
type turnLine struct {
	Want string `json:"want"`
	Done int    `json:"done"`
}

// NewParty makes the socket of a job. Its other end is for ExecOptions.Turn, which closes it.
func NewParty(name string) (*Party, *os.File, error) {
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, nil, fmt.Errorf("turns of %s: %w", name, err)
	}
	ours, theirs := os.NewFile(uintptr(fds[0]), "turn"), os.NewFile(uintptr(fds[1]), "turn of the job")
	defer ours.Close()
	conn, err := net.FileConn(ours)
	if err != nil {
		theirs.Close()
		return nil, nil, fmt.Errorf("turns of %s: %w", name, err)
	}
	p := &Party{name: name, conn: conn, lines: make(chan turnLine, 1), err: io.EOF}
	go p.listen()
	return p, theirs, nil
}

func (p *Party) listen() {
	defer close(p.lines)
	in := bufio.NewScanner(p.conn)
	in.Buffer(nil, longestTurnLine)
	for in.Scan() {
		var l turnLine
		if err := json.Unmarshal(in.Bytes(), &l); err != nil || (l.Want == "") == (l.Done == 0) {
			p.err = fmt.Errorf("says %q, no turn", text.Clip(in.Text()))
			return
		}
		p.lines <- l
	}
}

// Close ends the socket; a job that waits for its turn gets an end of file.
func (p *Party) Close() error {
	err := p.conn.Close()
	for range p.lines { // until listen has ended
	}
	return err
}

// gone is the error of a job that said something else than it should, or ended.
func (p *Party) gone() error {
	if errors.Is(p.err, io.EOF) {
		return fmt.Errorf("job %s takes no more turns: %w", p.name, io.EOF)
	}
	return fmt.Errorf("job %s %w", p.name, p.err)
}

// Await reports whether the job wants a turn, and waits for that long. The error is one of a job that
// takes no more turns.
func (p *Party) Await(ctx context.Context, most time.Duration) (bool, error) {
	if p.wants {
		return true, nil
	}
	wait := time.NewTimer(most)
	defer wait.Stop()
	select {
	case l, ok := <-p.lines:
		if !ok {
			return false, p.gone()
		}
		if l.Want == "" {
			return false, fmt.Errorf("job %s gives back a turn that it does not have", p.name)
		}
		p.wants = true
	case <-wait.C:
	case <-ctx.Done():
		return false, ctx.Err()
	}
	return p.wants, nil
}

// Grant gives the job, which must want it, a turn of n units and waits until it is given back. A
// *HungError means that the job may still be at work: end it before anybody else gets a turn.
func (p *Party) Grant(ctx context.Context, n int) error {
	if !p.wants {
		panic("harness: a turn for a job that wants none")
	}
	p.wants = false
	begin, patience := time.Now(), p.patience()
	if _, err := fmt.Fprintf(p.conn, "{\"go\":1,\"n\":%d}\n", n); err != nil {
		return p.gone()
	}
	wait := time.NewTimer(patience)
	defer wait.Stop()
	select {
	case l, ok := <-p.lines:
		switch {
		case !ok:
			return p.gone()
		case l.Done == 0:
			return fmt.Errorf("job %s wants a turn while it has one", p.name)
		}
	case <-wait.C:
		return &HungError{p.name, patience}
	case <-ctx.Done():
		return ctx.Err()
	}
	p.note(time.Since(begin))
	return nil
}

func (p *Party) note(took time.Duration) {
	if len(p.took) < keptTurns {
		p.took = append(p.took, 0)
	}
	p.took[p.begun%len(p.took)] = took.Seconds()
	p.begun++
}

// patience is how long the next turn may last. The first ones load kernels and may be long.
func (p *Party) patience() time.Duration {
	least := p.Longer
	if least == 0 {
		least = leastPatience
	}
	if p.begun == 0 {
		return max(least, DefaultSilence)
	}
	return max(least, time.Duration(patienceTurns*stats.Median(p.took)*float64(time.Second)))
}

// Median is the job's median turn; 0 before the first.
func (p *Party) Median() time.Duration {
	if p.begun == 0 {
		return 0
	}
	return time.Duration(stats.Median(p.took) * float64(time.Second))
}
