package harness

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"jtune/profiles/harness/torch"
)

// TestTurnJob is the job of the other tests of turns: the test's own program, started with these
// variables. It holds a lock while it has the turn, and says so when another has it.
func TestTurnJob(t *testing.T) {
	lock := os.Getenv("TURN_TEST_LOCK")
	if lock == "" {
		t.Skip("the job of other tests")
	}
	socket := os.NewFile(turnFile, "turn")
	answers := bufio.NewReader(socket)
	f, err := os.OpenFile(lock, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	for n := 0; ; n++ {
		fmt.Fprintln(socket, `{"want":"train"}`)
		if _, err := answers.ReadString('\n'); err != nil {
			os.Exit(0)
		}
		if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
			os.WriteFile(lock+".both", nil, 0o600)
		}
		if os.Getenv("TURN_TEST_HANG") == fmt.Sprint(n) {
			select {}
		}
		syscall.Flock(int(f.Fd()), syscall.LOCK_UN)
		fmt.Fprintln(socket, `{"done":1}`)
	}
}

// startTurns starts the job and its party.
func startTurns(t *testing.T, name, lock string, env ...string) (*Party, *job) {
	t.Helper()
	p, theirs, err := NewParty(name)
	if err != nil {
		t.Fatal(err)
	}
	o := ExecOptions{Command: []string{os.Args[0], "-test.run=^TestTurnJob$"}, Turn: theirs,
		Env: map[string]string{"TURN_TEST_LOCK": lock}}
	for _, v := range env {
		k, value, _ := strings.Cut(v, "=")
		o.Env[k] = value
	}
	h, err := Exec(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		h.Stop(context.Background())
		p.Close()
	})
	return p, h.(*job)
}

// grant waits for a job's want and gives it a turn.
func grant(ctx context.Context, p *Party) error {
	if ok, err := p.Await(ctx, time.Minute); err != nil || !ok {
		return errors.Join(err, fmt.Errorf("wants a turn: %v", ok))
	}
	return p.Grant(ctx, 16)
}

// Two processes take 10,000 turns, one is killed and one hangs: never both at once, the other goes on.
func TestPartyTakesTurnsThatNeverOverlap(t *testing.T) {
	t.Parallel()
	turns := 200
	if os.Getenv("JTUNE_LONG") != "" {
		turns = 10_000
	}
	lock := filepath.Join(t.TempDir(), "lock")
	a, _ := startTurns(t, "train", lock)
	b, killed := startTurns(t, "infer", lock)
	begin := time.Now()
	for i := range turns {
		for _, p := range []*Party{a, b} {
			if err := grant(t.Context(), p); err != nil {
				t.Fatalf("turn %d: %v", i, err)
			}
		}
	}
	t.Logf("%.3f ms a turn", 1000*time.Since(begin).Seconds()/float64(2*turns))
	if a.Median() <= 0 || a.Median() > time.Second {
		t.Errorf("the median turn is %v", a.Median())
	}
	killed.cmd.Process.Kill()
	var err error
	for err == nil {
		err = grant(t.Context(), b)
	}
	if !errors.Is(err, io.EOF) {
		t.Errorf("of a killed job: %v", err)
	}
	if err := grant(t.Context(), a); err != nil {
		t.Errorf("the other job does not go on: %v", err)
	}
	c, hung := startTurns(t, "infer", lock, "TURN_TEST_HANG=3")
	c.Longer = 200 * time.Millisecond
	for err = nil; err == nil; {
		err = grant(t.Context(), c)
	}
	var silent *HungError
	if !errors.As(err, &silent) || silent.Job != "infer" {
		t.Errorf("of a job that hangs: %v", err)
	}
	hung.Stop(t.Context())
	if err := grant(t.Context(), a); err != nil {
		t.Errorf("the other job does not go on: %v", err)
	}
	if _, err := os.Stat(lock + ".both"); err == nil {
		t.Error("two jobs had the turn at once")
	}
}

func TestPartyRefusesWhatIsNoTurn(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ says, want string }{
		{"hello\n", "no turn"},
		{"{}\n", "no turn"},
		{`{"want":"train","done":1}` + "\n", "no turn"},
		{strings.Repeat("x", 2*longestTurnLine), "no more turns"},
		{`{"done":1}` + "\n", "does not have"},
		{"", "no more turns"},
	} {
		p, theirs, err := NewParty("train")
		if err != nil {
			t.Fatal(err)
		}
		io.WriteString(theirs, c.says)
		theirs.Close()
		if ok, err := p.Await(t.Context(), time.Minute); ok || err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%.20q: %v, %v, want %s", c.says, ok, err, c.want)
		}
		p.Close()
	}
	p, theirs, err := NewParty("train")
	if err != nil {
		t.Fatal(err)
	}
	defer theirs.Close()
	io.WriteString(theirs, `{"want":"train"}`+"\n"+`{"want":"train"}`+"\n")
	if err := grant(t.Context(), p); err == nil || !strings.Contains(err.Error(), "while it has one") {
		t.Errorf("a second want: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := p.Await(ctx, time.Minute); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	p.Close()
}

// The block of jtune.py takes turns too, and runs at once without a socket.
func TestPartyTakesTurnsWithPython(t *testing.T) {
	t.Parallel()
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("no python3")
	}
	folder := t.TempDir()
	if _, err := torch.Write(folder); err != nil {
		t.Fatal(err)
	}
	script := "import jtune\nfor _ in range(3):\n    with jtune.turn('infer') as n:\n" +
		"        jtune.tell('infer', n=n, time_ms=1)\n"
	p, theirs, err := NewParty("infer")
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	h, err := Exec(t.Context(), ExecOptions{Command: []string{python, "-c", script}, Dir: folder, Turn: theirs,
		Env: map[string]string{"JTUNE_PROTOCOL": "2"}})
	if err != nil {
		t.Fatal(err)
	}
	defer h.Stop(context.Background())
	for range 3 {
		if err := grant(t.Context(), p); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := p.Await(t.Context(), time.Minute); !errors.Is(err, io.EOF) {
		t.Errorf("at its end: %v", err)
	}
	for range 3 {
		if e, err := h.Next(t.Context()); err != nil || e.N != 16 {
			t.Errorf("%+v, %v, want a batch of 16", e, err)
		}
	}
	alone := exec.Command(python, "-c", script)
	alone.Dir = folder
	if out, err := alone.CombinedOutput(); err != nil {
		t.Errorf("without a socket: %v %s", err, out)
	}
}

func FuzzPartyReadsLines(f *testing.F) {
	f.Add([]byte("{\"want\":\"train\"}\n{\"done\":1}\n"))
	f.Fuzz(func(t *testing.T, said []byte) {
		p, theirs, err := NewParty("train")
		if err != nil {
			t.Skip(err)
		}
		go func() {
			theirs.Write(said)
			theirs.Close()
		}()
		for ok, err := true, error(nil); ok && err == nil; {
			if ok, err = p.Await(t.Context(), time.Minute); ok {
				err = p.Grant(t.Context(), 1)
			}
		}
		p.Close()
	})
}

// BenchmarkParty is what a turn costs, beside a pipe's round trip of one byte between two threads.
func BenchmarkParty(b *testing.B) {
	p, theirs, err := NewParty("train")
	if err != nil {
		b.Fatal(err)
	}
	defer p.Close()
	go func() {
		answers := bufio.NewReader(theirs)
		for {
			io.WriteString(theirs, "{\"want\":\"train\"}\n")
			if _, err := answers.ReadString('\n'); err != nil {
				return
			}
			io.WriteString(theirs, "{\"done\":1}\n")
		}
	}()
	for b.Loop() {
		if err := grant(b.Context(), p); err != nil {
			b.Fatal(err)
		}
	}
}
