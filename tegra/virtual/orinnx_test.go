package virtual

import (
	"math"
	"testing"
	"time"

	"jtune/internal/must"
	"jtune/tegra"
	"jtune/tegra/virtual/physics"
)

// orinNX is an Orin NX 16 GB on a 5 V carrier under sustained load, as published by a board maker; it checks the size
// of power, rails and heat together. Fitted to the six published rows: of the cooling, the heat sink's resistances with
// the fan off and on, the dies' resistance, and the temperatures at which the fan starts and reaches full speed; of the
// chip, the base power, the GPU's leakage and switching energy, the power of a busy core and the floor of its voltage.
// The other chip constants are the Orin Nano's. Taken directly from the publication: the supply's voltage and
// resistance, the voltage step, and the current limits. The air (25 °C) was not measured, and the heat capacity is our
// choice, as no time constant was published.
func orinNX(t *testing.T) *Board {
	t.Helper()
	b := must.Get(New(Options{Name: "orin-nx", Speed: math.Inf(1), Noise: new(float64)}))(t)
	return b
}

// The six sustained rows of the publication.
func TestBoardOrinNXUnderSustainedLoad(t *testing.T) {
	for _, row := range []struct {
		name      string
		mode      tegra.Mode // 0: clocks free
		load      bool
		lasts     time.Duration
		w         float64
		a, v, tjC float64 // 0: not published
	}{
		{"idle, clocks free", tegra.Mode{}, false, 30 * time.Minute, 4.6, 1.01, 5.160, 58.4},
		{"idle, clocks locked", mhz(1984, 1173), false, 30 * time.Minute, 7.5, 0, 0, 62},
		{"25W", mhz(1497.6, 408), true, 15 * time.Minute, 16.9, 3.34, 5.104, 71.0},
		{"40W", mhz(1497.6, 1173), true, 15 * time.Minute, 27.6, 5.60, 5.040, 86.1},
		{"MAXN_SUPER", mhz(1984, 1173), true, 15 * time.Minute, 29.4, 6.02, 5.024, 89.3},
		{"45 minutes", mhz(1984, 1173), true, 45 * time.Minute, 29.0, 6.05, 5.016, 92.0},
	} {
		b := orinNX(t)
		d := open(t, b)
		if row.mode.Cores > 0 {
			set(t, b, row.mode)
		}
		if row.load {
			start(t, b, physics.Envelope)
		}
		sleep(t, b, row.lasts)
		r := must.Get(d.Read())(t)
		in := r.Rails[0]
		tj := 0.0
		for _, z := range r.Temps {
			tj = max(tj, z.C)
		}
		t.Logf("%-20s %.1f W of %.1f, %.2f A of %.2f, %.3f V of %.3f, %.1f °C of %.1f", row.name, r.TotalW.V, row.w,
			in.Amperes.V, row.a, in.Volts.V, row.v, tj, row.tjC)
		if !near(r.TotalW.V, row.w, 0.15) || row.a > 0 && !near(in.Amperes.V, row.a, 0.15) ||
			row.v > 0 && math.Abs(in.Volts.V-row.v) > 0.06 || math.Abs(tj-row.tjC) > 5 {
			t.Errorf("%s: %.1f W, %.2f A, %.3f V, %.1f °C", row.name, r.TotalW.V, in.Amperes.V, in.Volts.V, tj)
		}
		if r.Throttled.V || len(r.Alarming()) > 0 {
			t.Errorf("%s: throttled %v, alarms %v", row.name, r.Throttled, r.Alarming())
		}
	}
}

func mhz(cpu, gpu float64) tegra.Mode {
	return tegra.Mode{Cores: 8, CPU: tegra.Freq(cpu * 1e6), GPU: tegra.Freq(gpu * 1e6), EMC: 3199 * tegra.MHz}
}
