package harness

import (
	"errors"
	"io"
	"os"
	"testing"
	"time"
)

// testPipe returns a pipe and what its job would write to.
func testPipe(t *testing.T) (*pipe, *os.File) {
	t.Helper()
	from, to, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	p := newPipe(from)
	t.Cleanup(func() { p.Close(); to.Close() })
	return p, to
}

func TestPipeCalmIsLookedAtSeldom(t *testing.T) {
	t.Parallel()
	p, to := testPipe(t)
	b := make([]byte, 100)
	read := func(want string) (took time.Duration) {
		t.Helper()
		began := time.Now()
		n, err := p.Read(b)
		if err != nil || string(b[:n]) != want {
			t.Fatalf("read %q, %v; want %q", b[:n], err, want)
		}
		return time.Since(began)
	}
	to.WriteString("hello")
	read("hello")
	p.calm = true
	to.WriteString("a")
	if read("a"); p.file != nil {
		t.Error("a calm pipe is waited for by the runtime, which wakes at each write")
	}
	to.WriteString("b")
	to.WriteString("c")
	if took := read("bc"); took < pollEvery/2 {
		t.Errorf("polled again after %v, want %v", took, pollEvery)
	}
	p.calm = false // lines that must be stamped as they come
	written := make(chan time.Time, 1)
	time.AfterFunc(pollEvery/10, func() { written <- time.Now(); to.WriteString("d") })
	if read("d"); p.file == nil {
		t.Error("a pipe that is waited for is not the runtime's")
	}
	if late := time.Since(<-written); late > pollEvery/2 {
		t.Errorf("heard %v after it was written", late)
	}
	p.calm = true
	to.WriteString("e")
	read("e")
	poll := p.pace()
	to.WriteString("f")
	time.AfterFunc(pollEvery/10, poll)
	if took := read("f"); took > pollMost/2 {
		t.Errorf("a requested poll came after %v", took)
	}
	to.WriteString("g")
	if took := read("g"); took < pollMost/2 {
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
		p.calm = calm
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
		case <-time.After(20 * time.Second):
			t.Errorf("calm %v: its reader waits for ever", calm)
		}
	}
}

// TestPipeJobThatSaysMuchIsLookedAtOften: a pipe that fills before it is time for a
// look would hold up the job that is being measured.
func TestPipeJobThatSaysMuchIsLookedAtOften(t *testing.T) {
	t.Parallel()
	p, to := testPipe(t)
	p.calm, p.room = true, 1000 // as on a system that gives small pipes
	p.pace()
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
	most, began := 0, time.Now()
	for looks := 0; time.Since(began) < pollMost; looks++ {
		n, err := p.Read(b)
		if err != nil {
			t.Fatal(err)
		}
		if looks > 1 { // the second one learns how much it says
			most = max(most, n)
		}
	}
	close(stop)
	<-ended
	if most == 0 || most > filledPart*p.room {
		t.Errorf("up to %d bytes stood in a pipe of %d", most, filledPart*p.room)
	}
}

func TestPipeWhatAJobSaidLastIsReadAtOnceWhenItHasEnded(t *testing.T) {
	t.Parallel()
	p, to := testPipe(t)
	b := make([]byte, 100)
	p.calm = true
	p.pace()
	to.WriteString("a")
	if _, err := p.Read(b); err != nil {
		t.Fatal(err)
	}
	to.WriteString("last")
	to.Close()
	began := time.Now()
	p.end()
	if n, err := p.Read(b); string(b[:n]) != "last" || err != nil {
		t.Errorf("read %q, %v", b[:n], err)
	}
	if n, err := p.Read(b); n != 0 || !errors.Is(err, io.EOF) {
		t.Errorf("at its end %d bytes, %v", n, err)
	}
	if took := time.Since(began); took > pollMost/2 {
		t.Errorf("its end was heard after %v", took)
	}
}
