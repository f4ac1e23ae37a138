package learn

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distuv"

	"jtune/learn/internal/parallel"
	"jtune/tegra"
)

// Surrogate is the gp model of time and power over a space, or over a space times the batch sizes. Designs and searches
// refit it after every measurement. It is safe for concurrent reads.
type Surrogate struct {
	timePowerModel
	space     *tegra.Space
	batches   []int // ascending, at least one; several are an input
	view      int   // batch size of Predict
	scale     scale
	points    func() []point // of all settings in the order of Posterior, computed at the first call
	samples   []tegra.Measured
	reference *Residual
}

// SurrogateOptions are the options of FitSurrogate. The zero value is the fastest: fixed hyper-parameters, no outlier
// rule.
type SurrogateOptions struct {
	Grid      bool      // choose among 3×3 noise and smoothness settings by evidence
	Unlike    bool      // with Grid, workloads may be unlike all that is known: G may be wider and power jump
	Robust    int       // outlier rounds: 2 for a final fit, 1 in a loop
	Reference *Residual // another workload of this device; nil: none
	// Earlier was fitted to other samples. If it has the same space and batch sizes, what follows from these alone is
	// taken over.
	Earlier *Surrogate
	// Known marks samples of another day, which share one unknown offset in time and one in power; nil: none.
	Known []bool
	// Over are readings of power alone, taken before it was steady; their times are ignored.
	Over []tegra.Measured
	// Batches are the batch sizes that may be predicted; every sample has one of them. nil: those of the samples.
	// Several make the size an input, and the reference is not used.
	Batches []int

	kept *keptFit // of the same samples, in a model file; nil: none
}

// overLnSD is the standard deviation of ln power of such a reading, in addition to the usual noise.
const overLnSD = 0.05

var _ Predictor = (*Surrogate)(nil)

// FitSurrogate fits time, then power, whose formula needs the predicted speed. Without samples it returns the prior,
// whose absolute times are meaningless. A mode may be sampled more than once. If no sample has power, the model
// predicts time alone.
//
// n samples cost n³/3 per outlier round and hyper-parameter pair: on one 2 GHz x86 core about 1 ms for 50 with fixed
// hyper-parameters, 6 ms with the grid and two rounds.
func FitSurrogate(space *tegra.Space, samples []tegra.Measured, o SurrogateOptions) (*Surrogate, error) {
	h := hyperparameters{&timeFamily, &powerFamily}
	switch {
	case len(o.sizes(samples)) > 1:
		h, o.Reference = hyperparameters{&batchTimeFamily, &batchPowerFamily}, nil
	case o.Unlike:
		h.power = &jumpingPowerFamily
	}
	return fitSurrogate(space, samples, o, h)
}

// sizes returns the batch sizes that may be predicted.
func (o *SurrogateOptions) sizes(samples []tegra.Measured) []int {
	if o.Batches == nil {
		return tegra.BatchSizes(tegra.SettingsOf(samples))
	}
	return tegra.Sizes(o.Batches...)
}

func fitSurrogate(
	space *tegra.Space,
	samples []tegra.Measured,
	o SurrogateOptions,
	h hyperparameters,
) (*Surrogate, error) {
	if space == nil || space.Len() == 0 {
		return nil, errors.New("no power modes to predict: the space is empty")
	}
	batches, err := checkBatches(o.sizes(samples))
	if err != nil {
		return nil, err
	}
	s := &Surrogate{space: space, scale: newScale(space), samples: samples, reference: o.Reference, batches: batches,
		view: slices.Max(batches)}
	if err := checkPower(samples); err != nil {
		return nil, err
	}
	s.scale.log2Batch = log2Batch(s.view)
	if e := o.Earlier; e != nil && e.space == space && slices.Equal(e.batches, s.batches) {
		s.points = e.points
	} else {
		places, scale := s.places(), s.scale
		s.points = sync.OnceValue(func() []point { return scale.settings(places.All()) })
	}
	lnTime, lnPower := make([]float64, len(samples)), make([]float64, len(samples))
	for i, m := range samples {
		if err := checkSample(space, m); err != nil {
			return nil, fmt.Errorf("sample %d: %w", i+1, err)
		}
		if !slices.Contains(batches, m.Batch) {
			return nil, fmt.Errorf("sample %d: a minibatch of %d samples, want one of %v", i+1, m.Batch, batches)
		}
		lnTime[i], lnPower[i] = math.Log(m.TimeMS), math.Log(m.PowerW)
	}
	if len(samples) > 0 && !hasPower(samples) {
		lnPower = nil
	}
	list := tegra.SettingsOf(samples)
	rTime, rPower := s.reference.at(tegra.ModesOf(list))
	more, err := s.powerAlone(o.Over)
	if err != nil {
		return nil, err
	}

	top := tegra.Setting{Mode: topMode(space, s.scale), Batch: s.view}
	rTop, _ := s.reference.at([]tegra.Mode{top.Mode})
	s.timePowerModel, err = fitTimePower(
		s.scale.settings(list),
		lnTime,
		lnPower,
		residuals{rTime, rPower},
		more,
		timeInputs(h.time, s.scale.settings([]tegra.Setting{top}), rTop),
		o,
		h,
	)
	return s, err
}

// powerAlone prepares readings of power alone.
func (s *Surrogate) powerAlone(list []tegra.Measured) (out powerAlone, err error) {
	var at []tegra.Setting
	for _, m := range list {
		m.TimeMS = 1
		if err := checkSample(s.space, m); err != nil {
			return out, fmt.Errorf("power of %s: %w", m.Mode, err)
		}
		at = append(at, m.Setting)
		out.lnPower, out.sd = append(out.lnPower, math.Log(m.PowerW)), append(out.sd, overLnSD)
	}
	if len(at) > 0 {
		out.x = s.scale.settings(at)
		out.r.time, out.r.power = s.reference.at(tegra.ModesOf(at))
	}
	return out, nil
}

// topMode returns the mode with the largest sum of octaves.
func topMode(space *tegra.Space, scale scale) tegra.Mode {
	top := space.Max()
	if space.Contains(top) {
		return top
	}
	best := math.Inf(-1)
	for _, m := range space.All() {
		x := scale.point(m)
		if sum := x[0] + x[1] + x[2] + x[3]; sum > best {
			best, top = sum, m
		}
	}
	return top
}

// Samples returns the measured modes that the surrogate was fitted to.
func (s *Surrogate) Samples() []tegra.Measured { return s.samples }

// Space returns the modes of the device.
func (s *Surrogate) Space() *tegra.Space { return s.space }

// ReferenceWeights returns the weight of the reference in time and in power, 0 to 1; 0 without one.
func (s *Surrogate) ReferenceWeights() (time, power float64) {
	return s.time.trust(), s.power.trust()
}

// suspicious lists the down-weighted modes that also disagree with the final fit: measure them again. It is empty
// unless SurrogateOptions.Robust was positive.
func (s *Surrogate) suspicious() []tegra.Setting {
	var out []tegra.Setting
	for i, m := range s.samples {
		if s.time.outlier(i) || s.power.outlier(i) {
			out = append(out, m.Setting)
		}
	}
	return out
}

// farFrom lists measured settings that were not fitted and are outliers by their predictions.
func (s *Surrogate) farFrom(measured []tegra.Measured) []tegra.Setting {
	learned := map[tegra.Setting]bool{}
	for _, m := range s.samples {
		learned[m.Setting] = true
	}
	var out []tegra.Setting
	for i, p := range s.PredictSettings(tegra.SettingsOf(measured)) {
		m := measured[i]
		time, power := square(math.Log(m.TimeMS/p.TimeMS)/p.LnTimeSD), square(math.Log(m.PowerW/p.PowerW)/p.LnPowerSD)
		if a := m.Setting; !learned[a] && (time > outlierZ2 || power > outlierZ2) { // no power: NaN
			out = append(out, a)
		}
	}
	return out
}

// Posterior is the prediction for every mode of the space, by index, or for every setting in the order of Settings:
// mean and standard deviation of ln time (ms) and ln power (W), NaN without measured power. The deviations exclude
// measurement noise, whose standard deviations are NoiseTime and NoisePower. SdPower assumes that LnTime is exact.
type Posterior struct {
	LnTime, SdTime, LnPower, SdPower []float64
	NoiseTime, NoisePower            float64
	readings                         int
	fit                              *timePowerModel // its own
}

// Posterior predicts all modes of the space, each with every batch size. It costs n² per mode, about 15 ms of processor
// time for 18,096 modes from 50 samples on x86 with AVX2.
func (s *Surrogate) Posterior() *Posterior {
	rTime, rPower := s.reference.over(s.space)
	return s.posterior(s.points(), residuals{rTime, rPower})
}

// PosteriorAt is Posterior for some indices, in their order.
func (s *Surrogate) PosteriorAt(index []int) *Posterior {
	list := s.settingsAt(index)
	rTime, rPower := s.reference.atIndexes(s.space, index, tegra.ModesOf(list))
	return s.posterior(s.scale.settings(list), residuals{rTime, rPower})
}

// CovTime returns the posterior covariance of ln time between modes a (rows) and b (columns), indices as in Posterior,
// of the linearised model.
func (s *Surrogate) CovTime(a, b []int) *mat.Dense {
	return s.time.covariance(s.timeAt(a), s.timeAt(b))
}

// CovPower is CovTime for ln power; it needs measured power.
func (s *Surrogate) CovPower(a, b []int) *mat.Dense {
	return s.power.covariance(s.powerAt(a), s.powerAt(b))
}

func (s *Surrogate) timeAt(index []int) inputs {
	list := s.settingsAt(index)
	r, _ := s.reference.atIndexes(s.space, index, tegra.ModesOf(list))
	return s.timeInputs(s.scale.settings(list), r)
}

func (s *Surrogate) powerAt(index []int) inputs {
	list := s.settingsAt(index)
	x := s.scale.settings(list)
	rTime, rPower := s.reference.atIndexes(s.space, index, tegra.ModesOf(list))
	return s.powerInputs(x, rPower, s.meanTime(s.timeInputs(x, rTime)))
}

// places returns the settings in the order of Posterior.
func (s *Surrogate) places() tegra.Places { return tegra.Places{Space: s.space, Batches: s.batches} }

func (s *Surrogate) settingsAt(index []int) []tegra.Setting {
	places, out := s.places(), make([]tegra.Setting, len(index))
	for i, at := range index {
		out[i] = places.At(at)
	}
	return out
}

// Predict predicts modes, which need not belong to the space. If the batch size is an input, it uses the largest, or
// that of At.
func (s *Surrogate) Predict(modes []tegra.Mode) []Prediction {
	return s.PredictSettings(tegra.Settings(modes, []int{s.view}))
}

// PredictSettings predicts settings; their batch sizes need not have been measured.
func (s *Surrogate) PredictSettings(list []tegra.Setting) []Prediction {
	rTime, rPower := s.reference.atSettings(list)
	x := s.scale.settings(list)
	p := s.posterior(x, residuals{rTime, rPower})
	return p.predictions(list, s.sdPowerByTime(x, p))
}

// predictions converts the posterior of settings to medians with 95 % bands. Power bands include the uncertainty of
// time (docs/method.md, Bands; docs/decisions/013-power-bands-carry-the-uncertainty-of-time.md).
func (p *Posterior) predictions(list []tegra.Setting, sdPowerByTime []float64) []Prediction {
	wideTime, widePower := p.BandWidths(0.95)
	out := make([]Prediction, len(list))
	parallel.Ranges(len(list), func(from, to int) {
		for i := from; i < to; i++ {
			sdPower := math.Hypot(math.Hypot(p.SdPower[i], sdPowerByTime[i]), p.NoisePower)
			sdTime := math.Hypot(p.SdTime[i], p.NoiseTime)
			out[i] = logBands(list[i].Mode, p.LnTime[i], sdTime, wideTime, p.LnPower[i], sdPower, widePower)
			out[i].Batch = list[i].Batch
		}
	})
	return out
}

// unlikeScale widens the bands of a search's fits: its samples are closer together than what they predict.
const unlikeScale = 1.2

const (
	leastReadDoF = 3
	formulaDoF   = 5 // readings that the formula takes up
)

// BandWidths returns the half widths, in standard deviations of a Prediction, of the bands of time and of power that
// contain a share (0 to 1) of new measurements.
func (p *Posterior) BandWidths(share float64) (time, power float64) {
	wide := p.WidthByReadings(share)
	if p.fit.unlike {
		wide *= unlikeScale
	}
	time = wide * p.fit.time.dominant().bandScale()
	if len(p.fit.power.curves) == 0 {
		return time, math.NaN()
	}
	return time, wide * p.fit.power.dominant().bandScale()
}

// WidthByReadings is BandWidths by the number of readings alone, for quantities that must not be underestimated.
func (p *Posterior) WidthByReadings(share float64) float64 {
	return studentQuantile(share, max(p.readings-formulaDoF, leastReadDoF))
}

// logBands converts means and standard deviations of logarithms to a prediction; the half widths of the bands are the
// deviations times wide.
func logBands(m tegra.Mode, lnTime, sdTime, wideTime, lnPower, sdPower, widePower float64) Prediction {
	dt, dp := wideTime*sdTime, widePower*sdPower
	return Prediction{
		Measured: tegra.Measured{Setting: tegra.Setting{Mode: m}, TimeMS: math.Exp(lnTime), PowerW: math.Exp(lnPower)},
		TimeLoMS: math.Exp(lnTime - dt), TimeHiMS: math.Exp(lnTime + dt), LnTimeSD: sdTime,
		PowerLoW: math.Exp(lnPower - dp), PowerHiW: math.Exp(lnPower + dp), LnPowerSD: sdPower,
	}
}

// studentQuantile returns the half width, in standard deviations, of the band that contains a share of a Student
// distribution.
func studentQuantile(share float64, dof int) float64 {
	return distuv.StudentsT{Mu: 0, Sigma: 1, Nu: float64(dof)}.Quantile((1 + share) / 2)
}
