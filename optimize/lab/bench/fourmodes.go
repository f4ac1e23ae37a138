package bench

// The predictors of the 2022 study (Characterizing the Performance of Accelerated Jetson Edge Devices for Training Deep
// Learning Models, section 5.7) on any measured sweep: of ten modes, the four from which linear fits predict the ten
// best, summed over workloads, among all 210 subsets; one time model per workload from its measurements in these four;
// one energy model for all workloads, applied to the predicted time.
//
// Differences: minibatches replace epochs, which a sweep lacks, with one value per mode, the median. The ten modes are
// the study's if the board has them, else random. Without another workload, the ten and the four are chosen on the
// workload itself, which then costs ten modes.

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"jtune/internal/stats"
	"jtune/learn"
	"jtune/learn/baseline/linear"
	"jtune/tegra"
	"jtune/tegra/metric"
)

const (
	studyModes  = 10
	probedModes = 4
)

// Workload is another workload measured on the board of a sweep.
type Workload struct {
	Name     string
	Measured []tegra.Measured
}

// fourModes is linear4's additional output.
type fourModes struct {
	warning  string    // rank warning of the time model
	timePct  []float64 // errors of the time models of all workloads in the ten modes
	energy   float64   // median error of the energy model over them; NaN without power
	searched int       // number of subsets
}

// newFourModes prepares linear4; the note explains why it cannot run.
func newFourModes(o *Options, f *truth) (*method, string) {
	var others []map[tegra.Mode]tegra.Measured
	for _, w := range o.Others {
		at := map[tegra.Mode]tegra.Measured{}
		for _, m := range w.Measured {
			at[m.Mode] = m
		}
		others = append(others, at)
	}
	var common []tegra.Mode
	for _, i := range f.rows {
		m := f.all[i].Mode
		if !slices.ContainsFunc(others, func(at map[tegra.Mode]tegra.Measured) bool { _, ok := at[m]; return !ok }) {
			common = append(common, m)
		}
	}
	if len(common) < studyModes {
		return nil, fmt.Sprintf("left out, only %d modes are measured in all workloads, it needs %d",
			len(common), studyModes)
	}
	c := &method{sized: false, seeded: true, note: noteFourModes}
	ten := func(seed uint64) []tegra.Mode {
		var out []tegra.Mode
		for _, i := range rand.New(rand.NewPCG(seed, 0x666f7572)).Perm(len(common))[:studyModes] {
			out = append(out, common[i])
		}
		return out
	}
	if of, ok := linear.StudyModes(f.places.Space); ok &&
		!slices.ContainsFunc(of, func(m tegra.Mode) bool { return !slices.Contains(common, m) }) {
		c.seeded, ten = false, func(uint64) []tegra.Mode { return of }
	}
	c.run = func(_ context.Context, f *truth, _ int, seed uint64) (outcome, error) {
		return f.fourModes(ten(seed), others)
	}
	return c, ""
}

func epochOf(m tegra.Measured) linear.Epoch {
	return linear.Epoch{Mode: m.Mode, TimeS: m.TimeMS / 1000, EnergyJ: m.EnergyJ()}
}

// fourModes is one run: the search, the models, and the study's own score.
func (f *truth) fourModes(ten []tegra.Mode, others []map[tegra.Mode]tegra.Measured) (outcome, error) {
	var own []linear.Epoch
	var index []int
	for _, m := range ten {
		i, _ := f.places.Index(tegra.Setting{Mode: m})
		index, own = append(index, i), append(own, epochOf(f.truth[i]))
	}
	var known [][]linear.Epoch
	for _, at := range others {
		var epochs []linear.Epoch
		for _, m := range ten {
			epochs = append(epochs, epochOf(at[m]))
		}
		known = append(known, epochs)
	}
	all := append(slices.Clone(known), own)
	if len(known) == 0 {
		known = all
	}
	found, err := linear.BestModes(ten, known, probedModes)
	if err != nil {
		return outcome{}, err
	}
	few := func(epochs []linear.Epoch) []linear.Epoch {
		return slices.DeleteFunc(
			slices.Clone(epochs),
			func(e linear.Epoch) bool { return !slices.Contains(found.Modes, e.Mode) },
		)
	}
	time, err := linear.FitTime(few(own))
	if err != nil {
		return outcome{}, err
	}
	var energy *linear.EnergyModel
	if flat := slices.Concat(known...); !slices.ContainsFunc(
		flat,
		func(e linear.Epoch) bool { return math.IsNaN(e.EnergyJ) },
	) {
		fit, err := linear.FitEnergy(flat)
		if err != nil {
			return outcome{}, err
		}
		energy = &fit
	}
	preds := make([]learn.Prediction, len(f.all))
	for i, a := range f.all {
		preds[i] = lined(a.Mode, time, energy, few(own))
	}
	learned := index
	if len(others) > 0 { // the other workloads determined which four to measure
		learned = nil
		for _, m := range found.Modes {
			i, _ := f.places.Index(tegra.Setting{Mode: m})
			learned = append(learned, i)
		}
	}
	out, err := f.predicted(preds, learned, nil, nil, metric.NoMargin)
	if err != nil {
		return out, err
	}
	out.fourModes = &fourModes{warning: time.Warning(), searched: found.Tried}
	return out, out.fourModes.score(all, few, energy)
}

// lined returns the prediction for a mode: the linear time, and energy divided by time as power. Predicted time is at
// least half the least measured time, since lines can be negative.
func lined(m tegra.Mode, time linear.TimeModel, energy *linear.EnergyModel, from []linear.Epoch) learn.Prediction {
	least := math.Inf(1)
	for _, e := range from {
		least = min(least, e.TimeS/2)
	}
	s := max(time.TimeS(m), least)
	p := learn.Prediction{
		Measured: tegra.Measured{Setting: tegra.Setting{Mode: m}, TimeMS: 1000 * s, PowerW: math.NaN()},
	}
	if energy != nil {
		p.PowerW = max(energy.EnergyJ(m, s)/s, leastLinedW)
	}
	return p
}

// leastLinedW is the least power that linear4 predicts: no board draws less.
const leastLinedW = 0.5

// score returns the study's score: the errors of all workloads in the ten modes, each time model fitted to its own
// four.
func (l *fourModes) score(
	workloads [][]linear.Epoch,
	few func([]linear.Epoch) []linear.Epoch,
	energy *linear.EnergyModel,
) error {
	var energyPct []float64
	for _, epochs := range workloads {
		from := few(epochs)
		time, err := linear.FitTime(from)
		if err != nil {
			return err
		}
		for _, e := range epochs {
			p := lined(e.Mode, time, energy, from)
			l.timePct = append(l.timePct, 100*math.Abs(p.TimeMS/1000/e.TimeS-1))
			energyPct = append(energyPct, 100*math.Abs(p.EnergyJ()/e.EnergyJ-1))
		}
	}
	if l.energy = math.NaN(); energy != nil {
		l.energy = stats.Median(energyPct)
	}
	return nil
}

// noteFourModes summarises the runs by the study's measure.
func noteFourModes(trials []*trial) string {
	var timePct, energy []float64
	warned, warning := 0, ""
	for _, j := range trials {
		l := j.out.fourModes
		timePct, energy = append(timePct, l.timePct...), append(energy, l.energy)
		if l.warning != "" {
			warned, warning = warned+1, l.warning
		}
	}
	under := func(pct float64) float64 {
		n := 0
		for _, v := range timePct {
			if v < pct {
				n++
			}
		}
		return 100 * float64(n) / float64(len(timePct))
	}
	text := fmt.Sprintf("best of %d subsets; in the ten modes, these four included, %.0f %% of the times within 10 "+
		"%%, %.0f %% within 15 %% (the study, on an AGX Xavier: 78 and 92)",
		trials[0].out.fourModes.searched, under(10), under(15))
	if e := stats.Median(energy); !math.IsNaN(e) {
		text += fmt.Sprintf(", energy off by %.0f %% in the median (the study: 21 to 60)", e)
	}
	if warned > 0 {
		text += fmt.Sprintf("; in %d of %d runs %s",
			warned, len(trials), strings.Replace(warning, ": ", ", so that ", 1))
	}
	return text
}
