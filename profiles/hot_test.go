package profiles

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"jtune/internal/must"
	"jtune/profiles/record"
	"jtune/tegra"
	"jtune/tegra/virtual"
)

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
