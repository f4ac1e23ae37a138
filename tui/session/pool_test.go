package session

import (
	"math"
	"os"
	"testing"
	"time"

	"jtune/optimize"
	"jtune/profiles/record"
	"jtune/profiles/workload"
	"jtune/tegra"
)

func TestPoolHoldsTheRowsOfEveryCampaignOfAWorkloadOnABoard(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := open(t, Options{Device: "virtual:agx-orin", Speed: math.Inf(1), Paths: Paths{DataDir: dir}})
	w, err := s.Workload("lstm")
	if err != nil {
		t.Fatal(err)
	}
	res, err := s.Profile(t.Context(), ProfileRequest{Measuring: Measuring{Workload: w}, Sample: 3}, nil)
	if err != nil {
		t.Fatal(err)
	}
	tuned, err := s.Tune(t.Context(), TuneRequest{Measuring: Measuring{Workload: w},
		Limit: optimize.Limit{PowerW: 25}, Probes: 4}, nil)
	if err != nil && tuned.Probes == nil {
		t.Fatal(err)
	}
	for _, other := range []ProfileRequest{
		{Measuring: Measuring{Workload: w, Dir: t.TempDir()}, Sample: 2}, // outside the data directory
		{Measuring: Measuring{Workload: w.AtBatch(4)}, Sample: 2},
	} {
		if _, err := s.Profile(t.Context(), other, nil); err != nil {
			t.Fatal(err)
		}
	}
	pool, err := s.Pool(w, nil)
	if err != nil || len(pool.Parts) != 2 || len(pool.Rows()) != len(res.Rows)+len(tuned.Probes) {
		t.Fatalf("pool of %d campaigns and %d rows, %v; want 2 and %d", len(pool.Parts), len(pool.Rows()), err,
			len(res.Rows)+len(tuned.Probes))
	}
	if _, sizes := tegra.Sized(pool.Rows()); sizes != nil || pool.Rows()[0].Batch != 0 {
		t.Errorf("a pool of one size has batch sizes %v", sizes)
	}
	if all, err := s.Pool(w, []int{4, w.Batch}); err != nil || len(all.Rows()) != len(pool.Rows())+2 {
		t.Errorf("with several sizes %d rows, %v; want 2 more than %d", len(all.Rows()), err, len(pool.Rows()))
	}
	other := w
	other.Workers++
	if pool, err := s.Pool(other, nil); err != nil || pool.Parts != nil {
		t.Errorf("other loader settings have a pool of %v, %v", pool.Campaigns(), err)
	}
}

// What was measured on another module, under another L4T, on another host, by a replay or
// a simulation is of another board; campaigns of older versions belong to this host.
func TestPoolNeverMixesBoards(t *testing.T) {
	t.Parallel()
	host, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	mode := tegra.Mode{Cores: 4, CPU: tegra.GHz, GPU: tegra.GHz, EMC: tegra.GHz}
	w := workload.Workload{Name: "net", Model: "ResNet-18", Batch: 16}
	campaign := func(name string, change func(c *Campaign)) Campaign {
		device := record.DeviceHeader{Name: "AGX Orin", Module: "p3701-0000", L4T: "35.1", Which: host}
		row := record.Row{Measured: tegra.Measured{Setting: tegra.Setting{Mode: mode}, TimeMS: 90, PowerW: 30},
			Status: record.OK, When: time.Unix(int64(len(name)), 0)}
		c := Campaign{Name: name, Header: record.Header{Device: device, Workload: w}, Rows: []record.Row{row}}
		change(&c)
		return c
	}
	list := []Campaign{
		campaign("here", func(*Campaign) {}),
		campaign("of an older version", func(c *Campaign) { c.Header.Device.Which = "" }),
		campaign("under another name", func(c *Campaign) { c.Header.Workload.Name = "other" }),
		campaign("module", func(c *Campaign) { c.Header.Device.Module = "p3701-0004" }),
		campaign("L4T of another release", func(c *Campaign) { c.Header.Device.L4T = "36.3" }),
		campaign("another host's", func(c *Campaign) { c.Header.Device.Which = host + "2" }),
		campaign("a simulation's", func(c *Campaign) { c.Header.Device.Virtual = true }),
		campaign("a replay, of a file", func(c *Campaign) { c.Header.Device.Replay = "sweep.csv" }),
		campaign("workers", func(c *Campaign) { c.Header.Workload.Workers = 2 }),
		campaign("with clocks that were free", func(c *Campaign) { c.Header.Settings.DVFS = true }),
		campaign("an experiment with several", func(c *Campaign) { c.Header.Plan.Kind = record.ExperimentKind }),
		campaign("one that cannot be read", func(c *Campaign) { c.Err = os.ErrInvalid }),
		campaign("one where nothing was measured", func(c *Campaign) { c.Rows[0].Status = record.Hot }),
	}
	pool := poolOf(list, w, "p3701-0000, L4T 35.1, "+host, nil)
	if got := pool.Campaigns(); len(got) != 3 || got[2] != "under another name" || len(pool.Rows()) != 3 {
		t.Errorf("the pool holds %q", got)
	}
	again := poolOf(append(list, list[0]), w, pool.Board, nil)
	if len(again.Rows()) != 3 {
		t.Errorf("a copy of a campaign counts twice: %d rows", len(again.Rows()))
	}
}
