package fidelity

import (
	"slices"

	"jtune/tegra/virtual/physics"
	"jtune/tui/session/lab/evidence"
)

// Trial computes figures with constants other than the built-in ones.
type Trial struct {
	Figures []Figure
	own     *bench
}

// NewTrial selects the figures that state a time or power of a workload on a board, without restatements.
func NewTrial(board, workload string) Trial {
	about := evidence.Job{Board: board, Workload: workload}
	return Trial{own: newBench(builtIn(), 0),
		Figures: slices.DeleteFunc(slices.Clone(Figures()), func(f Figure) bool {
			return f.Kind != evidence.Simulated || f.word != "value" || f.SameAs != "" ||
				!slices.Equal(f.Jobs, []evidence.Job{about})
		})}
}

// Values returns the simulated values of the figures, in their units.
func (t Trial) Values(chip physics.Chip, w physics.Workload) (out []float64, err error) {
	c := builtIn()
	c.chips[chip.Name], c.workloads[w.Name] = chip, w
	b := t.own.with(c)
	for _, f := range t.Figures {
		values, err := works[f.word](b, f)
		if err != nil {
			return nil, err
		}
		out = append(out, values[0])
	}
	return out, nil
}
