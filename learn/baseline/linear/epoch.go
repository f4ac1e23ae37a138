package linear

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/combin"

	"jtune/learn/baseline/nn"
	"jtune/tegra"
)

// Epoch is one measured training epoch, excluding epoch 0, which has a cold page cache.
type Epoch struct {
	Mode    tegra.Mode
	TimeS   float64 // end to end
	EnergyJ float64
}

// TimeModel predicts the time of an epoch of one workload.
type TimeModel struct{ Regression }

// Knobs returns the regression inputs of a mode: cores and raw MHz.
func Knobs(m tegra.Mode) []float64 {
	x := nn.Features(m)
	return x[:]
}

// FitTime fits T = a·CPU + b·cores + c·GPU + d·memory + e to epochs of one workload. Four modes, as in the study, do
// not determine five coefficients: see Regression.Warning.
func FitTime(epochs []Epoch) (TimeModel, error) {
	x, y := make([][]float64, len(epochs)), make([]float64, len(epochs))
	for i, e := range epochs {
		x[i], y[i] = Knobs(e.Mode), e.TimeS
	}
	r, err := Fit(x, y)
	return TimeModel{r}, err
}

// TimeS predicts the seconds of an epoch. The linear prediction may be negative.
func (t TimeModel) TimeS(m tegra.Mode) float64 { return t.At(Knobs(m)) }

// EnergyModel predicts the energy of an epoch of any workload from its time: the study's universal model.
type EnergyModel struct{ Regression }

// FitEnergy fits E to mode and measured time of epochs of several workloads.
func FitEnergy(epochs []Epoch) (EnergyModel, error) {
	x, y := make([][]float64, len(epochs)), make([]float64, len(epochs))
	for i, e := range epochs {
		x[i], y[i] = append(Knobs(e.Mode), e.TimeS), e.EnergyJ
	}
	r, err := Fit(x, y)
	return EnergyModel{r}, err
}

// EnergyJ predicts the energy in joules of an epoch that takes timeS, which is usually a prediction.
func (e *EnergyModel) EnergyJ(m tegra.Mode, timeS float64) float64 {
	return e.At(append(Knobs(m), timeS))
}

// StudyModes returns the ten modes in which the study measured every workload, as listed by a space; false if it lacks
// one.
func StudyModes(space *tegra.Space) ([]tegra.Mode, bool) {
	return space.SnapAll(tegra.XavierStudy[:10])
}

// Selection is the result of BestModes.
type Selection struct {
	Modes   []tegra.Mode // in the order of candidates
	SumRMSE float64      // seconds, summed over the workloads
	Tried   int          // number of subsets
}

// mostSubsets limits the search; the study has 210.
const mostSubsets = 1_000_000

// BestModes tries every subset of k candidate modes. It fits each workload's time model to its epochs in the subset,
// predicts all candidates, and returns the subset with the smallest root mean square error against the mean time per
// mode, summed over workloads. Every workload needs epochs in every candidate. The first of equal subsets wins.
func BestModes(candidates []tegra.Mode, workloads [][]Epoch, k int) (Selection, error) {
	n := len(candidates)
	if k < 1 || k > n || len(workloads) == 0 ||
		combin.LogGeneralizedBinomial(float64(n), float64(k)) > math.Log(mostSubsets+1) {
		return Selection{}, fmt.Errorf("cannot search %d of %d modes over %d workloads: want 1 to all modes and at "+
			"most %d subsets",
			k, n, len(workloads), mostSubsets)
	}
	sorted := make([][][]Epoch, len(workloads)) // by workload and candidate
	for w, epochs := range workloads {
		sorted[w] = make([][]Epoch, n)
		for i, m := range candidates {
			for _, e := range epochs {
				if e.Mode == m {
					sorted[w][i] = append(sorted[w][i], e)
				}
			}
			if len(sorted[w][i]) == 0 {
				return Selection{}, fmt.Errorf("workload %d of %d has no epoch in mode %s", w+1, len(workloads), m)
			}
		}
	}
	best := Selection{SumRMSE: math.Inf(1)}
	var chosen []int
	for subsets, subset := combin.NewCombinationGenerator(n, k), make([]int, k); subsets.Next(); best.Tried++ {
		subsets.Combination(subset)
		sum := 0.0
		for _, byMode := range sorted {
			rmse, err := rmseFrom(byMode, subset)
			if err != nil {
				return Selection{}, err
			}
			sum += rmse
		}
		if sum < best.SumRMSE {
			best.SumRMSE, chosen = sum, slices.Clone(subset)
		}
	}
	for _, i := range chosen {
		best.Modes = append(best.Modes, candidates[i])
	}
	return best, nil
}

// rmseFrom returns the error over all modes, in seconds, of a time model fitted to a subset.
func rmseFrom(byMode [][]Epoch, subset []int) (float64, error) {
	var train []Epoch
	for _, i := range subset {
		train = append(train, byMode[i]...)
	}
	model, err := FitTime(train)
	if err != nil {
		return 0, err
	}
	sum := 0.0
	for _, epochs := range byMode {
		mean := 0.0
		for _, e := range epochs {
			mean += e.TimeS / float64(len(epochs))
		}
		d := model.TimeS(epochs[0].Mode) - mean
		sum += d * d
	}
	return math.Sqrt(sum / float64(len(byMode))), nil
}
