package models

import (
	"os"
	"strings"
	"testing"
	"time"

	"jtune/internal/must"
	"jtune/learn"
	"jtune/profiles/record"
	"jtune/profiles/workload"
	"jtune/tegra"
	"jtune/tui/session/campaigns"
	"jtune/tui/session/sessiontest"
)

// Rows of another module, L4T or host, of a replay or a simulation belong to another board; campaigns of older
// versions belong to this host.
func TestPoolNeverMixesBoards(t *testing.T) {
	t.Parallel()
	host := must.Get(os.Hostname())(t)
	mode := tegra.Mode{Cores: 4, CPU: tegra.GHz, GPU: tegra.GHz, EMC: tegra.GHz}
	w := workload.Workload{Name: "net", Model: "ResNet-18", Batch: 16}
	type made struct {
		record.Header
		record.Row
	}
	campaign := func(name string, change func(c *made)) campaigns.Campaign {
		device := record.DeviceHeader{Name: "AGX Orin", Module: "p3701-0000", L4T: "35.1", Which: host}
		row := record.Row{Measured: tegra.Measured{Setting: tegra.Setting{Mode: mode}, TimeMS: 90, PowerW: 30},
			Status: record.OK, When: time.Unix(int64(len(name)), 0)}
		c := made{record.Header{Device: device, Workload: w}, row}
		change(&c)
		return campaigns.Of(name, "", c.Header, []record.Row{c.Row})
	}
	broken := campaign("one that cannot be read", func(*made) {})
	broken.Err = os.ErrInvalid
	list := []campaigns.Campaign{
		campaign("here", func(*made) {}),
		campaign("of an older version", func(c *made) { c.Header.Device.Which = "" }),
		campaign("under another name", func(c *made) { c.Workload.Name = "other" }),
		campaign("module", func(c *made) { c.Header.Device.Module = "p3701-0004" }),
		campaign("L4T of another release", func(c *made) { c.Header.Device.L4T = "36.3" }),
		campaign("another host's", func(c *made) { c.Header.Device.Which = host + "2" }),
		campaign("a simulation's", func(c *made) { c.Header.Device.Virtual = true }),
		campaign("a replay, of a file", func(c *made) { c.Header.Device.Replay = "sweep.csv" }),
		campaign("workers", func(c *made) { c.Workload.Workers = 2 }),
		campaign("with clocks that were free", func(c *made) { c.Settings.DVFS = true }),
		campaign("an experiment with several",
			func(c *made) { c.Plan.Kind = record.ExperimentKind }),
		broken,
		campaign("one where nothing was measured", func(c *made) { c.Status = record.Hot }),
	}
	pool := CollectPool(list, w, "p3701-0000, L4T 35.1, "+host, nil)
	if got := pool.Parts; len(got) != 3 || got[2].Campaign != "under another name" || len(pool.Rows()) != 3 {
		t.Errorf("the pool holds %v", got)
	}
	var nights []campaigns.Campaign
	for i := range 100 {
		nights = append(nights, campaign("night", func(c *made) {
			c.When = time.Unix(int64(i), 0)
		}))
	}
	kept := CollectPool(nights, w, pool.Board, nil)
	must.Equal(t, len(kept.Rows()), campaigns.MostOfSetting)
	must.Equal(t, kept.Parts[0].Rows[0].When, time.Unix(100-campaigns.MostOfSetting, 0))
	again := CollectPool(append(list, list[0]), w, pool.Board, nil)
	must.Equal(t, len(again.Rows()), 3)
}

// A model of campaigns that were measured with different software says in what they differ, whichever release it is.
func TestPoolModelWarnsOfCampaignsOfOtherSoftware(t *testing.T) {
	t.Parallel()
	here := []string{"L4T 35.1", "JetPack 5.0.2", "kernel 5.10.104", "torch 2.0.0 on cuda", "CUDA 11.4"}
	space := sessiontest.Fast(t).Device.Space()
	modes := space.Sample(12, 1)
	part := func(name string, software []string, modes []tegra.Mode) PoolPart {
		p := PoolPart{Campaign: name, Software: software}
		for i, m := range modes {
			p.Rows = append(p.Rows, record.Row{Status: record.OK, Measured: tegra.Measured{
				Setting: tegra.Setting{Mode: m}, TimeMS: 50 + float64(i), PowerW: 20 + float64(i)}})
		}
		return p
	}
	for was, want := range map[string]string{
		"":                    "",
		"L4T 35.1":            "",
		"L4T 36.4":            "L4T 36.4 and 35.1",
		"JetPack 6.1":         "JetPack 6.1 and 5.0.2",
		"kernel 5.15.148":     "kernel 5.15.148 and 5.10.104",
		"torch 2.3.0 on cuda": "torch 2.3.0 on cuda and 2.0.0 on cuda",
		"CUDA 12.2":           "CUDA 12.2 and 11.4",
	} {
		var software []string
		if was != "" {
			software = []string{was}
		}
		pool := Pool{Parts: []PoolPart{part("older", software, modes[:6]), part("newer", here, modes[6:])}}
		m := must.Get(fitPool(pool, nil, "resnet18", tegra.Board{}, space, (*learn.Reference)(nil), 1, time.Now()))(t)
		said := strings.Join(m.Model.Warnings, "; ")
		if has := strings.Contains(said, "different software"); has != (want != "") || !strings.Contains(said, want) ||
			has && !strings.Contains(said, "campaigns older and newer") {
			t.Errorf("older campaign with %q: warned %q, want %q", was, said, want)
		}
	}
}
