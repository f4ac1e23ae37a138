package fidelity

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"jtune/optimize/energy"
	"jtune/profiles/lab/experiment"
	"jtune/tegra"
	"jtune/tegra/virtual/physics"
	"jtune/telemetry"
	"jtune/tui/session/lab/experiments"
	"jtune/tui/session/lab/rig"
	"jtune/tui/session/study"
)

// perRequest is the batch size of the inference study.
const perRequest = 1

// answer is one batch of inference in a mode.
type answer struct{ ms, joule float64 }

func (b *bench) answer(board string, w physics.Workload, m tegra.Mode) (answer, error) {
	v, err := b.board(unit{board: board})
	if err != nil {
		return answer{}, err
	}
	s, err := v.Steady(w, m, false)
	return answer{s.TimeMS, s.TimeMS * s.Power.Total() / 1000}, err
}

// study runs the program's own energy study of a network, without repeated readings.
func (b *bench) study(board string, n physics.Network, other ...tegra.Governors) (*study.EnergyReport, error) {
	key := fmt.Sprint(board, n.Name, other)
	if found, ok := b.studies[key]; ok {
		return found, nil
	}
	v, err := b.fresh(unit{board: board}, hardlyAny)
	if err != nil {
		return nil, err
	}
	measuring, err := rig.Measuring(v, n.Infer(perRequest).Name)
	if err != nil {
		return nil, err
	}
	defer measuring.Done()
	measuring.Workload = measuring.Workload.AtBatch(perRequest)
	r := experiments.ExperimentRequest{Request: experiment.Request{Workload: measuring.Workload, Every: time.Second},
		Repeat: 1, Energy: experiments.EnergyRequest{PairsAlone: true, Governors: other}}
	out, err := experiments.StudyEnergy(context.Background(), r, measuring.Bench)
	if err == nil && len(out.Failed) > 0 {
		err = errors.New(out.Failed[0])
	}
	b.studies[key] = out
	return out, err
}

// least returns the energy that the best pair saves compared with free clocks, and the latency it adds, in percent.
func (b *bench) least(board string, n physics.Network) (saving, latency float64, err error) {
	r, err := b.study(board, n)
	if err != nil {
		return 0, 0, err
	}
	energy, time := r.Change(r.Least.V, r.UnitJ(r.Least.V))
	return -energy.V, time.V, nil
}

// residency returns the share of time, in percent, at the highest clock in use under the governors. It is the mean of
// all networks, each run a few times, because a run of less than a minute sees few clock changes.
func residency(b *bench, f Figure) ([]float64, error) {
	const runs = 4
	total := 0.0
	for run := range uint64(runs) {
		for _, n := range physics.Networks() {
			r, err := b.again(run).study(f.Jobs[0].Board, n)
			if err != nil {
				return nil, err
			}
			base, _ := r.Base()
			clock := map[string]telemetry.Residency{"cpu": base.CPU, "gpu": base.GPU}[f.of]
			total += 100 * study.Highest(clock).V.Share
		}
	}
	return []float64{total / float64(runs*len(physics.Networks()))}, nil
}

// otherGovernors returns the difference in energy per request under other CPU governors, in percent.
func otherGovernors(b *bench, f Figure) (out []float64, err error) {
	r, err := b.study(f.Jobs[0].Board, physics.Networks()[0], tegra.Governors{CPU: "ondemand"},
		tegra.Governors{CPU: "conservative"})
	if err != nil {
		return nil, err
	}
	for _, other := range r.Baselines[1:] {
		energy, _ := r.Change(other.Point, other.UnitJ())
		out = append(out, math.Abs(energy.V))
	}
	return out, nil
}

// savings returns the savings of all networks, ascending.
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

// places maps a published value without a network name to a network, by its rank in saving: on a Nano in the order of
// the six values, on a Xavier NX the least and the two largest.
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

// grid returns the results of every pair of clocks for a network.
func (b *bench) grid(board string, n physics.Network) (energy.Grid, error) {
	k, err := b.kind(board)
	if err != nil {
		return energy.Grid{}, err
	}
	out := energy.NewGrid(k.space.CPU, k.space.GPU)
	for _, cpu := range k.space.CPU {
		for _, gpu := range k.space.GPU {
			m := k.fastest
			m.CPU, m.GPU = cpu, gpu
			a, err := b.answer(board, n.Infer(perRequest), m)
			if err != nil {
				return out, err
			}
			at := tegra.Measured{TimeMS: a.ms, PowerW: 1000 * a.joule / a.ms}
			at.Mode = m
			out.Set(at)
		}
	}
	return out, nil
}

// latencyFalls returns whether raising the CPU or GPU clock never slows any network.
func latencyFalls(b *bench, f Figure) ([]float64, error) {
	falls := true
	for _, n := range physics.Networks() {
		grid, err := b.grid(f.Jobs[0].Board, n)
		if err != nil {
			return nil, err
		}
		falls = falls && grid.LatencyFalls(1e-9)
	}
	return []float64{truth(falls)}, nil
}

// energyOneWay returns for each board whether the energy of most networks has its minimum at an end of the GPU's
// clocks, with the CPU at its highest clock.
func energyOneWay(b *bench, f Figure) (out []float64, err error) {
	for _, j := range f.Jobs {
		oneWay := 0
		for _, n := range physics.Networks() {
			grid, err := b.grid(j.Board, n)
			if err != nil {
				return nil, err
			}
			if !grid.InnerMinimum() {
				oneWay++
			}
		}
		out = append(out, truth(oneWay > len(physics.Networks())/2))
	}
	return out, nil
}

// cplusplus is the CPU time per kernel of a C++ program relative to PyTorch in Python.
const cplusplus = 0.4

// stackCost returns the extra energy of Python over C++ at the highest clocks, as the mean of all networks in percent.
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
