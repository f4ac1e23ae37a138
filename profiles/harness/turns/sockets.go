package turns

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"jtune/internal/text"
	"jtune/profiles/harness"
	"jtune/tegra"
	"jtune/tegra/virtual"
)

const (
	longestLine = 4096
	// exitGrace is how long a job may take to exit after its socket was closed.
	exitGrace = 2 * time.Second
)

// turnLine is a message of a job.
type turnLine struct {
	Want string `json:"want"`
	Done int    `json:"done"`
}

// socketPair returns the two ends of a job's turn socket: ours, and the job's for ExecOptions.Turn.
func socketPair() (net.Conn, *os.File, error) {
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, nil, fmt.Errorf("turns: %w", err)
	}
	ours, theirs := os.NewFile(uintptr(fds[0]), "turn"), os.NewFile(uintptr(fds[1]), "turn of the job")
	defer ours.Close()
	conn, err := net.FileConn(ours)
	if err != nil {
		theirs.Close()
		return nil, nil, fmt.Errorf("turns: %w", err)
	}
	return conn, theirs, nil
}

// sockets is the floor of one or two processes.
type sockets struct {
	clock tegra.Clock
	deeds chan deed
	shut  chan struct{} // closed by stop
	woken chan struct{}
	all   sync.WaitGroup // goroutines that read the jobs' messages
	jobs  [2]process
	share shares
}

// process is a job with a socket.
type process struct {
	harness.Harness
	conn  net.Conn
	ended chan error // how it ended
}

var _ floor = (*sockets)(nil)

// startSockets starts two jobs; emit gets their own events.
func startSockets(ctx context.Context, jobs [2]harness.ExecOptions, clock tegra.Clock, board *virtual.Board,
	emit func(harness.Event)) (*sockets, error) {
	f := &sockets{clock: clock, deeds: make(chan deed, 4), shut: make(chan struct{}), woken: make(chan struct{}, 1),
		share: shares{board: board, since: clock.Now()}}
	for i, o := range jobs {
		if len(o.Command) == 0 {
			continue
		}
		conn, theirs, err := socketPair()
		if err != nil {
			f.stop(ctx)
			return nil, err
		}
		o.Turn, o.Clock = theirs, clock
		o.Start, o.Silence = longestSilence, longestSilence // it is silent while the other job has the GPU
		h, err := harness.Exec(ctx, o)
		if err != nil {
			theirs.Close()
			conn.Close()
			f.stop(ctx)
			return nil, err
		}
		f.jobs[i] = process{h, conn, make(chan error, 1)}
		f.all.Add(2)
		go f.listen(i)
		go f.follow(i, emit)
	}
	return f, nil
}

// longestSilence is for jobs that wait for turns; a hung job is detected by the length of its turn.
const longestSilence = 1000 * time.Hour

// tell passes an action to the scheduler, unless nothing waits for it any more.
func (f *sockets) tell(d deed) {
	d.at = f.clock.Now()
	select {
	case f.deeds <- d:
	case <-f.shut:
	}
}

// listen reads a job's turn messages.
func (f *sockets) listen(i int) {
	defer f.all.Done()
	in := bufio.NewScanner(f.jobs[i].conn)
	in.Buffer(nil, longestLine)
	for in.Scan() {
		d := parseTurn(in.Bytes())
		d.job = i
		if f.tell(d); d.what == gone {
			return
		}
	}
	d := deed{job: i, what: gone, err: io.EOF}
	if errors.Is(in.Err(), bufio.ErrTooLong) {
		d.err = fmt.Errorf("says a line of more than %d characters, no turn", longestLine)
	}
	f.tell(d)
}

// parseTurn parses a line of the turn protocol.
func parseTurn(line []byte) deed {
	var l turnLine
	err := json.Unmarshal(line, &l)
	switch {
	case err != nil || (l.Want == "") == (l.Done == 0):
		return deed{what: gone, err: fmt.Errorf("says %q, no turn", text.Clip(string(line)))}
	case l.Want != "":
		return deed{what: wants}
	}
	return deed{what: done}
}

// follow passes on a job's own events, except its times: these are measured as turns.
func (f *sockets) follow(i int, emit func(harness.Event)) {
	defer f.all.Done()
	for {
		e, err := f.jobs[i].Next(context.Background())
		switch {
		case err != nil:
			f.jobs[i].ended <- err
			return
		case e.Kind == harness.Hello, e.Kind == harness.Failure, e.Kind == harness.Note:
			e.Job = jobNames[i]
			emit(e)
		}
	}
}

func (f *sockets) now() time.Duration { return f.clock.Now() }

func (f *sockets) begin(i, n int) error {
	fmt.Fprintf(f.jobs[i].conn, "{\"go\":1,\"n\":%d}\n", n) // the reader notices if the job has ended
	return nil
}

func (f *sockets) wait(ctx context.Context, until time.Duration) (deed, error) {
	select { // no timer when something has happened already
	case d := <-f.deeds:
		return d, nil
	default:
	}
	wait := time.NewTimer(max(0, until-f.clock.Now()))
	defer wait.Stop()
	select {
	case d := <-f.deeds:
		return d, nil
	case <-wait.C:
	case <-f.woken:
	case <-ctx.Done():
		return deed{}, ctx.Err()
	}
	return deed{what: nothing, at: f.clock.Now()}, nil
}

func (f *sockets) wake() {
	select {
	case f.woken <- struct{}{}:
	default:
	}
}

func (f *sockets) took(i int, turn time.Duration) { f.share.add(i, turn, f.clock.Now()) }

// end ends a job; when it returns, the job no longer uses the GPU. If the job ended by itself, it returns that reason.
func (f *sockets) end(ctx context.Context, i int, err error) error {
	p := f.jobs[i]
	own := error(nil)
	if errors.Is(err, io.EOF) {
		grace := time.NewTimer(exitGrace)
		select {
		case own = <-p.ended:
		case <-grace.C:
		case <-ctx.Done():
		}
		grace.Stop()
	}
	p.conn.Close()
	p.Stop(ctx)
	switch {
	case own != nil && !errors.Is(own, io.EOF):
		return own
	case own != nil:
		return errors.New("has ended by itself: it must go on until it is stopped")
	case errors.Is(err, io.EOF):
		return errors.New("has closed its turn socket")
	}
	return err
}

func (f *sockets) stop(ctx context.Context) {
	close(f.shut)
	var both sync.WaitGroup
	for _, p := range f.jobs {
		if p.Harness == nil {
			continue
		}
		both.Go(func() {
			p.conn.Close()
			p.Stop(ctx)
		})
	}
	both.Wait()
	f.all.Wait()
	f.share.end()
}
