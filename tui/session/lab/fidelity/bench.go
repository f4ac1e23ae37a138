package fidelity

import (
	"fmt"
	"slices"

	"jtune/tegra"
	"jtune/tegra/virtual"
	"jtune/tegra/virtual/physics"
	"jtune/tui/session/lab/evidence"
	"jtune/tui/session/lab/rig"
	"jtune/tui/session/study"
)

// constants are the constants of the simulated boards; values other than the built-in ones show what depends on them.
type constants struct {
	chips     map[string]physics.Chip
	workloads map[string]physics.Workload
}

func builtIn() constants {
	c := constants{map[string]physics.Chip{}, map[string]physics.Workload{}}
	for _, name := range virtual.Names() {
		c.chips[name] = physics.On(name)
	}
	for _, w := range physics.Workloads() {
		c.workloads[w.Name] = w
	}
	return c
}

// bench holds the virtual boards on which figures are computed, without noise.
type bench struct {
	constants
	seed   uint64
	noise  float64 // of its boards
	boards map[unit]*virtual.Board
	kinds  map[string]kind
	live   map[string]observed
	costs  map[string]campaignCost
	// studies are energy studies, by board, network and governors.
	studies map[string]*study.EnergyReport
	others  map[uint64]*bench // see again
}

// unit is one of several boards of a kind, with its data on a medium.
type unit struct {
	board, medium string
	instance      int // 0: the mean of all
}

// kind is what the device code finds on a board.
type kind struct {
	space   *tegra.Space
	fastest tegra.Mode
	lowest  tegra.Mode // of the modes that PowerTrain profiled
}

// fastestPreset names the preset in which the 2022 study considers a board's knobs to be at their maximum, if that is
// not simply each knob's highest value: a Xavier NX's CPU reaches its top clock with only two cores.
var fastestPreset = map[string]string{"xavier-nx": "MODE_15W_6CORE"}

func newBench(c constants, seed uint64) *bench {
	return &bench{constants: c, seed: seed, boards: map[unit]*virtual.Board{}, kinds: map[string]kind{},
		live: map[string]observed{}, costs: map[string]campaignCost{},
		studies: map[string]*study.EnergyReport{}, others: map[uint64]*bench{}}
}

// again returns the bench of a given run; run 0 is this one, the others have different noise.
func (b *bench) again(run uint64) *bench {
	if run == 0 {
		return b
	}
	if b.others[run] == nil {
		b.others[run] = newBench(b.constants, b.seed+run)
	}
	return b.others[run]
}

// noisy returns a bench whose boards deviate from the laws as those of a user do, each run's differently.
func (b *bench) noisy(run uint64) *bench {
	out := newBench(b.constants, b.seed+run)
	out.kinds, out.noise = b.kinds, 1
	return out
}

// with returns a bench with other constants and the same kinds of boards.
func (b *bench) with(c constants) *bench {
	out := newBench(c, b.seed)
	out.kinds = b.kinds
	return out
}

func (b *bench) board(u unit) (*virtual.Board, error) {
	if found, ok := b.boards[u]; ok {
		return found, nil
	}
	out, err := b.fresh(u, b.noise)
	if err == nil {
		b.boards[u] = out
	}
	return out, err
}

// fresh creates a board at full speed, just booted.
func (b *bench) fresh(u unit, noise float64) (*virtual.Board, error) {
	o := virtual.Options{Name: u.board, Medium: u.medium, Instance: u.instance, Seed: b.seed, Noise: &noise}
	if chip, ok := b.chips[u.board]; ok {
		o.Chip = &chip
	}
	return rig.Board(o)
}

// kind opens a board through its files, as on a real Jetson.
func (b *bench) kind(board string) (kind, error) {
	if found, ok := b.kinds[board]; ok {
		return found, nil
	}
	v, err := b.board(unit{board: board})
	if err != nil {
		return kind{}, err
	}
	device, err := v.Open()
	if err != nil {
		return kind{}, err
	}
	k := kind{space: device.Space(), fastest: device.Space().Max(), lowest: device.Space().Grid().At(0)}
	if name := fastestPreset[board]; name != "" {
		presets := device.Presets()
		i := slices.IndexFunc(presets, func(p tegra.Preset) bool { return p.Name == name })
		if i < 0 {
			return kind{}, fmt.Errorf("virtual:%s has no preset %s", board, name)
		}
		k.fastest = presets[i].Mode
	}
	b.kinds[board] = k
	return k, nil
}

// mode returns the power mode of a setup on a board.
func (b *bench) mode(board string, s setup) (tegra.Mode, error) {
	k, err := b.kind(board)
	if err != nil {
		return tegra.Mode{}, err
	}
	m := k.fastest
	switch {
	case s.mode == "low":
		m = k.lowest
	case s.mode != "":
		i := int(s.mode[0] - 'a')
		if len(s.mode) != 1 || i < 0 || i >= len(tegra.XavierStudy) {
			return m, fmt.Errorf("no power mode %q: the 2022 study has a to n", s.mode)
		}
		m = tegra.XavierStudy[i]
	}
	if s.gpu != 0 {
		m.GPU = s.gpu
	}
	return k.space.Snap(m)
}

// job returns the workload of a setup.
func (b *bench) job(name string, s setup) (physics.Workload, error) {
	w, ok := b.workloads[name]
	if !ok {
		return w, fmt.Errorf("no workload %q", name)
	}
	w = w.Sized(s.batch)
	if s.workers.OK {
		w.Workers = s.workers.V
	}
	return w, nil
}

// run is a job under a setup, with where it runs and the result.
type run struct {
	bench *bench
	unit  unit
	job   physics.Workload
	setup setup
	mode  tegra.Mode
	observed
}

// observed is a steady minibatch.
type observed struct {
	physics.Steps
	gpuMHz, cpuMHz float64
	gpuLoad        float64 // 0 to 1
	cpuLoad        float64 // of all cores, 0 to 1
	cpuBelow       float64 // share of time below the CPU's highest clock
	cpuMost        float64 // highest clock used, relative to the CPU's highest
	emcBelow       float64 // share of time below the memory's highest clock
}

// run evaluates a setup: by the board's steady state with locked clocks, by running it with free clocks.
func (b *bench) run(j evidence.Job, s setup) (r run, err error) {
	r = run{bench: b, unit: unit{board: j.Board, medium: s.medium}, setup: s}
	if s.board != "" {
		r.unit.board = s.board
	}
	if r.job, err = b.job(j.Workload, s); err != nil {
		return r, err
	}
	board, err := b.board(r.unit)
	if err != nil {
		return r, err
	}
	if err = board.Fits(j.Workload, 0); err != nil {
		return r, err
	}
	if s.free {
		r.observed, err = b.watch(r)
		return r, err
	}
	if r.mode, err = b.mode(r.unit.board, s); err != nil {
		return r, err
	}
	r.observed, err = locked(board, r.job, r.mode, s.cold)
	return r, err
}

// locked returns the steady state with locked clocks.
func locked(board *virtual.Board, w physics.Workload, m tegra.Mode, cold bool) (o observed, err error) {
	if o.Steps, err = board.Steady(w, m, cold); err != nil {
		return o, err
	}
	o.gpuMHz, o.cpuMHz = m.GPU.GHz()*1000, m.CPU.GHz()*1000
	o.gpuLoad, o.cpuLoad = o.GPULoad(), o.CPUBusy/float64(m.Cores)
	return o, nil
}
