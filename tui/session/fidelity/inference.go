package fidelity

import (
	"math"
	"slices"

	"jtune/tegra"
	"jtune/tegra/virtual/physics"
)

// perRequest is the batch size of the study of inference.
const perRequest = 1

// answer is one batch of inference in a mode.
type answer struct{ ms, joule float64 }

// answers works a network out over all CPU and GPU clocks of a board, the rest as in its fastest mode.
func (b *bench) answers(board string, n physics.Network, visit func(c, g int, a answer)) error {
	k, err := b.kind(board)
	if err != nil {
		return err
	}
	for c, cpu := range k.space.CPU {
		for g, gpu := range k.space.GPU {
			m := k.fastest
			m.CPU, m.GPU = cpu, gpu
			a, err := b.answer(board, n.Infer(perRequest), m)
			if err != nil {
				return err
			}
			visit(c, g, a)
		}
	}
	return nil
}

func (b *bench) answer(board string, w physics.Workload, m tegra.Mode) (answer, error) {
	v, err := b.board(unit{board: board})
	if err != nil {
		return answer{}, err
	}
	s, err := v.Steady(w, m, false)
	return answer{s.TimeMS, s.TimeMS * s.Power.Total() / 1000}, err
}

// What free clocks cost a network that keeps the GPU busy, as published: the governors reside at the top.
const freeTime, freeEnergy = 1.005, 0.995

// least is what the mode of least energy saves of the energy of free clocks, and adds to their latency, in percent.
func (b *bench) least(board string, n physics.Network) (saving, latency float64, err error) {
	best, top := answer{joule: math.Inf(1)}, answer{}
	err = b.answers(board, n, func(_, _ int, a answer) {
		if a.joule < best.joule {
			best = a
		}
		top = a // the last one
	})
	return -change(best.joule, top.joule*freeEnergy), change(best.ms, top.ms*freeTime), err
}

// savings are those of all networks, ascending.
func (b *bench) savings(board string) (out []float64, err error) {
	for _, n := range physics.Networks() {
		saving, _, err := b.least(board, n)
		if err != nil {
			return nil, err
		}
		out = append(out, saving)
	}
	slices.Sort(out)
	return out, nil
}

// places are which of the networks, by saving, a published value is held against, whose names are not published: on a
// Nano in the order of six values, on a Xavier NX the least and the two most.
var places = map[string]map[string]int{
	"nano":      {"1": 1, "2": 5, "3": 2, "4": 0, "5": 3, "6": 4, "max": 5},
	"xavier-nx": {"1": 0, "2": 4, "3": 5, "max": 5},
}

func saving(b *bench, f Figure) ([]float64, error) {
	board := f.Jobs[0].Board
	all, err := b.savings(board)
	if err != nil {
		return nil, err
	}
	return []float64{all[places[board][f.of]]}, nil
}

func latencyAtLeastEnergy(b *bench, f Figure) (out []float64, err error) {
	for _, j := range f.Jobs {
		for _, n := range physics.Networks() {
			_, latency, err := b.least(j.Board, n)
			if err != nil {
				return nil, err
			}
			out = append(out, latency)
		}
	}
	return out, nil
}

// latencyFalls reports whether raising the CPU's or the GPU's clock never slows any network.
func latencyFalls(b *bench, f Figure) ([]float64, error) {
	falls := true
	for _, n := range physics.Networks() {
		times := map[[2]int]float64{}
		err := b.answers(f.Jobs[0].Board, n, func(c, g int, a answer) {
			times[[2]int{c, g}] = a.ms
			for _, lower := range [][2]int{{c - 1, g}, {c, g - 1}} {
				if before, ok := times[lower]; ok {
					falls = falls && a.ms <= before*(1+1e-9)
				}
			}
		})
		if err != nil {
			return nil, err
		}
	}
	return []float64{truth(falls)}, nil
}

// energyOneWay reports of each board whether the energy of most networks goes one way with the GPU's clock, the CPU at
// its highest.
func energyOneWay(b *bench, f Figure) (out []float64, err error) {
	for _, j := range f.Jobs {
		oneWay := 0
		for _, n := range physics.Networks() {
			var energies []float64
			top := 0
			err := b.answers(j.Board, n, func(c, _ int, a answer) {
				if c > top {
					top, energies = c, nil
				}
				energies = append(energies, a.joule)
			})
			if err != nil {
				return nil, err
			}
			falling := slices.Clone(energies)
			slices.Reverse(falling)
			if slices.IsSorted(energies) || slices.IsSorted(falling) {
				oneWay++
			}
		}
		out = append(out, truth(oneWay > len(physics.Networks())/2))
	}
	return out, nil
}

// cplusplus is a C++ program's CPU time per kernel against PyTorch's in Python.
const cplusplus = 0.4

// stackCost is what Python costs in energy over C++ at the highest clocks, the mean of all networks, in percent.
func stackCost(b *bench, f Figure) ([]float64, error) {
	total := 0.0
	for _, n := range physics.Networks() {
		var joules []float64
		for _, stack := range []float64{1, cplusplus} {
			n.Stack = stack
			k, err := b.kind(f.Jobs[0].Board)
			if err != nil {
				return nil, err
			}
			a, err := b.answer(f.Jobs[0].Board, n.Infer(perRequest), k.fastest)
			if err != nil {
				return nil, err
			}
			joules = append(joules, a.joule)
		}
		total += change(joules[0], joules[1])
	}
	return []float64{total / float64(len(physics.Networks()))}, nil
}
