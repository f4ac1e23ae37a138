package models

import (
	"strings"
	"testing"
	"time"

	"jtune/internal/must"
	"jtune/learn"
	"jtune/profiles/record"
	"jtune/tegra"
	"jtune/tui/session/sessiontest"
)

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
