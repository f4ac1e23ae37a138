package harness

import (
	"errors"
	"io"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"jtune/internal/must"
	"jtune/internal/tools/reliability"
	"jtune/profiles/harness/detect"
)

// shown is a line and the second at which it came.
type shown struct {
	at   float64
	text string
}

// reads passes lines through a pattern and gives the events.
func reads(t *testing.T, name string, lines []shown) []Event {
	t.Helper()
	p := must.Get(newPattern(name))(t)
	d := newDetecting(Detect{}, nil)
	d.own = p
	var all []Event
	for _, l := range lines {
		events, _ := d.read([]byte(l.text), time.Duration(l.at*float64(time.Second)), true)
		all = append(all, events...)
	}
	return slices.DeleteFunc(append(all, d.steps(true)...), func(e Event) bool { return e.Unclean })
}

// Steps that one line reports share the time since the line before, which may have begun in another mode.
func TestPatternStepsOfALineBeginWithTheLineBefore(t *testing.T) {
	t.Parallel()
	for i, e := range reads(t, `step (?P<batch>\d+)`, []shown{{10, "step 20"}, {12, "step 40"}}) {
		if e.Earliest() != 10*time.Second || e.Began() < 10*time.Second+time.Duration(i)*99*time.Millisecond {
			t.Errorf("step %d began %v, at the earliest %v", i, e.Began(), e.Earliest())
		}
	}
}

func TestPatternsReadTimesFromLines(t *testing.T) {
	t.Parallel()
	const bar = `(?P<batch>\d+)/(?P<of>\d+) `
	for _, c := range []struct {
		name, pattern string
		lines         []shown
		want          []float64 // ms
		epoch         int       // of the last
	}{
		{"a bar that skips counts shares the time out", bar, []shown{
			{10, "Epoch 3:   3%|▎         | 47/1563 [00:12<06:31,  3.87it/s]"},
			{11, "Epoch 3:   3%|▎         | 51/1563 [00:13<06:31,  3.97it/s]"}}, []float64{250, 250, 250, 250}, 0},
		{"a new epoch starts over and loses its first interval", bar, []shown{
			{0, "| 9/10 [00:09<00:01]"}, {1, "| 10/10 [00:10<00:00]"}, {60, "| 1/10 [00:01<00:09]"},
			{61, "| 2/10 [00:02<00:08]"}}, []float64{1000, 1000}, 1},
		{"bars of another length are passed over", bar, []shown{
			{0, "| 500/10000 [02:00"}, {0.2, "| 501/10000 [02:00"}, {1, "| 0/338 [00:00"}, {30, "| 338/338 [00:29"},
			{31, "| 502/10000 [02:30"}, {31.3, "| 503/10000 [02:30"}}, []float64{200, 300}, 0},
		{"an expression of one's own in ms", `iteration (?P<batch>\d+) took (?P<time_ms>[\d.]+) ms`, []shown{
			{0, "iteration 7 took 12.5 ms"}, {1, "iteration 8 took abc ms"}}, []float64{12.5}, 0},
		{"an expression of one's own that counts", `epoch (?P<epoch>\d+) batch (?P<batch>\d+)`, []shown{
			{0, "epoch 2 batch 100"}, {10, "epoch 2 batch 105"}}, []float64{2000, 2000, 2000, 2000, 2000}, 1},
		{"an epoch that is counted from one", `epoch (?P<epoch>\d+) batch (?P<batch>\d+)`, []shown{
			{0, "epoch 1 batch 100"}, {10, "epoch 1 batch 101"}}, []float64{10_000}, 0},
		{"a count that leaps counts something else", `batch (?P<batch>\d+)`, []shown{
			{0, "batch 1"}, {10, "batch 900000"}, {11, "batch 900001"}}, []float64{1000}, 0},
		{"texts that are no time", `took (?P<time_ms>\S+) ms`, []shown{{0, "took nan ms"}, {1, "took NaN ms"},
			{2, "took inf ms"}, {3, "took +Inf ms"}, {4, "took -1 ms"}, {5, "took 0 ms"}, {6, "took 1e999 ms"}},
			nil, 0},
		{"numbers beyond reason", `batch (?P<batch>\d+)|(?P<rate>[-\de.]+)/s`, []shown{
			{0, "batch 99999999999999999999"}, {1, "0/s"}, {2, "1e-300/s"}, {3, "-4/s"}}, nil, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got := reads(t, c.pattern, c.lines)
			if len(got) != len(c.want) {
				t.Fatalf("%d minibatches %v, want %v", len(got), got, c.want)
			}
			for i, e := range got {
				if math.Abs(e.TimeMS-c.want[i]) > 1e-6 || e.Kind != Minibatch {
					t.Errorf("minibatch %d: %v ms, want %v", i, e.TimeMS, c.want[i])
				}
				if i == len(got)-1 && e.Epoch != c.epoch {
					t.Errorf("epoch %d, want %d", e.Epoch, c.epoch)
				}
			}
		})
	}
}

func TestPatternMinibatchesOfOneLineFollowEachOther(t *testing.T) {
	t.Parallel()
	got := reads(t, `n=(?P<batch>\d+)`, []shown{{1, "n=4"}, {3, "n=8"}})
	for i, want := range []time.Duration{1500, 2000, 2500, 3000} {
		if got[i].T != want*time.Millisecond || got[i].Batch != 4+i {
			t.Errorf("minibatch %d: at %v with index %d, want %d ms and %d", i, got[i].T, got[i].Batch, want, 4+i)
		}
	}
}

func TestPatternWithoutCountNumbersMinibatches(t *testing.T) {
	t.Parallel()
	got := reads(t, `took (?P<time_ms>\d+) ms`, []shown{{1, "took 5 ms"}, {2, "took 6 ms"}, {3, "took 7 ms"}})
	for i, e := range got {
		if e.Batch != i || e.TimeMS != float64(5+i) {
			t.Errorf("minibatch %d has number %d and took %v ms", i, e.Batch, e.TimeMS)
		}
	}
	if len(got) != 3 {
		t.Errorf("%d minibatches, want 3", len(got))
	}
}

func TestPatternThatFindsNothingIsRefused(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`step \d+`: `'step \d+' finds no step: mark`,
		`(`:        "'(' is no regular expression: missing closing )",
		"nothing":  "known: accelerate aiperf cyclegan",
		"keas":     "; the nearest is keras",
		"":         "'' finds no step",
	} {
		if err := CheckPattern(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
	for _, name := range detect.Forms() {
		if err := CheckPattern(name); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := Exec(t.Context(), ExecOptions{Command: []string{"true"}, Pattern: "x"}); err == nil {
		t.Error("a job was started with a pattern that finds nothing")
	}
}

func TestPatternJobsProgressBarIsRead(t *testing.T) {
	t.Parallel()
	script := `echo start; for i in 0 1 2 3 4 5; do printf '\r %d%%|##| %d/9 [00:01<00:02,  9.00it/s]' $i $i >&2; ` +
		`sleep 0.05; done; echo '{"event":"done"}'`
	h := sh(t, script, ExecOptions{Pattern: "tqdm", Protocol: true})
	events, err := all(t, h)
	if !errors.Is(err, io.EOF) {
		t.Fatal(err)
	}
	batches := 0
	for _, e := range events {
		if e.Kind == Minibatch && !e.Unclean {
			batches++
		}
	}
	if batches < 2 || h.counts().Garbage != 1 {
		t.Errorf("%d minibatches of %v, %+v; want 2 at least and one other line", batches, events, h.counts())
	}
}

func FuzzPattern(f *testing.F) {
	f.Add("  3%|▎         | 47/1563 [00:12<06:31,  3.87it/s]", "  3%|▎         | 48/1563 [00:12<06:31,  3.87it/s]")
	f.Add("1/1 0G 1: 3% - 4/5 5.3it/s", "5.00 it/s")
	f.Fuzz(func(t *testing.T, a, b string) {
		defer reliability.Input(t)()
		for _, name := range []string{`(?P<batch>\d+)/(?P<of>\d+)`, `(?P<rate>[\d.]+) ?it/s|(?P<time_s>[\d.]+)s`} {
			for _, e := range reads(t, name, []shown{{1, a}, {2, b}, {3, a}}) {
				if !(e.TimeMS > 0) || e.TimeMS > maxTimeMS || e.Batch < 0 || e.Epoch < 0 {
					t.Errorf("%s: %+v", name, e)
				}
			}
		}
	})
}
