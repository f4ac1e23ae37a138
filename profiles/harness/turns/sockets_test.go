package turns

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"jtune/internal/arrivals"
	"jtune/internal/must"
	"jtune/internal/tools/reliability"
	"jtune/profiles/harness"
	"jtune/profiles/harness/torch"
	"jtune/tegra"
)

// TestTurnJob is the job of the other tests of turns: the test's own program, started with these
// variables. It holds a lock while it has the turn, and says so when another has it.
func TestTurnJob(t *testing.T) {
	lock := os.Getenv("TURN_TEST_LOCK")
	if lock == "" {
		t.Skip("the job of other tests")
	}
	number := must.Get(strconv.Atoi(os.Getenv(harness.TurnVariable)))(t)
	socket := os.NewFile(uintptr(number), "turn")
	answers := bufio.NewReader(socket)
	f := must.Get(os.OpenFile(lock, os.O_RDWR|os.O_CREATE, 0o600))(t)
	if path := os.Getenv("TURN_TEST_PID"); path != "" {
		os.WriteFile(path, fmt.Append(nil, os.Getpid()), 0o600)
	}
	for n := 0; ; n++ {
		if says := os.Getenv("TURN_TEST_SAYS"); says != "" {
			fmt.Fprintln(socket, says)
		}
		fmt.Fprintln(socket, `{"want":"train"}`)
		line, err := answers.ReadString('\n')
		if err != nil {
			os.Exit(0)
		}
		var turn struct{ N int }
		json.Unmarshal([]byte(line), &turn)
		if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
			os.WriteFile(lock+".both", nil, 0o600)
		}
		if os.Getenv("TURN_TEST_HANG") == fmt.Sprint(n) {
			select {}
		}
		if os.Getenv("TURN_TEST_DIE") == fmt.Sprint(n) {
			fmt.Fprintln(os.Stderr, "CUDA error: out of memory")
			os.Exit(7)
		}
		if ms := os.Getenv("TURN_TEST_MS"); ms != "" {
			took, _ := time.ParseDuration(ms + "ms")
			time.Sleep(took)
		}
		syscall.Flock(int(f.Fd()), syscall.LOCK_UN)
		fmt.Fprintln(socket, `{"done":1}`)
	}
}

// turnJob is how that job is started.
func turnJob(lock string, env ...string) harness.ExecOptions {
	o := harness.ExecOptions{Command: []string{os.Args[0], "-test.run=^TestTurnJob$"},
		Env: map[string]string{"TURN_TEST_LOCK": lock}}
	for _, v := range env {
		k, value, _ := strings.Cut(v, "=")
		o.Env[k] = value
	}
	return o
}

// startTurnJobs starts two such jobs with even requests at a rate, one at a time, and training whenever
// none is due.
func startTurnJobs(t *testing.T, rate float64, train, infer harness.ExecOptions) *Pair {
	t.Helper()
	p := must.Get(Start(t.Context(), Options{Names: [2]string{"a", "b"}, Jobs: []harness.ExecOptions{train, infer},
		Clock: tegra.RealClock(), Turns: arrivals.Turns{Fill: true}, Batch: 1,
		Load:     arrivals.Load{Pattern: arrivals.Uniform, RatePerS: rate},
		patience: [2]time.Duration{serves: patience}}))(t)
	t.Cleanup(func() { p.Stop(context.Background()) })
	return p
}

// patience is how long an inference of these tests may keep its turn: less than the 15 s of a real one, and far more
// than a turn takes on a busy machine.
const patience = 4 * time.Second

// turnsOf counts the turns of each job until they are enough, or one of them is gone.
func turnsOf(t *testing.T, p *Pair, enough func(train, infer int) bool) (train, infer int, lost string) {
	t.Helper()
	for !enough(train, infer) {
		e, err := p.Next(t.Context())
		switch {
		case err != nil:
			t.Fatalf("after %d and %d turns: %v", train, infer, err)
		case e.Kind == harness.Gone:
			return train, infer, e.Message
		case e.Job == harness.JobTrain && e.Kind == harness.Minibatch:
			train++
		case e.Job == harness.JobInfer && e.Kind == harness.Infer:
			infer++
		}
	}
	return train, infer, ""
}

// Two processes take thousands of turns; then one is killed, dies or hangs: never both at once, and the other goes on.
func TestPairTakesTurnsThatNeverOverlap(t *testing.T) {
	t.Parallel()
	turns := 300
	if os.Getenv("JTUNE_LONG") != "" {
		turns = 10_000
	}
	lock := filepath.Join(t.TempDir(), "lock")
	goesOn := func(p *Pair, why string) {
		t.Helper()
		if _, _, lost := turnsOf(t, p, func(train, _ int) bool { return train > 20 }); lost != "" {
			t.Errorf("%s: the other job does not go on: %s", why, lost)
		}
	}
	pid := filepath.Join(t.TempDir(), "pid")
	p := startTurnJobs(t, 200, turnJob(lock), turnJob(lock, "TURN_TEST_PID="+pid))
	both := func(train, infer int) bool { return train+infer >= 2*turns && min(train, infer) > turns/20 }
	if train, infer, lost := turnsOf(t, p, both); lost != "" {
		t.Fatalf("after %d and %d turns: %s", train, infer, lost)
	}
	p.Share(TrainAlone)
	begin := time.Now()
	n, _, _ := turnsOf(t, p, func(train, _ int) bool { return train >= turns })
	t.Logf("%.3f ms a turn", 1000*time.Since(begin).Seconds()/float64(n))
	p.Share(Together)
	text, _ := os.ReadFile(pid)
	if n, err := strconv.Atoi(string(text)); err != nil || syscall.Kill(n, syscall.SIGKILL) != nil {
		t.Fatalf("the job %q is not there to be killed", text)
	}
	if _, _, lost := turnsOf(t, p, func(int, int) bool { return false }); !strings.Contains(lost, "infer job b") ||
		!strings.Contains(lost, "killed") {
		t.Errorf("of a killed job: %s", lost)
	}
	goesOn(p, "killed")
	p.Stop(t.Context())

	p = startTurnJobs(t, 200, turnJob(lock), turnJob(lock, "TURN_TEST_DIE=3"))
	if _, _, lost := turnsOf(t, p, func(int, int) bool { return false }); !strings.Contains(lost, "out of memory") {
		t.Errorf("of a job that dies: %s", lost)
	}
	goesOn(p, "died")
	p.Stop(t.Context())
	if e, err := p.Next(t.Context()); err == nil {
		for ; err == nil; e, err = p.Next(t.Context()) {
			_ = e
		}
		if !errors.Is(err, io.EOF) {
			t.Errorf("after the end: %v", err)
		}
	}
	if _, err := os.Stat(lock + ".both"); err == nil {
		t.Error("two jobs had the turn at once")
	}
}

func TestPairEndsAJobThatKeepsItsTurn(t *testing.T) {
	t.Parallel()
	lock := filepath.Join(t.TempDir(), "lock")
	p := startTurnJobs(t, 200, turnJob(lock), turnJob(lock, "TURN_TEST_HANG=6"))
	_, infer, lost := turnsOf(t, p, func(int, int) bool { return false })
	if infer != 6 || !strings.Contains(lost, "does not give it back") {
		t.Errorf("of a job that hangs after 6 turns: %d, %s", infer, lost)
	}
	if _, _, lost := turnsOf(t, p, func(train, _ int) bool { return train > 20 }); lost != "" {
		t.Errorf("the other job does not go on: %s", lost)
	}
	if _, err := os.Stat(lock + ".both"); err == nil {
		t.Error("two jobs had the turn at once")
	}
}

// Strict turns: a minibatch that would end after the next batch is due waits.
func TestPairStrictLeavesRoomForTheBatchThatIsDue(t *testing.T) {
	t.Parallel()
	lock := filepath.Join(t.TempDir(), "lock")
	p := startTurnJobs(t, 10, turnJob(lock, "TURN_TEST_MS=30"), turnJob(lock, "TURN_TEST_MS=10"))
	p.s.o.Turns = arrivals.Turns{Tau: 100}
	p.Share(Together)
	since, most, late, infer := 0, 0, 0, 0
	tooLate := func() bool { return late > max(3, infer/3) }
	for infer < 8 || (most < 1 || tooLate()) && infer < 200 { // a busy machine makes minibatches too long for a while
		e := must.Get(p.Next(t.Context()))(t)
		switch e.Kind {
		case harness.Minibatch:
			if since++; e.Late {
				late++
			}
		case harness.Infer:
			most, since, infer = max(most, since), 0, infer+1
		}
	}
	// There are 90 ms of room for minibatches of 30 ms.
	if most < 1 || most > 4 || tooLate() {
		t.Errorf("%d minibatches between two batches at most, %d late of %d batches", most, late, infer)
	}
}

func TestPairRefusesWhatIsNoTurn(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ says, want string }{
		{"hello", "no turn"},
		{"{}", "no turn"},
		{`{"want":"train","done":1}`, "no turn"},
		{strings.Repeat("x", 2*longestLine), "no turn"},
		{`{"done":1}`, "does not have"},
		{`{"want":"train"}`, "while it has one"},
	} {
		p := startTurnJobs(t, 1, turnJob(filepath.Join(t.TempDir(), "lock"), "TURN_TEST_SAYS="+c.says),
			turnJob(filepath.Join(t.TempDir(), "lock")))
		if _, _, lost := turnsOf(t, p, func(int, int) bool { return false }); !strings.Contains(lost, c.want) {
			t.Errorf("%.20q: %s, want %s", c.says, lost, c.want)
		}
		p.Stop(t.Context())
	}
}

// The block of jtune.py takes turns too, and runs at once without a socket.
func TestPairTakesTurnsWithPython(t *testing.T) {
	t.Parallel()
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("no python3")
	}
	folder := t.TempDir()
	_, err = torch.Write(folder)
	must.NoError(t, err)
	script := "import jtune\nfor _ in range(3):\n    with jtune.turn('infer') as n:\n" +
		"        jtune.tell('note', message=str(n))\n"
	train := turnJob(filepath.Join(t.TempDir(), "lock"), "TURN_TEST_MS=1")
	p := must.Get(Start(t.Context(), Options{Names: [2]string{"a", "b"}, Clock: tegra.RealClock(), Batch: 16,
		Jobs: []harness.ExecOptions{train, {Command: []string{python, "-c", script}, Dir: folder,
			Env: map[string]string{"JTUNE_PROTOCOL": "2"}}},
		Turns: arrivals.Turns{Fill: true}, Load: arrivals.Load{Pattern: arrivals.Uniform, RatePerS: 1000}}))(t)
	defer p.Stop(context.Background())
	batches, requests := 0, 0
	for {
		e := must.Get(p.Next(t.Context()))(t)
		if e.Kind == harness.Infer && e.N == 16 {
			batches++
		}
		if e.Kind == harness.Request && e.Arrive <= e.Start && e.Start <= e.First {
			requests++
		}
		if e.Kind == harness.Gone {
			if !strings.Contains(e.Message, "by itself") {
				t.Errorf("at its end: %s", e.Message)
			}
			break
		}
	}
	if batches != 3 || requests != 48 {
		t.Errorf("%d batches of 16, %d requests, want 3 and 48", batches, requests)
	}
	alone := exec.Command(python, "-c", script)
	alone.Dir = folder
	if out, err := alone.CombinedOutput(); err != nil {
		t.Errorf("without a socket: %v %s", err, out)
	}
}

func FuzzParseTurn(f *testing.F) {
	f.Add([]byte(`{"want":"train"}`))
	f.Add([]byte(`{"done":1}`))
	f.Fuzz(func(t *testing.T, line []byte) {
		defer reliability.Input(t)()
		if d := parseTurn(line); (d.what == gone) != (d.err != nil) || d.what == nothing {
			t.Errorf("%q: %+v", line, d)
		}
	})
}

// BenchmarkPairTurn is what a turn costs: of a job without work.
func BenchmarkPairTurn(b *testing.B) {
	lock := filepath.Join(b.TempDir(), "lock")
	p := must.Get(Start(b.Context(), Options{Names: [2]string{"a", "b"}, Clock: tegra.RealClock(), Batch: 1,
		Jobs: []harness.ExecOptions{turnJob(lock), turnJob(lock)}, Load: arrivals.Load{Pattern: arrivals.Uniform,
			RatePerS: 1}}))(b)
	defer p.Stop(context.Background())
	p.Share(TrainAlone)
	for n := -100; n < b.N; n++ {
		if n == 0 {
			b.ResetTimer()
		}
		for e := (harness.Event{}); e.Kind != harness.Minibatch; {
			e = must.Get(p.Next(b.Context()))(b)
		}
	}
}
