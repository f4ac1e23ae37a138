package optimize

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"jtune/internal/must"
	"jtune/learn"
	"jtune/optimize/optimizetest"
	"jtune/tegra"
	"jtune/tegra/metric"
)

var update = flag.Bool("update", false, "write the golden searches")

// What searches of every kind measure, and why: a constant of the search rule that moves shows as other probes, on any
// machine. optimize/lab/bench has the bars that a search must meet on measured sweeps.
func TestSearchIsTheSameOnEveryMachine(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	for _, c := range sameSearches(t) {
		fmt.Fprintf(&b, "%s\n", c.name)
		board := optimizetest.New(t)
		c.o.Space = board.Space
		measure := func(ctx context.Context, a tegra.Setting) (tegra.Measured, error) {
			m, err := board.Measure(ctx, a.Mode)
			if a.Batch > 0 {
				m = board.Served(a)
			}
			if c.change != nil && err == nil {
				err = c.change(len(board.Probed), &m)
			}
			return m, err
		}
		r, err := Tune(t.Context(), measure, c.o)
		for _, p := range r.Probes {
			fmt.Fprintf(&b, "    %s", p.Mode)
			if p.Batch > 0 {
				fmt.Fprintf(&b, " batch %d", p.Batch)
			}
			if p.Err != nil {
				fmt.Fprintf(&b, " %s: %v\n", p.Why, p.Err)
			} else {
				fmt.Fprintf(&b, " %s: %.1f ms, %.2f W\n", p.Why, p.TimeMS, p.PowerW)
			}
		}
		fmt.Fprintf(&b, "    %v: %s batch %d, feasible %v, verified %v, %d known, %v\n", r.Ended, r.Answers[0].Mode,
			r.Answers[0].Batch,
			r.Answers[0].Feasible, r.Answers[0].Verified, r.Known, err)
		for _, w := range r.Warnings {
			fmt.Fprintf(&b, "    %s\n", w)
		}
	}
	file := filepath.Join("testdata", "searches.golden")
	if *update {
		must.NoError(t, os.WriteFile(file, []byte(b.String()), 0o666))
	}
	want := must.Read(t, file)
	if d := cmp.Diff(string(want), b.String()); d != "" {
		t.Errorf("searches (-want +got):\n%s", d)
	}
}

// sameSearch is a search on the toy board, and how its readings differ from that board's.
type sameSearch struct {
	name   string
	o      TuneOptions
	change func(n int, m *tegra.Measured) error // n: of the probe, from 1; nil: not at all
}

func sameSearches(t *testing.T) []sameSearch {
	board := optimizetest.New(t)
	reference := optimizetest.Reference(t, board, false)
	known := knownOf(t, board, metric.Watts(25))
	moved := func(time, power float64) func(int, *tegra.Measured) error {
		return func(_ int, m *tegra.Measured) error {
			m.TimeMS, m.PowerW = time*m.TimeMS, power*m.PowerW
			return nil
		}
	}
	failing := func(which func(n int, m *tegra.Measured) bool, err error) func(int, *tegra.Measured) error {
		return func(n int, m *tegra.Measured) error {
			if which(n, m) {
				return err
			}
			return nil
		}
	}
	broken := errors.New("broken")
	return []sameSearch{
		{"a power limit that many modes keep", TuneOptions{Limits: goals(metric.Watts(30)), Seed: 5}, nil},
		{"a power limit that few modes keep", TuneOptions{Limits: goals(metric.Watts(12.5)), Seed: 5}, nil},
		{"a power limit that no mode keeps", TuneOptions{Limits: goals(metric.Watts(9)), Seed: 6}, nil},
		{"a thorough one", TuneOptions{Limits: goals(metric.Watts(20)), Seed: 7, Depth: Thorough}, nil},
		{"with a reference", TuneOptions{Limits: goals(metric.Watts(22)), Seed: 8, Reference: reference}, nil},
		{"with a reference, within a time limit", TuneOptions{Limits: goals(metric.Millis(80)), Seed: 9,
			Reference: reference},
			nil},
		{"a time limit that no mode keeps", TuneOptions{Limits: goals(metric.Millis(40)), Seed: 10}, nil},
		{"both limits", TuneOptions{Limits: goals(metric.Within(metric.Power.Max(24).And(metric.Time.Max(95)))),
			Seed: 11},
			nil},
		{"both limits, which no mode keeps",
			TuneOptions{Limits: goals(metric.Within(metric.Power.Max(20).And(metric.Time.Max(70)))), Seed: 12}, nil},
		{"a guarded time limit", TuneOptions{Limits: goals(metric.Goal{Limits: metric.Time.Max(110), GuardTime: true}),
			Seed: 13}, nil},
		{"least energy", TuneOptions{Limits: goals(metric.Goal{Limits: metric.Power.Max(24), Objective: metric.Energy}),
			Seed: 14}, nil},
		{"several limits", TuneOptions{Limits: goals(metric.Watts(25), metric.Watts(18),
			metric.Millis(100)), Seed: 15},
			nil},
		{"batch sizes", TuneOptions{Limits: goals(metric.Watts(20)), Batches: optimizetest.Sizes, Seed: 16}, nil},
		{"batch sizes, both limits",
			TuneOptions{Limits: goals(metric.Within(metric.Power.Max(18).And(metric.Time.Max(60)))),
				Batches: optimizetest.Sizes,
				Seed:    17}, nil},
		{"from known modes", TuneOptions{Limits: goals(metric.Watts(18)), Known: known, Seed: 18}, nil},
		{"from known modes, within a time limit", TuneOptions{Limits: goals(metric.Millis(75)), Known: known,
			Seed: 19}, nil},
		{"from known modes of a board that has drifted", TuneOptions{Limits: goals(metric.Watts(25)), Known: known,
			Seed: 20},
			moved(1.1, 1.05)},
		{"from known modes of a board that draws a little more", TuneOptions{Limits: goals(metric.Watts(25)),
			Known: known,
			Seed:  21}, moved(1, 1.032)},
		{"from known modes of another job", TuneOptions{Limits: goals(metric.Watts(25)), Known: known, Seed: 22},
			func(n int, m *tegra.Measured) error {
				m.TimeMS *= 1 + 0.3*float64(n%3)
				return nil
			}},
		{"every third measurement fails", TuneOptions{Limits: goals(metric.Watts(25)), Seed: 23},
			failing(func(n int, _ *tegra.Measured) bool { return n%3 == 0 }, broken)},
		{"every measurement fails after the fourth", TuneOptions{Limits: goals(metric.Watts(25)), Seed: 24},
			failing(func(n int, _ *tegra.Measured) bool { return n > 4 }, broken)},
		{"modes over the limit are ended", TuneOptions{Limits: goals(metric.Watts(15)), Seed: 25},
			func(_ int, m *tegra.Measured) error {
				if m.PowerW > MaxOvershoot*15 {
					return OverLimit("stopped")
				}
				return nil
			}},
		{"noise of 3 percent", TuneOptions{Limits: goals(metric.Watts(23)), Seed: 26},
			func(n int, m *tegra.Measured) error {
				m.TimeMS *= 1 + 0.03*float64((n*7)%5-2)/2
				m.PowerW *= 1 + 0.03*float64((n*3)%5-2)/2
				return nil
			}},
		{"binary search", TuneOptions{Limits: goals(metric.Watts(25)), Strategy: Binary, Seed: 27}, nil},
		{"binary search that fails in the middle",
			TuneOptions{Limits: goals(metric.Within(metric.Power.Max(18).And(metric.Time.Max(60)))), Strategy: Binary,
				Batches: optimizetest.Sizes, Seed: 28},
			failing(func(n int, _ *tegra.Measured) bool { return n%2 == 0 }, broken)},
		{"random modes", TuneOptions{Limits: goals(metric.Watts(25)), Strategy: Random, Probes: 8, Seed: 29}, nil},
	}
}

// Processors that fuse multiply and add (arm64 does, amd64 does not) round
// differently; predictions may differ by machineTolerance, relative, and the
// searches' golden list not at all. The values are amd64's. .ci/arm64 runs
// this under emulation.
const machineTolerance = 1e-8

func TestFitIsTheSameOnEveryMachine(t *testing.T) {
	t.Parallel()
	b := optimizetest.New(t)
	var rows []tegra.Measured
	for _, m := range b.Space.Sample(40, 5) {
		rows = append(rows, b.Answer(m))
	}
	for _, c := range []struct {
		method         learn.Method
		timeMS, powerW float64 // in the highest mode
	}{{learn.GP, 62.758827126014587, 38.774220887165512}, {learn.Linear, 36.426162826503152, 31.882921253628396},
		{learn.Tree, 72.852325653006304, 33.395783090473053}, {learn.Forest, 83.514930710068967, 29.321993362794636}} {
		m, err := learn.Fit(t.Context(), rows, learn.Options{Method: c.method, Space: b.Space, Seed: 1, SkipCV: true})
		must.NoError(t, err)
		p := m.Predict([]tegra.Mode{b.Space.Max()})[0]
		alike(t, string(c.method)+": time", p.TimeMS, c.timeMS)
		alike(t, string(c.method)+": power", p.PowerW, c.powerW)
	}
}

func alike(t *testing.T, what string, got, want float64) {
	t.Helper()
	if !(math.Abs(got/want-1) <= machineTolerance) {
		t.Errorf("%s: got %.17g, want %.17g within %g", what, got, want, machineTolerance)
	}
}
