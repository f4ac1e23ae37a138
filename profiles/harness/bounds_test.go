package harness

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"jtune/internal/must"
)

// A program's own summary counts where all its numbers are there and can be true.
func TestSummedNeedsAllNumbers(t *testing.T) {
	t.Parallel()
	longest := time.Duration(maxTimeMS * float64(time.Millisecond))
	good := Summary{TimeMS: 5}
	for _, c := range []struct {
		end, span time.Duration
		units     float64
		s         Summary
		ok        bool
	}{
		{time.Second, time.Second, 1, good, true}, {time.Second, longest, maxCount, Summary{TimeMS: maxTimeMS}, true},
		{0, time.Second, 1, good, false}, {time.Second, 0, 1, good, false}, {time.Second, -1, 1, good, false},
		{time.Second, longest + time.Millisecond, 1, good, false}, {time.Second, time.Second, 0.9, good, false},
		{time.Second, time.Second, maxCount + 1e6, good, false}, {time.Second, time.Second, math.NaN(), good, false},
		{time.Second, time.Second, 1, Summary{}, false},
		{time.Second, time.Second, 1, Summary{TimeMS: 2 * maxTimeMS}, false},
		{time.Second, time.Second, 1, Summary{TimeMS: math.NaN()}, false},
	} {
		if got := summed(c.end, c.span, c.units, c.s); (got != nil) != c.ok {
			t.Errorf("%+v: %+v", c, got)
		}
	}
	if e := summed(3*time.Second, 2*time.Second, 10.6, good); e.N != 11 || e.TimeMS != 2000 || e.T != 3*time.Second {
		t.Errorf("got %+v", e)
	}
}

// The job's clock is tied to ours by the line that came soonest; no event is dated back by more than the requested
// time.
func TestParserDatesEventsByTheSoonestLine(t *testing.T) {
	t.Parallel()
	var p parser
	at := func(own float64, now time.Duration) (time.Duration, bool) {
		_, err := p.parse(fmt.Appendf(nil, `{"event":"stable","t":%g}`, own))
		must.NoError(t, err)
		return p.when(now, 10*time.Second)
	}
	for _, c := range []struct {
		own       float64
		now, want time.Duration
	}{
		{1, 101 * time.Second, 101 * time.Second},
		{2, 103 * time.Second, 102 * time.Second},                   // it came a second late
		{3, 102500 * time.Millisecond, 102500 * time.Millisecond},   // sooner than the first
		{4, 200 * time.Second, 190 * time.Second},                   // no farther back
		{102, 201500 * time.Millisecond, 201500 * time.Millisecond}, // as soon as that one
	} {
		if got, waits := at(c.own, c.now); got != c.want || !waits {
			t.Errorf("%g at %v: %v, %v, want %v", c.own, c.now, got, waits, c.want)
		}
	}
	_, err := p.parse([]byte(`{"event":"stable"}`))
	must.NoError(t, err)
	if got, waits := p.when(time.Hour, time.Second); got != time.Hour || waits {
		t.Errorf("a line without a time: %v, %v", got, waits)
	}
	if _, err := p.parse([]byte(`{"event":"stable","t":5}`)); err == nil {
		t.Error("a clock that goes back is believed")
	}
}

// Counts and times that no program has are no events.
func TestPatternsTakeNoImpossibleNumbers(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]float64{"ms 5": 5, "ms 0": 0, "ms -1": 0, "ms nan": 0, "ms inf": 0,
		"ms " + fmt.Sprint(maxTimeMS): maxTimeMS, "ms " + fmt.Sprint(2*maxTimeMS): 0} {
		p, err := newPattern(`ms (?P<time_ms>\S+)`)
		must.NoError(t, err)
		f, _, _ := p.find([]byte(line), true)
		got := f.ms
		if got > maxTimeMS {
			got = 0
		}
		if got != want {
			t.Errorf("%q: %v, want %v", line, got, want)
		}
	}
	p, err := newPattern(`step (?P<batch>\d+)`)
	must.NoError(t, err)
	for _, c := range []struct {
		step int64
		ok   bool
	}{{0, true}, {maxCount, true}, {maxCount + 1, false}} {
		if f, _, ok := p.find(fmt.Appendf(nil, "step %d", c.step), true); ok != c.ok || ok && int64(f.done) != c.step {
			t.Errorf("step %d: %+v, %v", c.step, f, ok)
		}
	}
}

// A run of llama-bench after another kind, or after its warm-up, has no time of its own.
func TestLlamaBenchTimesRunsThatFollowEachOther(t *testing.T) {
	t.Parallel()
	l := newLlamaBench(strings.Fields("llama-bench -n 32 -p 64"))
	say := func(s int, text string) int {
		events, ok := l.read([]byte("llama-bench: benchmark 1/1: "+text), time.Duration(s)*time.Second, true)
		if !ok {
			t.Errorf("%q is not read", text)
		}
		return len(events)
	}
	for i, c := range []struct {
		text string
		n    int
	}{
		{"generation run 1/9", 0}, {"generation run 2/9", 1}, {"warmup generation run", 0}, {"generation run 3/9", 0},
		{"generation run 4/9", 1}, {"prompt run 5/9", 0}, {"prompt run 6/9", 1}, {"prompt run 8/9", 0},
	} {
		if got := say(i+1, c.text); got != c.n {
			t.Errorf("line %d, %q: %d events, want %d", i, c.text, got, c.n)
		}
	}
}

// The final report of llama-bench counts for all its tests if no run was timed.
func TestLlamaBenchSumsUpItsSamples(t *testing.T) {
	t.Parallel()
	l := newLlamaBench(strings.Fields("llama-bench -n 32 -p 0"))
	l.read([]byte(`{"n_prompt":0,"n_gen":32,"backends":"CUDA","samples_ns":[2e9,3e9,4e9]}`), 20*time.Second, true)
	e := l.(summing).summary()
	if e == nil || e.TimeMS != 9000 || e.N != 96 || e.Phase != "decode" || e.Summary.TimeMS != 3000 ||
		e.T != 20*time.Second {
		t.Errorf("got %+v", e)
	}
}
