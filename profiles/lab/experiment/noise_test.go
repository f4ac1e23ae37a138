package experiment

import (
	"strings"
	"testing"

	"jtune/profiles/record"
	"jtune/profiles/workload"
)

// Clocks that follow the load take 6 % less time and 20 % less power: an effect
// or noise, by what these numbers rest on.
func TestExperimentDifferenceWithinTheNoiseIsNone(t *testing.T) {
	t.Parallel()
	s, e := orin(t), find(t, "dvfs")
	p := e.Plan(Request{Workload: workload.Workload{Name: "w", Batch: 16}, Space: s, Mode: s.Max(), Simulated: true})
	for _, c := range []struct {
		name        string
		minibatches int
		iqrMS       float64 // of the minibatches
		readings    int     // of power
		iqrW        float64
		repeats     []float64 // ms that each run is off by
		says, never []string
	}{
		{"many minibatches that scatter little", 500, 5, 60, 1, []float64{0},
			[]string{"time -6 %", "power -20 %", "energy -25 %"}, []string{"noise", "short"}},
		{"a few that scatter much", 5, 15, 60, 1, []float64{0}, []string{"power -20 %"}, []string{"time"}},
		{"many that scatter much", 500, 15, 60, 1, []float64{0}, []string{"time -6 %"}, nil},
		{"runs that differ as much", 500, 5, 60, 1, []float64{-8, 0, 8}, []string{"power -20 %"}, []string{"time"}},
		{"runs that differ little", 500, 5, 60, 1, []float64{-1, 0, 1}, []string{"time -6 %"}, nil},
		{"a run below a second: one reading of power", 5, 0, 1, 0, []float64{0},
			[]string{"time -6 %", "too short to compare power"}, []string{"power -", "energy -", "neither"}},
		{"but three of them, which agree", 5, 0, 1, 0, []float64{-1, 0, 1}, []string{"time -6 %", "power -20 %"},
			[]string{"short"}},
		{"power that scatters much", 500, 5, 8, 20, []float64{0}, []string{"time -6 %"}, []string{"power -"}},
		{"two minibatches", 2, 0, 60, 0, []float64{0}, []string{"too short to be compared"}, []string{"time -"}},
	} {
		var rows []record.Row
		var runs []record.Run
		for i, set := range p.Settings {
			for k, off := range c.repeats {
				a := part(0, 98-6*float64(i)+off, 40-8*float64(i))
				a.Minibatches = c.minibatches
				row, run := ran(set, k+1, a)
				row.TimeIQRMS, row.PowerSamples, row.PowerIQRW = c.iqrMS, c.readings, c.iqrW
				rows, runs = append(rows, row), append(runs, run)
			}
		}
		got := strings.Join(e.Report(p, len(c.repeats), rows, runs).Takeaway, "\n")
		told(t, c.name, got, c.says, c.never)
	}
}
