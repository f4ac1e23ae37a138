package population

import (
	"math"
	"math/rand/v2"
	"strings"

	"jtune/tegra"
)

// law is the load of one workload in every mode of a board, and how it becomes power.
type law struct {
	load func(point) load
	draw
	capW float64 // above it the board throttles; 0: never
}

// dice draws the constants of a workload.
type dice struct{ *rand.Rand }

func (d dice) uniform(from, to float64) float64 { return from + d.Float64()*(to-from) }

// scale draws from a span, evenly by ratio.
func (d dice) scale(from, to float64) float64 { return from * math.Pow(to/from, d.Float64()) }

func (d dice) chance(p float64) bool { return d.Float64() < p }

// family draws the truth of a workload by index of the board's space.
type family struct {
	name, about string
	truth       func(b *board, d dice) []tegra.Measured
}

// families are the populations.
var families = []family{
	{"own", "the virtual boards' physics with random constants", own},
	{"kernels", "hard rooflines of 2 to 6 kernels, bandwidth and cache knees, loaders, fine voltage steps, throttling",
		foreign(kernels, 24)},
	{"pipelines", "LLM decoding with a spinning core, cameras with a frame floor, CPU jobs, coarse voltage steps",
		foreign(pipelines, 8)},
	{"governed", "stepped clocks, processes that share GPU and cores, a shared cache, fixed-rate sources, a fan",
		foreign(governed, 5)},
}

// Names lists the populations.
func Names() (names []string) {
	for _, f := range families {
		names = append(names, f.name)
	}
	return names
}

// About describes the populations, for help.
func About() string {
	var list []string
	for _, f := range families {
		list = append(list, f.name+" ("+f.about+")")
	}
	return strings.Join(list, "; ")
}

// foreign returns a family by laws of its own. Each mode deviates a little from them, as on a board: by its GPU and
// memory clocks, by its CPU clock, and by itself.
func foreign(draws func(b *board, d dice) law, cpuSteps float64) func(*board, dice) []tegra.Measured {
	return func(b *board, d dice) []tegra.Measured {
		l := draws(b, d)
		l.cpu[2] = cpuSteps
		type pair [2]tegra.Freq
		gpuMem, cpu, cores := map[pair][2]float64{}, map[tegra.Freq]float64{}, map[[2]int64]float64{}
		out := make([]tegra.Measured, b.space.Len())
		for i, m := range b.space.All() {
			p := b.point(m)
			at := l.load(p)
			out[i] = tegra.Measured{Setting: tegra.Setting{Mode: m}, TimeMS: at.ms, PowerW: b.power(p, at, l.draw)}
		}
		if l.capW > 0 {
			b.throttle(out, l.capW)
		}
		for i := range out {
			m := out[i].Mode
			both, byCPU, byCores := pair{m.GPU, m.EMC}, m.CPU, [2]int64{int64(m.Cores), int64(m.CPU)}
			if _, ok := gpuMem[both]; !ok {
				gpuMem[both] = [2]float64{0.006 * d.NormFloat64(), 0.008 * d.NormFloat64()}
			}
			if _, ok := cpu[byCPU]; !ok {
				cpu[byCPU] = 0.005 * d.NormFloat64()
			}
			if _, ok := cores[byCores]; !ok {
				cores[byCores] = 0.006 * d.NormFloat64()
			}
			out[i].TimeMS *= math.Exp(gpuMem[both][0] + cpu[byCPU] + 0.006*d.NormFloat64())
			out[i].PowerW *= math.Exp(gpuMem[both][1] + cores[byCores] + 0.006*d.NormFloat64())
		}
		return out
	}
}

// kernels are training jobs: groups of GPU kernels, each bound by the slowest of arithmetic, memory and cache, launched
// by a thread, and fed by loader processes whose speed-up is less than their number.
func kernels(b *board, d dice) law {
	type group struct{ comp, mem, cache float64 }
	total, knee, fall := d.scale(3, 800), d.uniform(0.2, 0.6), d.uniform(0.4, 0.9)
	groups, sum, caching := make([]group, 2+d.IntN(5)), 0.0, d.uniform(0, 0.7)
	for k := range groups {
		groups[k].comp = math.Pow(d.ExpFloat64(), 1/0.8)
		sum += groups[k].comp
	}
	traffic := 0.0
	for k := range groups {
		g := &groups[k]
		g.comp *= total / sum
		memory, hit := g.comp*d.scale(0.15, 4), caching*d.uniform(0.3, 1)
		g.mem, g.cache = memory*(1-hit), memory*hit/2.5
		traffic += g.mem
	}
	waits, launch := d.uniform(0, 0.4), total*d.scale(0.02, 1.6)
	serial := 0.0 // share of launching that does not hide behind the kernels
	if d.chance(0.35) {
		serial = d.uniform(0.2, 0.8)
	}
	loaders := []float64{0, 0, 1, 2, 4, 4, 8}[d.IntN(7)]
	most := 1.2
	if loaders > 0 {
		most = 6
	}
	fetch, miss, gain := total*d.scale(0.03, most), d.uniform(0, 0.5), d.uniform(0.5, 1)
	disc := total * d.scale(0.005, 0.6)
	fixed, peak := d.scale(0.02, 0.2)*total*d.uniform(0, 0.5), d.scale(0.3, 1.2)
	l := law{draw: draw{act: d.uniform(0.35, 1.1), perCore: d.uniform(0.5, 1.1), extraW: d.uniform(0, 0.12) * b.baseW,
		gpu: [3]float64{0.45, 0.62, 24}, cpu: [3]float64{0.5, 0.65}, idle: 0.1, leakPerK: 0.018}}
	l.capW = b.capW * 1.2
	if d.chance(0.3) {
		l.capW = b.capW * d.uniform(0.55, 0.95)
	}
	l.load = func(p point) load {
		bandwidth := math.Pow(p.e, 1.03) * math.Pow(min(1, p.g/knee), fall)
		gpu, arithmetic := 0.0, 0.0
		for _, g := range groups {
			gpu += max(g.comp/p.g, g.mem/bandwidth, g.cache/p.g)
			arithmetic += g.comp / p.g
		}
		launching := launch * ((1-waits)/p.f + waits/math.Pow(p.e, 0.35))
		device := max(gpu, launching)
		if serial > 0 {
			device = gpu + serial*launching
		}
		feed := fetch * ((1-miss)/p.f + miss/p.e)
		ms, cpu := device+feed, feed+launching
		if loaders > 0 {
			sharing := 1 + 0.09*math.Pow(max(0, loaders+1-p.c), 1.3)
			load := feed * sharing / math.Pow(min(loaders, max(1, p.c-1)), gain)
			ms = max(device, load, disc) * (1 + 0.06*math.Exp(-3*math.Abs(math.Log(device/load))))
			cpu = feed*sharing + launching
		}
		ms += fixed
		return load{ms, (arithmetic + 0.35*max(0, gpu-arithmetic)) / ms, cpu / ms, traffic / ms * peak}
	}
	return l
}

// pipelines are inference jobs of four kinds: an LLM whose decoding waits for memory while a core spins, a camera with
// stages on GPU, cores and decoder, a job on the CPU alone, and one near matrix multiplication.
func pipelines(b *board, d dice) law {
	l := law{draw: draw{gpu: [3]float64{0.3, 0.7, 10}, cpu: [3]float64{0.35, 0.6}, idle: 0.1, leakPerK: 0.018}}
	switch u := d.Float64(); {
	case u < 0.4:
		l.llm(d)
	case u < 0.7:
		l.camera(b, d)
	case u < 0.85:
		l.onCPU(b, d)
	default:
		base, knee := d.scale(5, 500), d.uniform(0.2, 0.8)
		mem, host, peak := base*d.uniform(0.2, 1.1), base*d.scale(0.005, 0.1), d.uniform(0.2, 0.9)
		l.act, l.perCore = d.uniform(0.9, 1.25), d.uniform(0.4, 0.9)
		l.load = func(p point) load {
			ms := max(base/p.g, mem/(math.Pow(p.e, 1.03)*math.Pow(min(1, p.g/knee), 0.8))) + host/p.f
			return load{ms, base / p.g / ms, 0.5, base * peak / ms}
		}
	}
	l.capW = b.capW * 1.25
	if d.chance(0.4) {
		l.capW = b.capW * d.uniform(0.5, 0.95)
	}
	return l
}

func (l *law) llm(d dice) {
	base, knee := d.scale(8, 400), d.uniform(0.15, 0.6)
	mem := base * d.uniform(0.4, 0.95)
	comp, launch, overlaps, share := base-mem, base*d.scale(0.05, 1.2), d.chance(0.5), d.uniform(0.3, 0.9)
	prefill, host := base*d.scale(0.02, 1), base*d.scale(0.01, 0.1)
	peak, threads := d.uniform(0.7, 1), 1+d.uniform(0, 0.6)
	l.act, l.perCore = d.uniform(0.3, 0.8), d.uniform(0.6, 1)
	l.load = func(p point) load {
		memory := mem * (1/p.e + knee*(1/p.g-1))
		decode := memory + comp/p.g
		ms := decode + share*launch/p.f
		if overlaps {
			ms = max(decode, launch/p.f)
		}
		ms += prefill/p.g + host/p.f
		return load{ms, ((prefill+comp)/p.g + 0.4*memory) / ms, threads, memory / ms * peak}
	}
}

func (l *law) camera(b *board, d dice) {
	base := d.scale(6, 120)
	power, memory := d.uniform(0.8, 1), base*d.scale(0.2, 1.5)
	before, parallel := base*d.scale(0.1, 4), d.uniform(0.3, 0.9)
	track, decoder, floor := base*d.scale(0.05, 1.5), base*d.uniform(0.1, 0.6), 0.0
	if d.chance(0.5) {
		floor = base * d.scale(0.4, 2.2)
	}
	l.act, l.perCore, l.extraW = d.uniform(0.4, 1), d.uniform(0.6, 1), d.uniform(0, 0.2)*b.baseW
	l.load = func(p point) load {
		gpu := max(base/math.Pow(p.g, power), memory/p.e)
		cpu := before / p.f * ((1 - parallel) + parallel/min(p.c, 6))
		ms := 0.0
		for _, stage := range [4]float64{gpu, cpu, track / p.f, decoder * max(1, 0.5/p.e)} {
			ms += math.Pow(stage, 6)
		}
		ms = max(math.Pow(ms, 1.0/6), floor)
		return load{ms, min(1, gpu/ms), (before + track) / p.f / ms, 0.5 * gpu / ms}
	}
}

func (l *law) onCPU(b *board, d dice) {
	base, parallel, memory, gain := d.scale(10, 2000), d.uniform(0.2, 0.98), d.uniform(0, 0.6), d.uniform(0.6, 1)
	speedUp := func(c float64) float64 { return 1 / ((1 - parallel) + parallel/math.Pow(c, gain)) }
	l.act, l.perCore = 0.05, d.uniform(0.6, 1.2)
	l.load = func(p point) load {
		ms := base * ((1-memory)/p.f + memory/math.Pow(p.e, 0.7)) * speedUp(b.most()) / speedUp(p.c)
		return load{ms, 0, speedUp(p.c), memory * 0.6 * base / ms}
	}
}

// governed are jobs that share a board whose firmware rounds clocks down to few steps: 1 to 6 processes take turns on
// the GPU, at a cost that the CPU clock bounds, and crowd the cores; each active core takes a part of a common cache,
// beyond which traffic grows; a source of fixed rate without a buffer delivers at whole periods. A fan starts when
// warm, and leakage grows faster with temperature than elsewhere.
func governed(b *board, d dice) law {
	gpuSteps, cpuSteps := float64(5+d.IntN(8)), float64(4+d.IntN(8))
	step := func(x, steps float64) float64 { return max(x/2, math.Floor(x*steps+1e-9)/steps) }
	base, processes := d.scale(4, 600), []float64{1, 1, 1, 2, 3, 4, 6}[d.IntN(7)]
	share := d.uniform(0.1, 0.95) // of the work that the GPU does
	gpu, cpu := base*share/processes, base*(1-share)*d.uniform(0.5, 2)/processes
	turn, switching, crowding := base*d.scale(0.002, 0.08), d.scale(0.02, 0.3), d.uniform(0.6, 1.6)
	wait, set, spill := d.uniform(0, 0.6), d.uniform(0.05, 0.5), d.scale(0.1, 2)
	parallel, slowMem := d.uniform(0, 0.9), d.uniform(0.5, 1)
	period, sharp := 0.0, d.uniform(1, 8)
	if d.chance(0.4) {
		period = base * d.scale(0.3, 1.5)
	}
	l := law{draw: draw{act: d.uniform(0.3, 1.2), perCore: d.uniform(0.4, 1.2), extraW: d.uniform(0, 0.15) * b.baseW,
		gpu: [3]float64{d.uniform(0.2, 0.6), d.uniform(0.55, 0.8), float64(3 + d.IntN(6))},
		cpu: [3]float64{d.uniform(0.3, 0.6), d.uniform(0.55, 0.75)}, idle: d.uniform(0.05, 0.3),
		leakPerK: d.uniform(0.016, 0.024), leakExtra: d.uniform(-0.4, 0.8), fanC: d.uniform(45, 65),
		fanGain: d.uniform(0.1, 0.4), fanW: d.uniform(0, 0.1)}}
	l.load = func(p point) load {
		g, f := step(p.g, gpuSteps), step(p.f, cpuSteps)
		over := max(0, set*min(p.c, processes+1+parallel*b.most())-1) // beyond the cache
		bandwidth := p.e / (1 + spill*over)
		either := func(x, y float64) float64 { return math.Pow(math.Pow(x, sharp)+math.Pow(y, sharp), 1/sharp) }
		kernel := either(gpu*(1-wait)/g, gpu*wait/math.Pow(bandwidth, slowMem))
		turns := 0.0
		if processes > 1 {
			turns = turn / f
		}
		threads := max(1, parallel*p.c/processes)
		host := cpu * (0.7/f + 0.3/bandwidth) * ((1 - parallel) + parallel/threads)
		crowd := 1 + switching*math.Pow(max(0, processes+1-p.c), crowding)
		device := processes * (kernel + turns)
		ms := either(device, host*crowd*max(1, processes/p.c))
		if period > 0 {
			ms = max(period, period*math.Ceil(ms/period-1e-9))
		}
		busy := processes * host * crowd / ms
		return load{ms, device / ms, min(p.c, busy*threads/2+busy/2), min(1, processes*gpu*wait*(1+over)/ms)}
	}
	return l
}
