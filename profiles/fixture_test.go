package profiles

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"strings"
	"sync"
	"testing"

	"jtune/internal/must"
	"jtune/profiles/harness"
	"jtune/profiles/record"
	"jtune/profiles/workload"
	"jtune/tegra"
	"jtune/tegra/virtual"
	"jtune/telemetry"
	"jtune/telemetry/sources"
)

// boardApplier writes modes to a virtual board with the device's own plan, as
// the guard does, and can be made to fail.
type boardApplier struct {
	fs      tegra.FS
	planner *tegra.Planner
	found   tegra.State
	before  tegra.State

	mu       sync.Mutex
	applied  []tegra.Mode
	restored int
	fail     func(tegra.Mode) error // asked before each Apply
	after    func(*tegra.Applied)   // may change what Apply reports
}

var _ tegra.Applier = (*boardApplier)(nil)

func (a *boardApplier) Apply(ctx context.Context, r tegra.Request) (tegra.Applied, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	out := tegra.Applied{Asked: r.Mode}
	if a.fail != nil {
		if err := a.fail(r.Mode); err != nil {
			return out, err
		}
	}
	now, err := a.planner.Snapshot()
	if err != nil {
		return out, err
	}
	writes, err := a.planner.Plan(now, r, a.found)
	if err != nil {
		return out, err
	}
	a.before = now
	for _, w := range writes {
		if err := a.fs.WriteFile(w.Path, []byte(w.Value)); err != nil && !w.Loose {
			a.put(a.before)
			return out, fmt.Errorf("%s: %w", w.Path, err)
		}
	}
	after, err := a.planner.Snapshot()
	if err != nil {
		return out, err
	}
	out.Actual = a.planner.ModeOf(after)
	for _, w := range writes {
		if w.Loose {
			continue
		}
		text, _ := a.fs.ReadFile(w.Path)
		out.Files = append(out.Files,
			tegra.KnobFile{Knob: w.Knob, Path: w.Path, Asked: w.Value, Actual: strings.TrimSpace(string(text))})
	}
	if a.after != nil {
		a.after(&out)
	}
	a.applied = append(a.applied, r.Mode)
	return out, ctx.Err()
}

func (a *boardApplier) put(want tegra.State) error {
	now, err := a.planner.Snapshot()
	if err != nil {
		return err
	}
	for _, w := range a.planner.PlanState(now, want) {
		a.fs.WriteFile(w.Path, []byte(w.Value))
	}
	return nil
}

func (a *boardApplier) Revert(context.Context) (tegra.Applied, error) {
	return tegra.Applied{}, a.put(a.before)
}

func (a *boardApplier) Restore(context.Context) (tegra.Applied, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.restored++
	return tegra.Applied{}, a.put(a.found)
}

func (a *boardApplier) Keep(context.Context) error { return nil }
func (a *boardApplier) Close() error               { return nil }

// rig is a virtual board ready to be measured, at full speed.
type rig struct {
	board   *virtual.Board
	device  *tegra.Sysfs
	applier *boardApplier
	bench   *Bench
}

func newRig(t *testing.T, name string, o virtual.Options) *rig {
	t.Helper()
	if o.Name == "" {
		o.Name = virtual.AGXOrin
	}
	o.Speed = math.Inf(1)
	board := must.Get(virtual.New(o))(t)
	device := must.Get(board.Open())(t)
	t.Cleanup(func() { device.Close() })
	planner := device.Planner()
	found := must.Get(planner.Snapshot())(t)
	found.Add(planner.Fan())
	w := must.Get(workload.Find(builtIns(t), name))(t)
	r := &rig{board: board, device: device, applier: &boardApplier{fs: board.FS(), planner: planner, found: found}}
	r.bench = &Bench{Applier: r.applier, Workload: w,
		NewHarness: w.NewHarness(workload.HarnessOptions{Virtual: board, Clock: board.Clock()}),
		Sources:    sources.Funcs{Settings: planner.Settings, Asleep: board.Clock().Asleep}}
	r.use(device, board.Clock())
	t.Cleanup(func() { r.bench.Close() })
	return r
}

// use measures another device, or by another clock.
func (r *rig) use(d tegra.Device, c tegra.Clock) {
	r.bench.Device, r.bench.Clock, r.bench.Sampler = d, c, telemetry.NewSampler(d, c)
}

// noNoise makes the board answer exactly.
func noNoise() *float64 { return new(float64) }

func (r *rig) header(seed uint64, plan record.PlanHeader) record.Header {
	return record.Header{Jtune: "test", Created: r.board.Clock().Wall(), Seed: seed,
		Device: record.NewDeviceHeader(r.device), Workload: r.bench.Workload, Plan: plan}
}

// mustMeasure measures one mode and wants a row.
func (r *rig) mustMeasure(t *testing.T, m tegra.Mode) record.Row {
	t.Helper()
	return must.Get(r.bench.Measure(t.Context(), Step{Setting: tegra.Setting{Mode: m}}))(t)
}

// truth is what the board's simulation knows of a mode.
func (r *rig) truth(t *testing.T, workload string, m tegra.Mode) (timeMS, powerW float64) {
	t.Helper()
	timeMS, powerW, err := r.board.Truth(workload, m)
	must.NoError(t, err)
	return timeMS, powerW
}

// runs takes a shell's script as the job.
func (r *rig) runs(script string, d *harness.Detect) {
	r.bench.NewHarness = func(ctx context.Context, _ int) (harness.Harness, error) {
		return harness.Exec(ctx, harness.ExecOptions{Command: []string{"sh", "-c", script}, Clock: r.bench.Clock,
			Detect: d})
	}
}

// through passes what each job of the bench tells through a function.
func (r *rig) through(change func(harness.Event, error) (harness.Event, error)) {
	starter := r.bench.NewHarness
	r.bench.NewHarness = func(ctx context.Context, batch int) (harness.Harness, error) {
		inner, err := starter(ctx, batch)
		return changed{inner, change}, err
	}
}

type changed struct {
	harness.Harness
	change func(harness.Event, error) (harness.Event, error)
}

func (h changed) Next(ctx context.Context) (harness.Event, error) {
	return h.change(h.Harness.Next(ctx))
}

// scripted is a harness whose events a test makes up.
type scripted struct {
	next    func(ctx context.Context) (harness.Event, error)
	stopped int
	failure error // of Stop
}

func (s *scripted) Next(ctx context.Context) (harness.Event, error) { return s.next(ctx) }
func (s *scripted) Stop(context.Context) error                      { s.stopped++; return s.failure }

var errTest = errors.New("made up by the test")

// listOf is the plan of a list of modes, with minibatches of these sizes.
func listOf(modes []tegra.Mode, batches ...int) Plan {
	var steps []Step
	for _, m := range modes {
		for _, b := range append(batches[:len(batches):len(batches)], 0)[:max(1, len(batches))] {
			steps = append(steps, Step{Setting: tegra.Setting{Mode: m, Batch: b}})
		}
	}
	return ListPlan(steps)
}

func builtIns(t *testing.T) []workload.Workload {
	t.Helper()
	return must.Get(workload.Load(""))(t)
}

// long runs every case of what else is sampled.
var long = os.Getenv("JTUNE_LONG") != ""

var some = tegra.Some[float64]
