package harness

import (
	"context"
	"fmt"
	"io"
	"testing"
	"time"

	"jtune/internal/must"
	"jtune/profiles/harness/pipe"
	"jtune/tegra"
)

func TestParserLineThatTellsItsTimeMayBeReadLate(t *testing.T) {
	var p parser
	read := func(line string, now time.Duration) (time.Duration, bool) {
		_, err := p.parse([]byte(line))
		must.NoError(t, err)
		return p.when(now, pipe.Every)
	}
	minibatch := func(at float64) string { return fmt.Sprintf(`{"event":"minibatch","time_ms":60,"t":%g}`, at) }
	const s = time.Second
	for _, c := range []struct {
		name      string
		line      string
		now, want time.Duration
		mayWait   bool
	}{
		{"the first ties the clocks", minibatch(100), 5 * s, 5 * s, true},
		{"two that were read together", minibatch(100.06), 5*s + 120*time.Millisecond, 5*s + 60*time.Millisecond, true},
		{"the second of them", minibatch(100.12), 5*s + 120*time.Millisecond, 5*s + 120*time.Millisecond, true},
		{"one that came sooner than the first ties them again", minibatch(100.2), 5*s + 180*time.Millisecond,
			5*s + 180*time.Millisecond, true},
		{"a job's clock that runs slow makes none older than it can be", minibatch(101), 10 * s, 10*s - pipe.Every,
			true},
		{"a line without its time happened now", `{"event":"minibatch","time_ms":60}`, 11 * s, 11 * s, false},
	} {
		if at, mayWait := read(c.line, c.now); (at-c.want).Abs() > time.Microsecond || mayWait != c.mayWait {
			t.Errorf("%s: at %v, may wait %v; want %v, %v", c.name, at, mayWait, c.want, c.mayWait)
		}
	}
}

// TestParserReadsAJobSeldomAndRightly: minibatches of a job that stamps them are read in lumps, so most have waited
// when they come, and their times say when they were written.
func TestParserReadsAJobSeldomAndRightly(t *testing.T) {
	script := `t=0; while [ $t -lt 20 ]; do sleep 0.05; t=$((t+1)); echo "{\"event\":\"minibatch\",\"time_ms\":50,\"t\":$(date +%s.%N)}"; done`
	for name, o := range map[string]ExecOptions{"protocol": {}, "detected": {Detect: &Detect{}, Echo: io.Discard}} {
		t.Run(name, func(t *testing.T) { readsSeldom(t, script, o) })
	}
}

func readsSeldom(t *testing.T, script string, o ExecOptions) {
	clock := tegra.RealClock()
	o.Command, o.Clock = []string{"sh", "-c", script}, clock
	j := must.Get(Exec(context.Background(), o))(t)
	defer j.Stop(context.Background())
	var last time.Duration
	waited, n := 0, 0
	for ; n < 20; n++ {
		e, came := must.Get(j.Next(context.Background()))(t), clock.Now()
		if e.T < last || e.T > came || came-e.T > must.Patience {
			t.Errorf("minibatch %d: at %v, after one at %v, taken at %v", n, e.T, last, came)
		}
		if came-e.T > 30*time.Millisecond {
			waited++
		}
		last = e.T
	}
	if waited < n/2 {
		t.Errorf("%d minibatches of %d were read when they were written", n-waited, n)
	}
}

// TestParserJobThatIsReadSeldomIsNotSilent: what it has said waits for longer than
// it may be silent.
func TestParserJobThatIsReadSeldomIsNotSilent(t *testing.T) {
	t.Parallel()
	script := `while :; do sleep 0.1; echo "{\"event\":\"minibatch\",\"time_ms\":50,\"t\":$(date +%s.%N)}"; done`
	j := sh(t, script, ExecOptions{Silence: pipe.Late - 100*time.Millisecond})
	j.Pace()
	for began := time.Now(); time.Since(began) < 2*pipe.Late; {
		_, err := j.Next(t.Context())
		must.NoError(t, err)
	}
	began := time.Now()
	if err := j.Stop(t.Context()); err != nil || time.Since(began) > termGrace {
		t.Errorf("stopped after %v, %v", time.Since(began), err)
	}
}
