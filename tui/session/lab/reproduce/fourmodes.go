package reproduce

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"jtune/internal/stats"
	"jtune/learn/baseline/linear"
	"jtune/tegra"
	"jtune/tegra/virtual/physics"
)

// What the 2022 study measured for its linear models, all on an AGX Xavier: three workloads choose the four modes and
// fit energy, VGG-11 alone is predicted.
const studyBoard = "agx-xavier"

var studyJobs = []string{"lenet5", "mobilenet", "resnet18-cifar"}

const (
	checkedJob = "vgg11"
	fourModes  = 4
	fitEpochs  = 2 // of three per mode, epoch 0 dropped
)

// lines are the study's models, made from a virtual Xavier.
type lines struct {
	found  linear.Selection
	ten    []tegra.Mode
	epochs map[string][]linear.Epoch   // by workload, in the ten modes
	time   map[string]linear.TimeModel // each from its own four modes
	energy linear.EnergyModel          // of the three workloads
	errors map[string][]float64        // of time, %, by mode
	joules map[string][]float64        // of energy, %
	said   map[string][]linear.Epoch   // what is predicted
}

func (l *lab) lines() (*lines, error) {
	l.simulated = true
	if l.linearModels != nil {
		return l.linearModels, nil
	}
	b, d, err := l.board(studyBoard)
	if err != nil {
		return nil, err
	}
	out := &lines{epochs: map[string][]linear.Epoch{}, time: map[string]linear.TimeModel{},
		errors: map[string][]float64{}, joules: map[string][]float64{}, said: map[string][]linear.Epoch{}}
	var ok bool
	if out.ten, ok = linear.StudyModes(d.Space()); !ok {
		return nil, fmt.Errorf("virtual:%s lacks modes of the 2022 study", studyBoard)
	}
	for _, job := range append(slices.Clone(studyJobs), checkedJob) {
		w, ok := physics.Find(job)
		if !ok {
			return nil, fmt.Errorf("no workload %q", job)
		}
		for _, m := range out.ten {
			steps, err := b.Steady(w, m, false)
			if err != nil {
				return nil, err
			}
			s := steps.TimeMS / 1000 * float64(w.Minibatches(w.Batch))
			out.epochs[job] = append(out.epochs[job], linear.Epoch{Mode: m, TimeS: s, EnergyJ: s * steps.Power.Total()})
		}
	}
	var known [][]linear.Epoch
	for _, job := range studyJobs {
		known = append(known, out.epochs[job])
	}
	if out.found, err = linear.BestModes(out.ten, known, fourModes); err != nil {
		return nil, err
	}
	if out.energy, err = linear.FitEnergy(slices.Concat(known...)); err != nil {
		return nil, err
	}
	for job, epochs := range out.epochs {
		var few []linear.Epoch
		for _, e := range epochs {
			if slices.Contains(out.found.Modes, e.Mode) {
				few = append(few, e)
			}
		}
		if out.time[job], err = linear.FitTime(few); err != nil {
			return nil, err
		}
		for _, e := range epochs {
			s := out.time[job].TimeS(e.Mode)
			p := linear.Epoch{Mode: e.Mode, TimeS: s, EnergyJ: out.energy.EnergyJ(e.Mode, s)}
			out.said[job] = append(out.said[job], p)
			out.errors[job] = append(out.errors[job], 100*math.Abs(p.TimeS/e.TimeS-1))
			out.joules[job] = append(out.joules[job], 100*math.Abs(p.EnergyJ/e.EnergyJ-1))
		}
	}
	l.linearModels = out
	return out, nil
}

// linear is a result of the study's linear models, by name.
func (l *lab) linear(args []string) ([]float64, error) {
	models, err := l.lines()
	if err != nil {
		return nil, err
	}
	switch args[0] {
	case "subsets":
		return []float64{float64(models.found.Tried)}, nil
	case "samples":
		return []float64{float64(len(models.found.Modes) * fitEpochs)}, nil
	case "time": // overall, of the workloads that chose the modes
		var all []float64
		for _, job := range studyJobs {
			all = append(all, models.errors[job]...)
		}
		return []float64{stats.Mean(all)}, nil
	case "under":
		most, err := strconv.ParseFloat(args[1], 64)
		if err != nil {
			return nil, err
		}
		n := 0.0
		for job, errors := range models.errors {
			for _, e := range errors {
				if e < most && (len(args) < 3 || args[2] == job) {
					n++
				}
			}
		}
		return []float64{n}, nil
	case "energy":
		return []float64{stats.Mean(models.joules[args[1]])}, nil
	case "energy-median":
		return []float64{stats.Median(models.joules[args[1]])}, nil
	case "energy-span":
		return []float64{slices.Min(models.joules[args[1]]), slices.Max(models.joules[args[1]])}, nil
	}
	return nil, fmt.Errorf("no result %q of the linear models", args[0])
}

// chosenModes lists the four modes, and observed and predicted epochs in each of the ten.
func (l *lab) chosenModes() (Table, error) {
	models, err := l.lines()
	if err != nil {
		return Table{}, err
	}
	t := Table{Title: fmt.Sprintf("Epochs in the ten modes; the four chosen ones, the sum of whose root mean square "+
		"errors is least (%.3g s), are marked", models.found.SumRMSE),
		Head: []string{"workload", "mode", "chosen", "observed s", "predicted s", "error %", "observed kJ",
			"predicted kJ", "error %"}}
	below := 0
	for _, job := range append(slices.Clone(studyJobs), checkedJob) {
		for i, e := range models.epochs[job] {
			chosen := ""
			if slices.Contains(models.found.Modes, e.Mode) {
				chosen = "yes"
			}
			p := models.said[job][i]
			if p.EnergyJ < 0 {
				below++
			}
			t.Rows = append(t.Rows, Row{Item: job, Simulated: true, Cells: []string{string(rune('a' + i)), chosen,
				number(e.TimeS), number(p.TimeS), number(models.errors[job][i]), number(e.EnergyJ / 1000),
				number(p.EnergyJ / 1000), number(models.joules[job][i])}})
		}
	}
	if below > 0 {
		t.Title += fmt.Sprintf(". %d of the %d predicted energies are below zero, which no energy is: one line "+
			"for all workloads is no prediction for the small ones", below, len(t.Rows))
	}
	return t, nil
}

// number prints a value with three digits.
func number(v float64) string {
	if math.Abs(v) < 1e-9 {
		v = 0
	}
	return strconv.FormatFloat(v, 'g', 3, 64)
}
