package profiles

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"jtune/internal/must"
	"jtune/profiles/record"
	"jtune/tegra"
	"jtune/tegra/guard"
	"jtune/tegra/virtual"
)

// guarded makes a rig whose modes are set by the guard itself.
func guarded(t *testing.T, workload string, o virtual.Options) (*rig, *guard.Client) {
	t.Helper()
	r := newRig(t, workload, o)
	client := must.Get(guard.InProcess(r.board.FS(), r.board.Clock()))(t)
	t.Cleanup(func() { client.Close() })
	r.bench.Applier = client
	return r, client
}

// knobs are the files that a mode is made of, as they stand.
func knobs(t *testing.T, r *rig) map[string]string {
	t.Helper()
	st, out := must.Get(r.device.Planner().Snapshot())(t), map[string]string{}
	for _, f := range st.Files {
		out[f.Path] = f.Value
	}
	return out
}

func TestCampaignThroughTheGuardLeavesTheBoardAsFound(t *testing.T) {
	t.Parallel()
	r, client := guarded(t, "mobilenet", virtual.Options{Seed: 4})
	found := knobs(t, r)
	check := func(when string) {
		t.Helper()
		for path, now := range knobs(t, r) {
			if found[path] != now {
				t.Errorf("%s: %s is %s, was %s", when, path, now, found[path])
			}
		}
	}
	dir := filepath.Join(t.TempDir(), "c")
	ctx, cancel := context.WithCancel(t.Context())
	c := campaign(t, r, dir, 20, false)
	r.bench.Observe = func(p Progress) {
		if p.Done == 9 && p.Minibatch == 20 {
			cancel()
		}
	}
	sum, err := c.Run(ctx)
	if err != nil || sum.End != Interrupted || sum.New != 9 {
		t.Fatalf("%s after %d modes, %v", sum.End, sum.New, err)
	}
	check("interrupted")
	c.Record.Close()
	c = campaign(t, r, dir, 20, true)
	if sum, err = c.Run(t.Context()); err != nil || sum.End != Complete || len(sum.Rows) != 20 || sum.Failed != 0 {
		t.Fatalf("%s with %d rows, %d failed, %v", sum.End, len(sum.Rows), sum.Failed, err)
	}
	check("complete")
	for _, row := range sum.Rows {
		if row.Applied != row.Mode {
			t.Errorf("%s was read back as %s", row.Mode, row.Applied)
		}
	}
	client.Close()
	check("guard closed")
}

func TestCampaignBoardThatTakesNoRaisesRejectsThemWithAHint(t *testing.T) {
	t.Parallel()
	// S1's rule: only falling CPU and GPU clocks without a reboot (d.2).
	r, _ := guarded(t, "lstm", virtual.Options{Faults: virtual.Faults{RejectRaise: true}})
	s := r.device.Space()
	top := s.Max()
	low := tegra.Mode{Cores: top.Cores, CPU: s.CPU[20], GPU: s.GPU[5], EMC: top.EMC}
	back := low
	back.GPU = top.GPU
	sum, err := (&Campaign{Bench: r.bench, Plan: listOf([]tegra.Mode{top, low, back})}).Run(t.Context())
	if err != nil && !strings.Contains(err.Error(), "restoring") {
		t.Fatal(err)
	}
	// In order of the plan: top, back (CPU falls), low (GPU falls): no raise.
	for _, row := range sum.Rows {
		if row.Raise || row.Status != record.OK {
			t.Errorf("%s: raise %v, %s %q; the order has no raise here", row.Mode, row.Raise, row.Status, row.Why)
		}
	}
	row, err := r.bench.Measure(t.Context(), Step{Setting: tegra.Setting{Mode: top}, Raise: true})
	if err != nil || row.Status != record.Rejected || !strings.Contains(row.Why, "reboot") {
		t.Errorf("a raise: %s %q, %v", row.Status, row.Why, err)
	}
}

func TestCampaignGuardThatIsGoneEndsTheCampaign(t *testing.T) {
	t.Parallel()
	r, client := guarded(t, "lstm", virtual.Options{})
	r.bench.Observe = func(p Progress) {
		if p.Done == 1 && p.Minibatch == 5 {
			client.Close()
		}
	}
	sum, err := (&Campaign{Bench: r.bench, Plan: listOf(r.device.Space().Sample(5, 1))}).Run(t.Context())
	if err == nil || sum.End != Broken || sum.New > 2 {
		t.Errorf("%s after %d modes, %v", sum.End, sum.New, err)
	}
}

// coolCampaign measures six modes that hardly heat the dies above the module.
func coolCampaign(t *testing.T, r *rig, dir string, resume bool) *Campaign {
	t.Helper()
	space := r.device.Space()
	var modes []tegra.Mode
	for cores := 1; cores <= 6; cores++ {
		modes = append(modes, tegra.Mode{Cores: cores, CPU: space.CPU[3], GPU: space.GPU[0], EMC: space.EMC[0]})
	}
	rec := must.Get(record.OpenOrCreate(dir, r.header(9, record.PlanHeader{Kind: "list", Modes: len(modes),
		Digest: record.Digest(modes)}), resume))(t)
	t.Cleanup(func() { rec.Close() })
	return &Campaign{Bench: r.bench, Plan: listOf(modes), Record: rec}
}

func TestCampaignStopsOnAHotBoard(t *testing.T) {
	t.Parallel()
	r := newRig(t, "resnet", virtual.Options{Noise: noNoise()})
	dir := filepath.Join(t.TempDir(), "c")
	c := coolCampaign(t, r, dir, false)
	r.bench.Observe = func(p Progress) {
		if p.Done == 2 && p.Phase == Applying { // hot air from the third mode on, no throttling yet
			r.board.Heat(92)
			r.board.Inject(virtual.Faults{AmbientC: 86})
		}
	}
	sum, err := c.Run(t.Context())
	var hot *HotError
	if !errors.As(err, &hot) || sum.End != Broken || sum.New != 3 || sum.Failed != 1 {
		t.Fatalf("%s after %d modes, %d failed: %v", sum.End, sum.New, sum.Failed, err)
	}
	last := sum.Rows[2]
	if last.Status != record.Hot || !strings.Contains(last.Why, "trip point at 99 °C") || last.TimeMS != 0 {
		t.Errorf("the hot mode is %s, %q, %v ms", last.Status, last.Why, last.TimeMS)
	}
	if !strings.Contains(err.Error(), "the board is hot") || !strings.Contains(err.Error(), last.Why) {
		t.Errorf("the error does not say why: %v", err)
	}
	if r.applier.restored != 1 {
		t.Errorf("restored %d times", r.applier.restored)
	}
	c.Record.Close()

	cool := newRig(t, "resnet", virtual.Options{Noise: noNoise()})
	again := coolCampaign(t, cool, dir, true)
	again.RedoFailed = true
	if sum, err = again.Run(t.Context()); err != nil || sum.End != Complete || sum.New != 4 {
		t.Errorf("once it is cool: %s after %d modes, %v", sum.End, sum.New, err)
	}
}

func TestCampaignStopsOnABoardThatIsThrottledByHeat(t *testing.T) {
	t.Parallel()
	r := newRig(t, "resnet", virtual.Options{Noise: noNoise()})
	r.board.Inject(virtual.Faults{AmbientC: 95, FanStuck: true})
	r.board.Heat(105)
	c := &Campaign{Bench: r.bench, Plan: listOf(r.device.Space().Sample(4, 3))}
	sum, err := c.Run(t.Context())
	if err == nil || sum.New != 1 || sum.Rows[0].Status != record.Throttled ||
		!strings.Contains(err.Error(), "thermal throttling") {
		t.Errorf("%d modes, %v", sum.New, err)
	}
}
