package tui

import (
	"strings"
	"testing"

	"jtune/tegra"
)

// reads gives the Live page a reading of two minutes, its last sample changed.
func (d *driver) reads(change func(r *tegra.Reading)) {
	m := d.board.reading()
	change(&m.last.Reading)
	d.send(m)
}

func TestHeatAndOverCurrentAreToldApart(t *testing.T) {
	d := drive(t)
	d.press("1")
	d.sees("throttled no", "over-current no")
	d.reads(func(r *tegra.Reading) { r.OverCurrents = tegra.Some(int64(5)) })
	d.sees("throttled no", "over-current 2× since 15:09")
	d.reads(func(r *tegra.Reading) { r.Heat, r.Throttled = tegra.Some(true), tegra.Some(true) })
	d.sees("throttled YES (heat)")
	d.size(40, 12)
	d.sees("THROTTLED by heat")
	d.size(80, 24)
	d.reads(func(r *tegra.Reading) {
		r.Heat, r.Throttled, r.OverCurrents = tegra.Val[bool]{}, tegra.Val[bool]{}, tegra.Val[int64]{}
	})
	d.sees("throttled –", "over-current –")
}

func TestProcessesOnTheGPUAreListedOrTheReasonIsSaid(t *testing.T) {
	d := drive(t)
	d.press("1")
	d.sees("on the GPU: python3 1.9 GB, Xor…")
	d.size(200, 50)
	d.sees("python3", "7001", "1.9 GB", "Xorg", "20 MB")
	for _, c := range []struct {
		use  gpuUse
		want string
	}{
		{gpuUse{asked: true, why: "no permission (root only)"}, "on the GPU: – no permission (root only)"},
		{gpuUse{asked: true}, "on the GPU: nobody"},
		{gpuUse{}, "on the GPU: –"},
	} {
		m := d.board.reading()
		m.gpu = c.use
		d.send(m)
		d.sees(c.want)
	}
}

func TestRailsThatMakeTheTotalAreMarked(t *testing.T) {
	d := drive(t)
	d.press("1")
	d.sees("+ VDD_GPU_SOC", "total = the rails with +", "module, not carrier board")
	d.r.sh.board.TotalRule, d.r.frame = "VDD_CPU_CV", ""
	d.sees("= VDD_CPU_CV", "covers module")
	if strings.Contains(d.screen(), "+ VDD") {
		t.Error("a rail beside the total is marked")
	}
	d.r.sh.board.TotalRule, d.r.frame = "", ""
	d.sees("no total: this board's rails")
}
