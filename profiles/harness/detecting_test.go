package harness

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"jtune/profiles/harness/detect"
)

// A healthy job that prints lines of something else for longer than it may be silent is not ended.
func TestDetectingTakesAnyOutputAsASignOfLife(t *testing.T) {
	t.Parallel()
	script := `for i in 1 2 3 4 5 6; do echo "Test: nothing yet"; sleep 0.2; done; ` +
		`for i in 1 2 3 4 5 6 7 8; do echo step $i; sleep 0.02; done`
	h := sh(t, script, ExecOptions{Detect: &Detect{}, Silence: 900 * time.Millisecond})
	events, err := all(t, h)
	if !errors.Is(err, io.EOF) {
		t.Fatal(err)
	}
	n := 0
	for _, e := range events {
		if e.Timed() {
			n++
		}
	}
	if n < 5 {
		t.Errorf("%d steps of %v", n, events)
	}
}

func TestDetectingSaysEarlyThatNothingIsUnderstood(t *testing.T) {
	t.Parallel()
	script := `for i in 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1; do echo "all is well"; done; sleep 2; echo over`
	h := sh(t, script, ExecOptions{Detect: &Detect{}})
	e, err := h.Next(t.Context())
	if err != nil || e.Kind != Note || !strings.Contains(e.Message, "the last: all is well. The command continues.") {
		t.Errorf("%+v, %v", e, err)
	}
	if _, err := all(t, h); !errors.Is(err, ErrNotUnderstood) {
		t.Errorf("it ended with %v", err)
	}
}

// Lines that tell something of which nothing can be taken are not understood either, nor what comes before the work;
// slow steps only need time.
func TestDetectingDoubtsAfterTenSecondsOfWork(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		line  string
		every time.Duration
		doubt bool
	}{
		{"utt-%d decode=20ms", 200 * time.Millisecond, true},
		{"FPS: 2%[1]d.0 | ETA", 500 * time.Millisecond, true},
		{"step %d", 4 * time.Second, false},
		{"step %d", time.Second, false},
		{"loading %d/999", 200 * time.Millisecond, true},
	} {
		r, note, at := newDetecting(Detect{Options: detect.Options{}, ToEnd: true}, nil), "", time.Duration(0)
		for i := 0; at <= 11*time.Second; i++ {
			at += c.every
			r.read(fmt.Appendf(nil, c.line, i), at, true)
			if said := r.doubt(at); note == "" {
				note = said
			}
		}
		if doubt := strings.Contains(note, "The command continues."); doubt != c.doubt {
			t.Errorf("%q: %q", c.line, note)
		}
	}
}

func TestDetectingReadsOneResultAtTheEndByAnOwnExpression(t *testing.T) {
	t.Parallel()
	script := `sleep 0.3; echo "mean 12.5 ms of 40 images"`
	h := sh(t, script, ExecOptions{Detect: &Detect{PerRun: true},
		Pattern: `mean (?P<time_ms>[\d.]+) ms of (?P<units>\d+)`})
	events, err := all(t, h)
	if !errors.Is(err, io.EOF) || len(events) == 0 {
		t.Fatalf("%v, %v", events, err)
	}
	if e := events[len(events)-1]; e.Summary == nil || e.Summary.TimeMS != 12.5 || e.N != 40 {
		t.Errorf("%+v", e)
	}
}

func TestDetectingReadsARunAsAWhole(t *testing.T) {
	t.Parallel()
	h := sh(t, "sleep 0.3; echo done", ExecOptions{Detect: &Detect{PerRun: true}})
	events, err := all(t, h)
	if !errors.Is(err, io.EOF) || len(events) != 1 || events[0].Summary == nil || events[0].TimeMS < 290 {
		t.Errorf("%+v, %v", events, err)
	}
}

// A program that ends without a step was not understood, unless it may be measured as a whole.
func TestDetectingMayEndWithoutAStep(t *testing.T) {
	t.Parallel()
	for _, toEnd := range []bool{false, true} {
		r := newDetecting(Detect{ToEnd: toEnd}, nil)
		r.read([]byte("all is well"), time.Second, true)
		if r.finish(2 * time.Second); (r.err == nil) != toEnd {
			t.Errorf("to its end %v: %v", toEnd, r.err)
		}
	}
}

// An event of the protocol with a time is taken in place of all other lines, from then on.
func TestDetectingReadsEventsAloneOnceItSawOne(t *testing.T) {
	t.Parallel()
	r := newDetecting(Detect{}, nil)
	for i, c := range []struct {
		line         string
		events, took bool
	}{
		{`{"event":"hello","protocol":1}`, true, false}, {`{}`, false, false},
		{`{"event":"minibatch","time_ms":5}`, true, true}, {`{"event":"hello","protocol":1}`, true, true},
		{"step 3", false, true},
	} {
		events, _ := r.read([]byte(c.line), time.Duration(i)*time.Second, true)
		if (len(events) > 0) != c.events || r.took() != c.took {
			t.Errorf("%s: %d events, anything usable: %v", c.line, len(events), r.took())
		}
	}
}

// A job's own logger may use the names of the protocol's events: they control no run unless the job was started with
// the protocol or has said hello with its number.
func TestEventsThatControlARunComeFromJobsThatSpeakTheProtocol(t *testing.T) {
	t.Parallel()
	const greets = `echo '{"event":"hello","protocol":1}'; `
	for _, kind := range []Kind{Failure, Done, Cache, Stable, Warm, EpochEnd, Hello} {
		for name, c := range map[string]struct {
			before  string
			started bool
			taken   bool
		}{"logs": {}, "started with it": {started: true, taken: true}, "says hello": {before: greets, taken: true}} {
			job := sh(t, c.before+`echo '{"event":"`+string(kind)+`","message":"retry","n":1,"share":1}'`,
				ExecOptions{Detect: &Detect{ToEnd: true}, Protocol: c.started})
			events, err := all(t, job)
			got := slices.ContainsFunc(events, func(e Event) bool { return e.Kind == kind && e.Info["protocol"] == "" })
			if got != c.taken || !errors.Is(err, io.EOF) {
				t.Errorf("%s, %s: events %v, %v", kind, name, events, err)
			}
		}
	}
}

func TestDetectingStepsOfALineBeginWithTheLineBefore(t *testing.T) {
	t.Parallel()
	r := newDetecting(Detect{}, nil)
	steps := 0
	for i := range 12 {
		at := time.Duration(i+1) * 2 * time.Second
		events, _ := r.read(fmt.Appendf(nil, "step %d", 20*i), at, true)
		for _, e := range events {
			if !e.Timed() {
				continue
			}
			steps++
			if begin := at - 4*time.Second; e.Earliest() != begin || e.Began() < begin-time.Microsecond { // one is held
				t.Errorf("step %d began %v, at the earliest %v, want %v", e.Batch, e.Began(), e.Earliest(), begin)
			}
		}
	}
	if steps < 100 {
		t.Errorf("%d steps", steps)
	}
}

func TestReadsNamesWhatIsLeftOut(t *testing.T) {
	t.Parallel()
	r := detect.Reading{Form: "tqdm", What: "train", Unit: detect.Step, Of: 60, TimeMS: 12.5}
	const plain = `reads: tqdm "train", 60 an epoch, 12.5 ms a minibatch`
	if got := Reads(r); got != plain {
		t.Errorf("got %s", got)
	}
	r.LeftOut = []detect.LeftOut{{What: "val", Count: 3, S: 1.5}}
	if got, want := Reads(r), plain+"; left out: val (3, 1.5 s)"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	r.LeftOut = append(r.LeftOut, detect.LeftOut{What: "pauses", Count: 1, S: 20})
	r.Samples, r.Assumed, r.Of = 32, true, 0
	if got, want := Reads(r), `reads: tqdm "train", of 32 samples each (assumed: `; !strings.HasPrefix(got, want) ||
		!strings.HasSuffix(got, "; left out: val (3, 1.5 s), pauses (1, 20.0 s)") {
		t.Errorf("got %s", got)
	}
}

// A job that has to be understood is given up after the longest start; one that is measured as a whole is not.
func TestDetectingGivesUpWhatTellsNothing(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		line           string
		o              Detect
		took, patience time.Duration
		over           bool
	}{
		{"all is well", Detect{}, StartLimit, 0, true}, {"all is well", Detect{}, StartLimit - time.Second, 0, false},
		{"all is well", Detect{}, StartLimit, time.Hour, false}, {"all is well", Detect{}, time.Hour, time.Hour, true},
		{"all is well", Detect{}, time.Minute, time.Minute, true},
		{"all is well", Detect{ToEnd: true}, time.Hour, 0, false},
		{"all is well", Detect{PerRun: true}, time.Hour, 0, false},
	} {
		r := newDetecting(c.o, nil)
		for i := range 30 {
			r.read([]byte(c.line), time.Duration(i)*time.Second, true)
		}
		if over := r.giveUp(c.took, c.patience); over != c.over || over != (r.err != nil) {
			t.Errorf("%q after %v of %v, %+v: given up %v, %v", c.line, c.took, c.patience, c.o, over, r.err)
		}
	}
	r := newDetecting(Detect{}, nil)
	for i := range 30 {
		r.read(fmt.Appendf(nil, "step %d", i), time.Duration(i)*time.Second, true)
	}
	if r.giveUp(time.Hour, 0) {
		t.Error("a job whose steps are read is given up")
	}
}

// Preparation that takes longer than jtune waits is read like a job; when the training has taken more of the time, what
// was reported is withdrawn. Shorter preparation is waited for.
func TestDetectingWithdrawsWhatWasPreparation(t *testing.T) {
	t.Parallel()
	for patience, want := range map[time.Duration]int{5 * time.Second: 1, time.Hour: 0} {
		r := newDetecting(Detect{Options: detect.Options{Patience: patience}}, nil)
		var events []Event
		now := time.Duration(0)
		bar := func(name string, n int, each time.Duration) {
			for i := range n {
				now += each
				line := fmt.Appendf(nil, "%s: %d%%|##| %d/%d [00:01<00:02, 3.1it/s]", name, 100*(i+1)/n, i+1, n)
				got, _ := r.read(line, now, i == n-1)
				events = append(events, got...)
			}
		}
		bar("Encoding", 2000, 10*time.Millisecond)
		for e := range 10 {
			bar(fmt.Sprint("Epoch ", e), 80, 50*time.Millisecond)
		}
		withdrawn, steps := 0, 0
		for _, e := range append(events, r.finish(now)...) {
			switch {
			case e.Kind == Withdrawn:
				if withdrawn++; e.Info[NotJob] != "Encoding" || !strings.Contains(e.Message, `reads: tqdm "Epoch"`) {
					t.Errorf("%+v", e)
				}
				steps = 0
			case e.Timed() && !e.Unclean:
				if steps++; withdrawn == want && (e.TimeMS < 49 || e.TimeMS > 51) {
					t.Errorf("patience %s: a step of %.4g ms after %d withdrawals", patience, e.TimeMS, withdrawn)
				}
			}
		}
		if withdrawn != want || steps < 100 {
			t.Errorf("patience %s: withdrawn %d times, want %d; %d steps", patience, withdrawn, want, steps)
		}
		r = newDetecting(Detect{Options: detect.Options{Patience: patience, Not: []string{"Encoding"}}}, nil)
		now = 0
		bar("Encoding", 2000, 10*time.Millisecond)
		if r.giveUp(now, 5*time.Second) || !r.giveUp(now+5*time.Second, 5*time.Second) {
			t.Error("what is known to be preparation uses up the patience")
		}
	}
}
