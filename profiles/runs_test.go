package profiles

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"jtune/internal/must"
	"jtune/profiles/harness"
	"jtune/profiles/record"
	"jtune/profiles/workload"
	"jtune/tegra/virtual"
	"jtune/telemetry"
)

func TestCampaignKeepsItsRuns(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "c")
	r := newRig(t, "resnet18", virtual.Options{})
	r.bench.System = System{FS: r.board.FS(), Clocks: r.device.ClockTimes}
	r.bench.Settings = record.Settings{Minibatches: 5, Base: time.Second}
	modes := r.device.Space().Sample(3, 1)
	rec := must.Get(record.Create(dir, r.header(1, record.PlanHeader{Kind: "list", Modes: len(modes)})))(t)
	sum, err := (&Campaign{Bench: r.bench, Plan: listOf(modes), Record: rec}).Run(t.Context())
	must.NoError(t, errors.Join(err, rec.Close()))
	rows := sum.Rows
	runs, notes, err := record.ReadRuns(dir)
	if err != nil || len(notes) > 0 || len(runs) != len(rows) || len(rows) == 0 {
		t.Fatalf("%d runs for %d rows, notes %q, %v", len(runs), len(rows), notes, err)
	}
	for i, r := range runs {
		c := r.Character
		if r.Mode != rows[i].Mode || c.All.Minibatches != rows[i].Minibatches || c.All.TimeMS < 0.5*rows[i].TimeMS ||
			!c.All.PowerW.OK ||
			!c.All.CPUPct.OK {
			t.Errorf("run %d of mode %s, row %s: %+v", i, r.Mode, rows[i].Mode, c.All)
		}
		if len(c.GPU.Shares) != 1 || c.GPU.Shares[0].Freq != r.Mode.GPU || c.GPU.Source != telemetry.KernelCounted {
			t.Errorf("%s: GPU clocks %+v, want the mode's alone", r.Mode, c.GPU)
		}
		if (i == 0) != c.BaseW.OK { // the job runs on from mode to mode
			t.Errorf("mode %d: base load %v, want it before the job alone", i, c.BaseW)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "runs.csv")); err != nil {
		t.Error(err)
	}
}

// A run of a second that prints its numbers at its end is a whole reading: it has power samples in every campaign, from
// its first moment on.
func TestBenchWholeRunOfASecondHasPowerSamples(t *testing.T) {
	t.Parallel()
	r := newRig(t, "resnet18", virtual.Options{})
	r.bench.Workload.Per = workload.PerRun
	clock := r.board.Clock()
	r.bench.NewHarness = func(context.Context, int) (harness.Harness, error) {
		return &scripted{next: func(ctx context.Context) (harness.Event, error) {
			err := clock.Sleep(ctx, time.Second)
			return harness.Event{Kind: harness.Infer, T: clock.Now(), TimeMS: 1000, N: 100,
				Summary: &harness.Summary{TimeMS: 10}}, err
		}}, nil
	}
	for _, m := range r.device.Space().Sample(20, 1) {
		row := r.mustMeasure(t, m)
		if row.Status != record.OK || row.PowerSamples < 3 || !row.Errors.Power.OK || row.TimeMS != 10 {
			t.Errorf("%s: %s %q: %d samples, %v ms", m, row.Status, row.Why, row.PowerSamples, row.TimeMS)
		}
	}
}
