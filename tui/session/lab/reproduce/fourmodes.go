package reproduce

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"jtune/internal/stats"
	"jtune/tegra"
	"jtune/tui/session/lab/fourmodes"
)

func (l *lab) lines() (*fourmodes.Models, error) {
	l.simulated = true
	if l.linearModels != nil {
		return l.linearModels, nil
	}
	b, d, err := l.board(fourmodes.Board)
	if err != nil {
		return nil, err
	}
	l.linearModels, err = fourmodes.Make(b, d)
	return l.linearModels, err
}

// linear returns a result of the study's linear models, by name.
func (l *lab) linear(args []string) ([]float64, error) {
	models, err := l.lines()
	if err != nil {
		return nil, err
	}
	switch args[0] {
	case "subsets":
		return []float64{float64(models.Found.Tried)}, nil
	case "samples":
		return []float64{float64(models.Samples())}, nil
	case "time": // over all workloads that chose the modes
		var all []float64
		for _, job := range fourmodes.Jobs {
			all = append(all, models.Errors[job]...)
		}
		return []float64{stats.Mean(all)}, nil
	case "under":
		most, err := strconv.ParseFloat(args[1], 64)
		if err != nil {
			return nil, err
		}
		n := 0.0
		for job, errors := range models.Errors {
			for _, e := range errors {
				if e < most && (len(args) < 3 || args[2] == job) {
					n++
				}
			}
		}
		return []float64{n}, nil
	case "energy":
		return []float64{stats.Mean(models.Joules[args[1]])}, nil
	case "energy-median":
		return []float64{stats.Median(models.Joules[args[1]])}, nil
	case "energy-span":
		return []float64{slices.Min(models.Joules[args[1]]), slices.Max(models.Joules[args[1]])}, nil
	}
	return nil, fmt.Errorf("no result %q of the linear models", args[0])
}

// chosenModes lists the four modes, and the observed and predicted epochs in each of the ten.
func (l *lab) chosenModes() (Table, error) {
	models, err := l.lines()
	if err != nil {
		return Table{}, err
	}
	t := Table{Title: fmt.Sprintf("Epochs in the ten modes; the four chosen ones (%s), the sum of whose root mean "+
		"square errors is least (%.3g s), are marked; the paper's are %s", models.Letters(), models.Found.SumRMSE,
		fourmodes.Published),
		Head: []string{"workload", "mode", "chosen", "observed s", "predicted s", "error %", "observed kJ",
			"predicted kJ", "error %"}}
	below := 0
	for _, job := range append(slices.Clone(fourmodes.Jobs), fourmodes.Checked) {
		for i, e := range models.Epochs[job] {
			chosen := ""
			if slices.Contains(models.Found.Modes, e.Mode) {
				chosen = "yes"
			}
			p := models.Said[job][i]
			if p.EnergyJ < 0 {
				below++
			}
			t.Rows = append(t.Rows, Row{Item: job, Simulated: true, Cells: []string{string(rune('a' + i)), chosen,
				number(e.TimeS), number(p.TimeS), number(models.Errors[job][i]), number(e.EnergyJ / 1000),
				number(p.EnergyJ / 1000), number(models.Joules[job][i])}})
		}
	}
	if below > 0 {
		t.Title += fmt.Sprintf(". %d of the %d predicted energies are below zero, which no energy is: one line "+
			"for all workloads is no prediction for the small ones", below, len(t.Rows))
	}
	return t, nil
}

// energyTable predicts an epoch of each workload in the mode of the options; empty without one.
func (l *lab) energyTable() (t Table, err error) {
	if l.Mode == "" {
		return t, nil
	}
	models, err := l.lines()
	if err != nil {
		return t, err
	}
	b, d, err := l.board(fourmodes.Board)
	if err != nil {
		return t, err
	}
	mode, err := tegra.FindMode(l.Mode, d.Space(), d.Presets())
	if err != nil {
		return t, err
	}
	t.Title = fmt.Sprintf("Epochs in %s: energy predicted from the mode and the predicted time by one model for all "+
		"workloads; below zero it predicts none", d.Space().Format(mode))
	t.Head = []string{"workload", "predicted s", "simulated s", "predicted kJ", "simulated kJ"}
	for _, job := range append(slices.Clone(fourmodes.Jobs), fourmodes.Checked) {
		e, err := fourmodes.Epoch(b, job, mode)
		if err != nil {
			return t, err
		}
		p := models.Predict(job, mode)
		t.Rows = append(t.Rows, Row{Item: job, Simulated: true, Cells: []string{number(p.TimeS), number(e.TimeS),
			number(p.EnergyJ / 1000), number(e.EnergyJ / 1000)}})
	}
	return t, nil
}

// number formats a value with three digits.
func number(v float64) string {
	if math.Abs(v) < 1e-9 {
		v = 0
	}
	return strconv.FormatFloat(v, 'g', 3, 64)
}
