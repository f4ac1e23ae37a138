package population

import (
	"math"
	"slices"

	"jtune/tegra"
	"jtune/tegra/virtual"
)

// board is the grid of a kind of board, with constants of the foreign families' laws.
type board struct {
	name    string
	space   *tegra.Space
	baseW   float64    // idle
	gpuW    float64    // of the GPU at full load and clock
	coreW   float64    // of a core at full load and clock
	cluster int        // cores that share a power switch
	memoryW [2]float64 // by clock: fixed, at the highest
	trafW   float64    // at full bandwidth
	kPerW   float64    // thermal resistance, K/W
	leakW   float64    // at 45 °C
	capW    float64    // highest power cap
}

// boards are rough magnitudes of three kinds of board, not fitted to any.
var boards = []board{
	{name: "agx-orin", baseW: 6.5, gpuW: 26, coreW: 1.9, cluster: 4, memoryW: [2]float64{1.2, 3.6}, trafW: 7,
		kPerW: 0.75, leakW: 3.2, capW: 60},
	{name: "orin-nano", baseW: 2.6, gpuW: 5.2, coreW: 0.75, cluster: 4, memoryW: [2]float64{0.35, 1.1}, trafW: 1.8,
		kPerW: 2, leakW: 0.7, capW: 15},
	{name: "xavier-nx", baseW: 2.2, gpuW: 7.5, coreW: 1.05, cluster: 2, memoryW: [2]float64{0.3, 1.2}, trafW: 1.9,
		kPerW: 2.2, leakW: 0.9, capW: 20},
}

// Boards lists the names of the boards.
func Boards() (names []string) {
	for _, b := range boards {
		names = append(names, b.name)
	}
	return names
}

// open returns a board with its grid.
func open(name string) (*board, error) {
	b := boards[slices.Index(Boards(), name)]
	v, err := virtual.New(virtual.Options{Name: name, Speed: math.Inf(1)})
	if err != nil {
		return nil, err
	}
	d, err := v.Open()
	if err != nil {
		return nil, err
	}
	b.space = d.Space()
	return &b, nil
}

// point is a mode as the laws see it: the number of cores, and clocks relative to their highest.
type point struct{ c, f, g, e float64 }

func (b *board) point(m tegra.Mode) point {
	top := b.space.Max()
	rel := func(k tegra.Knob) float64 { return m.Value(k) / top.Value(k) }
	return point{float64(m.Cores), rel(tegra.KnobCPU), rel(tegra.KnobGPU), rel(tegra.KnobEMC)}
}

// most returns the number of cores.
func (b *board) most() float64 { return float64(b.space.Max().Cores) }

// voltage is the relative voltage at a relative clock: a plateau up to a knee, then a rise in steps.
func voltage(x, knee, least, steps float64) float64 {
	v := least
	if x >= knee {
		v += (1 - least) * math.Pow((x-knee)/(1-knee), 1.1)
	}
	return math.Ceil(v*steps) / steps
}

// load is what a workload does in a mode.
type load struct {
	ms   float64
	gpu  float64 // mean activity, 1 at full
	core float64 // mean busy cores
	bw   float64 // share of the highest bandwidth
}

// draw is how a workload's load becomes power.
type draw struct {
	act, perCore, extraW float64    // of a unit of GPU activity, of a busy core, of other devices
	gpu, cpu             [3]float64 // voltage: knee, least, steps
	idle                 float64    // share of GPU power without load
	fanC, fanGain, fanW  float64    // above fanC a fan lowers the thermal resistance by a share; 0: no fan
	leakPerK, leakExtra  float64    // growth of leakage by K, and its share beyond the board's
}

// power returns the steady watts of a load: dynamic power, and leakage that grows with the temperature it causes.
func (b *board) power(p point, l load, d draw) float64 {
	vg, vc := voltage(p.g, d.gpu[0], d.gpu[1], d.gpu[2]), voltage(p.f, d.cpu[0], d.cpu[1], d.cpu[2])
	ve := voltage(p.e, 0.3, 0.75, 6)
	gpu := b.gpuW * vg * vg * p.g * (d.idle + (1-d.idle)*min(1, l.gpu)*d.act)
	clusters := math.Ceil(p.c / float64(b.cluster))
	cpu := vc * vc * p.f * b.coreW * (0.05*p.c + min(l.core, p.c)*d.perCore + 0.16*clusters)
	memory := b.memoryW[0] + b.memoryW[1]*ve*ve*p.e + b.trafW*min(1, l.bw)*ve*ve
	dynamic := b.baseW + d.extraW + gpu + cpu + memory
	w := dynamic
	for range 6 {
		k, fan := b.kPerW, 0.0
		if t := 28 + k*w; d.fanC > 0 && t > d.fanC {
			k, fan = k*(1-d.fanGain), d.fanW*b.baseW
		}
		leak := b.leakW * (1 + d.leakExtra) * (0.6*vg + 0.4*vc*p.c/b.most())
		w = dynamic + fan + leak*math.Exp(d.leakPerK*(28+k*w-45))
	}
	return w
}

// throttle lets a mode that draws more than the cap run at the highest lower GPU clock that does not.
func (b *board) throttle(truth []tegra.Measured, capW float64) {
	gpus := b.space.GPU
	for k := 1; k < len(gpus); k++ {
		for i := range truth {
			m := truth[i].Mode
			if m.GPU != gpus[k] || truth[i].PowerW <= capW {
				continue
			}
			m.GPU = gpus[k-1]
			below, _ := b.space.Index(m)
			truth[i].TimeMS = max(truth[below].TimeMS, truth[i].TimeMS)
			truth[i].PowerW = min(capW, max(truth[below].PowerW, 0.97*capW))
		}
	}
}
