package pipe

import (
	"errors"
	"io"
	"os"
	"slices"
	"testing"
	"time"

	"jtune/internal/must"
)

// patience is how long something may take before it counts as hanging.
const patience = 3 * time.Minute

// testPipe returns a pipe and what its job would write to.
func testPipe(t *testing.T) (*Pipe, *os.File) {
	t.Helper()
	from, to, err := os.Pipe()
	must.NoError(t, err)
	p := New(from)
	t.Cleanup(func() { p.Close(); to.Close() })
	return p, to
}

func TestPipeCalmIsLookedAtSeldom(t *testing.T) {
	t.Parallel()
	p, to := testPipe(t)
	b := make([]byte, 100)
	read := func(want string) (took time.Duration) { // since the poll before, however busy the machine is
		t.Helper()
		before := p.looked
		n, err := p.Read(b)
		if err != nil || string(b[:n]) != want {
			t.Fatalf("read %q, %v; want %q", b[:n], err, want)
		}
		return time.Since(before)
	}
	to.WriteString("hello")
	read("hello")
	p.Calm = true
	to.WriteString("a")
	if read("a"); p.file != nil {
		t.Error("a calm pipe is waited for by the runtime, which wakes at each write")
	}
	to.WriteString("b")
	to.WriteString("c")
	if took := read("bc"); took < Every/2 {
		t.Errorf("polled again after %v, want %v", took, Every)
	}
	p.Calm = false // lines that must be stamped as they come
	time.AfterFunc(Every/10, func() { to.WriteString("d") })
	if read("d"); p.file == nil {
		t.Error("a pipe that is waited for is not the runtime's")
	}
	p.Calm = true
	to.WriteString("e")
	read("e")
	poll := p.Pace()
	to.WriteString("f")
	time.AfterFunc(Every/10, poll)
	if took := read("f"); took >= Late {
		t.Errorf("a requested poll came after %v", took)
	}
	to.WriteString("g")
	if took := read("g"); took < Late/2 {
		t.Errorf("without a request the poll came after %v", took)
	}
	to.Close()
	if n, err := p.Read(b); n != 0 || !errors.Is(err, io.EOF) {
		t.Errorf("at its end %d bytes, %v", n, err)
	}
}

func TestPipeClosingAPipeEndsItsReader(t *testing.T) {
	t.Parallel()
	for _, calm := range []bool{false, true} {
		p, _ := testPipe(t) // the other end stays open
		p.Calm = calm
		ended := make(chan error, 1)
		go func() {
			_, err := p.Read(make([]byte, 10))
			ended <- err
		}()
		time.Sleep(20 * time.Millisecond)
		p.Close()
		select {
		case err := <-ended:
			if !errors.Is(err, os.ErrClosed) {
				t.Errorf("calm %v: %v", calm, err)
			}
		case <-time.After(patience):
			t.Errorf("calm %v: its reader waits for ever", calm)
		}
	}
}

// TestPipeJobThatSaysMuchIsLookedAtOften: a pipe that fills before it is time for a
// look would hold up the job that is being measured.
func TestPipeJobThatSaysMuchIsLookedAtOften(t *testing.T) {
	t.Parallel()
	p, to := testPipe(t)
	p.Calm, p.room = true, 1000 // as on a system that gives small pipes
	p.Pace()
	line := make([]byte, 100)
	stop, ended := make(chan struct{}), make(chan struct{})
	go func() { // 10 kB/s
		defer close(ended)
		for tick := time.Tick(10 * time.Millisecond); ; {
			select {
			case <-tick:
				to.Write(line)
			case <-stop:
				return
			}
		}
	}()
	b := make([]byte, 1<<16)
	var waited []int
	for looks := 0; len(waited) < 7; looks++ {
		due, before := p.fills, p.looked
		n := must.Get(p.Read(b))(t)
		// The second one learns how much it says. Those that a busy machine made late say nothing.
		if looks > 1 && p.looked.Sub(before) < due+50*time.Millisecond {
			waited = append(waited, n)
		}
	}
	close(stop)
	<-ended
	slices.Sort(waited) // a busy machine may hold up the job itself before some of them
	if usual := waited[3]; usual == 0 || usual > filledPart*p.room {
		t.Errorf("%v bytes waited in a pipe of %d", waited, filledPart*p.room)
	}
}

func TestPipeWhatAJobSaidLastIsReadAtOnceWhenItHasEnded(t *testing.T) {
	t.Parallel()
	p, to := testPipe(t)
	b := make([]byte, 100)
	p.Calm = true
	p.Pace()
	to.WriteString("a")
	_, err := p.Read(b)
	must.NoError(t, err)
	to.WriteString("last")
	to.Close()
	p.End()
	if n, err := p.Read(b); string(b[:n]) != "last" || err != nil || p.file == nil {
		t.Errorf("read %q, %v; polled: %v", b[:n], err, p.file == nil)
	}
	if n, err := p.Read(b); n != 0 || !errors.Is(err, io.EOF) {
		t.Errorf("at its end %d bytes, %v", n, err)
	}
}

// TestPipeSlowReaderLosesNothingOfADeadJob although it takes longer than it may wait for more.
func TestPipeSlowReaderLosesNothingOfADeadJob(t *testing.T) {
	t.Parallel()
	p, to := testPipe(t) // the other end stays open
	p.grace = 20 * time.Millisecond
	to.Write(make([]byte, 60_000))
	p.End()
	b, got, began := make([]byte, 1000), 0, time.Now()
	for {
		n, err := p.Read(b)
		got += n
		if errors.Is(err, os.ErrDeadlineExceeded) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Millisecond) // the reader's work
	}
	if got != 60_000 || time.Since(began) < 20*time.Millisecond {
		t.Errorf("%d bytes of 60000 in %v", got, time.Since(began))
	}
}

// TestPipeEndsUnderAFlood of a process that outlived its job.
func TestPipeEndsUnderAFlood(t *testing.T) {
	t.Parallel()
	p, to := testPipe(t)
	p.End()
	go func() {
		for _, err := to.Write(make([]byte, 1<<16)); err == nil; _, err = to.Write(make([]byte, 1<<16)) {
		}
	}()
	got, b := 0, make([]byte, 1<<16)
	for {
		n, err := p.Read(b)
		if got += n; err != nil {
			break
		}
	}
	if got > drainBytes {
		t.Errorf("read %d bytes, want %d at most", got, drainBytes)
	}
}

// After the end of a job the rest is read without waiting once its grace or its bytes are used up.
func TestPipeDrainEndsWithItsGraceAndItsBytes(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		grace time.Duration
		rest  int
		want  string
	}{
		{"no grace is left", 0, 100, ""}, {"no bytes are left", patience, 0, ""},
		{"three bytes are left", patience, 3, "hel"},
	} {
		p, to := testPipe(t)
		to.WriteString("hello")
		p.End()
		p.grace, p.rest = c.grace, c.rest
		got, err := "", error(nil)
		for b, reads := make([]byte, 3), 0; err == nil && reads < 3; reads++ {
			n := 0
			n, err = p.Read(b)
			got += string(b[:n])
		}
		if got != c.want || !errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("%s: read %q, %v; want %q", c.name, got, err, c.want)
		}
	}
}
