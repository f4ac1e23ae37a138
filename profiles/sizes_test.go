package profiles

import (
	"context"
	"errors"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"jtune/internal/stats"
	"jtune/profiles/harness"
	"jtune/profiles/record"
	"jtune/profiles/workload"
	"jtune/tegra"
	"jtune/tegra/sweep"
	"jtune/tegra/virtual"
)

func TestRowsOfSeveralMinibatchSizesSayTheirs(t *testing.T) {
	t.Parallel()
	r := newRig(t, "resnet", virtual.Options{Noise: noNoise()})
	dir := filepath.Join(t.TempDir(), "c")
	var started []int
	start := r.bench.NewHarness
	r.bench.NewHarness = func(ctx context.Context, batch int) (harness.Harness, error) {
		started = append(started, batch)
		return start(ctx, batch)
	}
	c := campaign(t, r, dir, 3, false, 4, 32)
	sum, err := c.Run(t.Context())
	if err != nil || sum.New != 6 || sum.Failed != 0 {
		t.Fatalf("%+v, %v", sum, err)
	}
	if !slices.Equal(started, []int{4, 32}) {
		t.Errorf("jobs were started at %v, want one for each size", started)
	}
	c.Record.Close()
	_, rows, err := record.Read(dir)
	if err != nil || len(rows) != 6 {
		t.Fatalf("%d rows, %v", len(rows), err)
	}
	for _, row := range rows[:3] {
		i := slices.IndexFunc(rows[3:], func(o record.Row) bool { return o.Mode == row.Mode })
		if i < 0 || row.Batch != 4 || rows[3+i].Batch != 32 || rows[3+i].TimeMS < 1.2*row.TimeMS {
			t.Errorf("%+v has no row of 32 samples that takes longer", row)
		}
	}
	table, err := sweep.ReadFile(dir, sweep.Options{})
	if err != nil || !slices.Equal(table.Batches(), []int{4, 32}) || len(table.Settings()) != 6 {
		t.Errorf("as a sweep file: sizes %v, %v", table.Batches(), err)
	}
	entries, notes, err := record.ReadEntries(dir, 32)
	if err != nil || len(notes) != 0 || len(entries) != 3 {
		t.Fatalf("%d modes have single minibatches, notes %v, %v", len(entries), notes, err)
	}
	for _, row := range rows[3:] {
		if e := entries[row.Mode]; len(e.TimesMS) != row.Minibatches ||
			math.Abs(stats.Mean(e.TimesMS)/row.TimeMS-1) > 1e-6 || !row.Errors.Time.OK || !row.Errors.Power.OK ||
			len(e.PowersW) != row.PowerSamples {
			t.Errorf("%v: %d single minibatches around %v ms and %d readings, the row has %d, %v and %d", row.Mode,
				len(e.TimesMS), stats.Mean(e.TimesMS), len(e.PowersW), row.Minibatches, row.TimeMS, row.PowerSamples)
		}
	}
	if runs, _, err := record.ReadRuns(dir); err != nil || len(runs) != 6 || runs[0].Character.Batch != 4 ||
		runs[5].Character.Batch != 32 {
		t.Errorf("what the runs were like: %d, %v", len(runs), err)
	}
	if folders, _ := filepath.Glob(filepath.Join(dir, "logs", "*_bs32", "knobs.csv")); len(folders) != 3 {
		t.Errorf("folders of 32 samples: %v", folders)
	}
}

func TestCampaignGoesOnAtItsBatchSizesAlone(t *testing.T) {
	t.Parallel()
	r, dir := newRig(t, "lstm", virtual.Options{}), filepath.Join(t.TempDir(), "c")
	c := campaign(t, r, dir, 3, false, 4, 32)
	c.Record.Close()
	for _, other := range [][]int{nil, {4, 16}, {4, 32, 64}} {
		plan := record.PlanHeader{Kind: "sample", Modes: 6, Batches: other}
		if _, err := record.OpenOrCreate(dir, r.header(9, plan), true); err == nil ||
			!strings.Contains(err.Error(), "selection") {
			t.Errorf("sizes %v in place of 4 and 32: %v", other, err)
		}
	}
}

func TestBenchEndsTheCampaignOfAJobWithAFixedBatchSize(t *testing.T) {
	t.Parallel()
	r := newRig(t, "resnet", virtual.Options{})
	r.bench.NewHarness = func(ctx context.Context, _ int) (harness.Harness, error) {
		return r.bench.Workload.NewHarness(workload.HarnessOptions{Virtual: r.board})(ctx, 16)
	}
	_, err := r.bench.Measure(t.Context(), Step{Setting: tegra.Setting{Mode: r.device.Space().Max(), Batch: 8}})
	if !errors.Is(err, ErrFixedBatch) || !strings.Contains(err.Error(), "16 where 8") {
		t.Errorf("got %v", err)
	}
	if row := r.mustMeasure(t, r.device.Space().Max()); row.Status != record.OK {
		t.Errorf("at its own size: %s %q", row.Status, row.Why)
	}
}
