package virtual

import (
	"math"
	"testing"
	"time"

	"jtune/internal/must"
	"jtune/tegra"
	"jtune/tegra/virtual/physics"
)

// Recorded lines of an Orin Nano Super and of an AGX Thor, in watts; of the Thor's, workload and air are not known.
func TestPowerOfTheNewBoardsHasTheRecordedSize(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		modes int
		job   string
		top   bool // all clocks locked at their top
		w     [2]float64
	}{
		{"orin-nano-super", 4224, "", true, [2]float64{5.1, 6.9}},
		{"orin-nano-super", 4224, "", false, [2]float64{3.6, 5.3}},
		{"orin-nx", 8320, "", false, [2]float64{3.9, 5.3}},
		{"agx-thor", 233240, "", true, [2]float64{15, 24}},
		{"agx-thor", 233240, "", false, [2]float64{12, 22}},
		{"agx-thor", 233240, physics.Envelope, true, [2]float64{106, 143}},
	} {
		b := must.Get(New(Options{Name: c.name, Speed: math.Inf(1), Noise: new(float64)}))(t)
		d := open(t, b)
		if n := d.Space().Len(); n != c.modes || !d.Complete() {
			t.Errorf("%s: %d modes, complete %v", c.name, n, d.Complete())
		}
		if c.top {
			set(t, b, d.Space().Max())
			if !b.thor() { // as jetson_clocks does
				write(t, b, b.facts.GPU.Device+"/railgate_enable", "0")
			}
		}
		if c.job != "" {
			start(t, b, c.job)
		}
		sleep(t, b, 20*time.Minute)
		r, err := d.Read()
		if err != nil || !r.TotalW.OK || r.TotalW.V < c.w[0] || r.TotalW.V > c.w[1] || r.Throttled.V {
			t.Errorf("%s, job %q, top %v: %v W, want %v, throttled %v; %v", c.name, c.job, c.top, r.TotalW, c.w,
				r.Throttled, err)
		}
		if r.Mode.OK && c.top && r.Mode.V != d.Space().Max() {
			t.Errorf("%s: mode %s", c.name, r.Mode.V)
		}
		if len(d.Board().Unusable) > 0 || len(d.Presets()) < 3 || d.Board().TotalRule == "" || !r.Mode.OK && c.top {
			t.Errorf("%s: %+v, presets %v", c.name, d.Board(), d.Presets())
		}
		t.Logf("%s, job %q, top %v: %.1f W", c.name, c.job, c.top, r.TotalW.V)
	}
}

// A memory cap works as since L4T 36, where the top rate is no cap.
func TestMemoryIsCappedOnTheNewBoards(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"orin-nano-super", "orin-nx", "agx-thor"} {
		b := must.Get(New(Options{Name: name, Speed: math.Inf(1), Noise: new(float64)}))(t)
		d := open(t, b)
		for _, f := range d.Planner().Fan().Files {
			write(t, b, f.Path, f.Value)
		}
		st := must.Get(d.Planner().Snapshot())(t)
		for _, f := range st.Files { // every knob can be written
			write(t, b, f.Path, f.Value)
		}
		m := d.Space().Max()
		write(t, b, b.emcCapFile(), m.EMC.In(tegra.Hz))
		for _, emc := range []tegra.Freq{d.Space().EMC[0], m.EMC, d.Space().EMC[0]} {
			m.EMC = emc
			set(t, b, m)
			if r, err := d.Read(); err != nil || r.Mode != tegra.Some(m) {
				t.Errorf("%s: %v instead of %s, %v", name, r.Mode, m, err)
			}
		}
	}
}
