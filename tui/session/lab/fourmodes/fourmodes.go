// Package fourmodes repeats the linear models of the 2022 study (section 5.7): time from four modes, one energy model.
//
//	virtual Xavier, ten modes ──► Models: the chosen modes, epochs observed and predicted
package fourmodes

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"jtune/learn/baseline/linear"
	"jtune/tegra"
	"jtune/tegra/virtual"
	"jtune/tegra/virtual/physics"
)

// Board is the board on which the 2022 study measured everything for its linear models.
const Board = "agx-xavier"

// Jobs are the three workloads that determine the four modes and the energy model.
var Jobs = []string{"lenet5", "mobilenet", "resnet18-cifar"}

// Checked is a workload that is only predicted.
const Checked = "vgg11"

const (
	chosen    = 4
	fitEpochs = 2 // of three per mode; epoch 0 does not count
)

// Models are the study's models, fitted to a virtual Xavier.
type Models struct {
	Found  linear.Selection
	Epochs map[string][]linear.Epoch // by workload, in the ten modes
	Said   map[string][]linear.Epoch // predictions: time from the workload's own four modes, energy from all three
	Errors map[string][]float64      // of time, %, by mode
	Joules map[string][]float64      // of energy, %

	times  map[string]linear.TimeModel
	energy linear.EnergyModel
}

// Published are the four modes that the study recommends (section 5.7.1).
const Published = "e, f, i, j"

// Letters returns the labels of the chosen modes: "d, f, i, j".
func (m *Models) Letters() string {
	var out []string
	for i, e := range m.Epochs[Checked] {
		if slices.Contains(m.Found.Modes, e.Mode) {
			out = append(out, string(rune('a'+i)))
		}
	}
	return strings.Join(out, ", ")
}

// Samples returns the number of epochs that a time model is fitted to.
func (m *Models) Samples() int { return len(m.Found.Modes) * fitEpochs }

// Make fits the study's models on a board whose device has the study's modes.
func Make(b *virtual.Board, d tegra.Device) (*Models, error) {
	out := &Models{Epochs: map[string][]linear.Epoch{}, Said: map[string][]linear.Epoch{},
		Errors: map[string][]float64{}, Joules: map[string][]float64{}, times: map[string]linear.TimeModel{}}
	ten, ok := linear.StudyModes(d.Space())
	if !ok {
		return nil, fmt.Errorf("virtual:%s lacks modes of the 2022 study", Board)
	}
	for _, job := range append(slices.Clone(Jobs), Checked) {
		for _, m := range ten {
			e, err := Epoch(b, job, m)
			if err != nil {
				return nil, err
			}
			out.Epochs[job] = append(out.Epochs[job], e)
		}
	}
	var known [][]linear.Epoch
	for _, job := range Jobs {
		known = append(known, out.Epochs[job])
	}
	var err error
	if out.Found, err = linear.BestModes(ten, known, chosen); err != nil {
		return nil, err
	}
	if out.energy, err = linear.FitEnergy(slices.Concat(known...)); err != nil {
		return nil, err
	}
	for job, epochs := range out.Epochs {
		if out.times[job], err = linear.FitTime(slices.DeleteFunc(slices.Clone(epochs), func(e linear.Epoch) bool {
			return !slices.Contains(out.Found.Modes, e.Mode)
		})); err != nil {
			return nil, err
		}
		for _, e := range epochs {
			p := out.Predict(job, e.Mode)
			out.Said[job] = append(out.Said[job], p)
			out.Errors[job] = append(out.Errors[job], 100*math.Abs(p.TimeS/e.TimeS-1))
			out.Joules[job] = append(out.Joules[job], 100*math.Abs(p.EnergyJ/e.EnergyJ-1))
		}
	}
	return out, nil
}

// Epoch returns an epoch of a workload in a mode of a virtual board.
func Epoch(b *virtual.Board, job string, m tegra.Mode) (e linear.Epoch, err error) {
	w, ok := physics.Find(job)
	if !ok {
		return e, fmt.Errorf("no workload %q", job)
	}
	steps, err := b.Steady(w, m, false)
	s := steps.TimeMS / 1000 * float64(w.Minibatches(w.Batch))
	return linear.Epoch{Mode: m, TimeS: s, EnergyJ: s * steps.Power.Total()}, err
}

// Predict predicts an epoch of a workload in any mode: its time from its own four modes, its energy from that time.
func (m *Models) Predict(job string, mode tegra.Mode) linear.Epoch {
	s := m.times[job].TimeS(mode)
	return linear.Epoch{Mode: mode, TimeS: s, EnergyJ: m.energy.EnergyJ(mode, s)}
}
