package learn

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"jtune/tegra"
)

// Inference with the batch size as a fifth knob (recipe, section 8.7): a batch
// of b samples costs launches, which no batch changes, and work for every
// sample. Power follows the samples per second.
//
// Where we differ from the recipe's quick check: p starts at 2, not 4, since
// serving one batch after another adds up more than it overlaps; a term
// between launches and work on the GPU, whose sum the power mean cannot make;
// 1.5 octaves of batch instead of 2.5. On the two measured sweeps, from 20 and
// from 50 settings, they take a tenth off the time error, and none of them does
// harm anywhere; more terms for power, other noise and other lengthscales change
// next to nothing. The sweeps themselves hold glitches (one setting alone at a
// third of its power): learned from 1,000 settings the errors are still about
// 5 / 2 % for MobileNet and 3 / 3 % for ResNet.

// batchTimeFamily: launches fixed, by one CPU thread, on the GPU and in memory,
// then work per sample: fixed; GPU; memory; GPU and memory mixed; one CPU
// thread; all CPU cores; and the GPU between launches and work.
var batchTimeFamily = family{
	terms:  batchTimeTerms,
	centre: []float64{-1.5, -1, -1.5, -1.5, -1.5, -0.3, -0.3, -0.3, -1.5, -1.5, -1},
	ownSD:  1, levelSD: 3, p0: 2, lnPSD: 0.3,
	octaves: point{1.5, 1.5, 3, 2, 1.5}, smooth: 0.1, noise: 0.03, bandWide: 1,
}

// batchPowerFamily is the training's with wider deviations.
var batchPowerFamily = family{
	terms:  powerTerms,
	centre: powerFamily.centre,
	ownSD:  0.7, levelSD: 1, p0: 1,
	octaves: point{1.5, 1.5, 2.5, 2, 2.5}, smooth: 0.06, noise: 0.02, bandWide: 1.15,
}

func batchTimeTerms(x point, _ float64, l []float64) {
	c, f, g, m, b := math.Ln2*x[0], math.Ln2*x[1], math.Ln2*x[2], math.Ln2*x[3], math.Ln2*x[batchInput]
	l[0], l[1], l[2], l[3] = 0, -f, -g, -m
	l[4], l[5], l[6], l[7], l[8], l[9] = b, b-g, b-m, b-(g+m)/2, b-f, b-f-c
	l[10] = b/2 - g
}

// BatchSample is what one batch of that many samples took in a power mode.
type BatchSample struct {
	tegra.Measured
	Batch int
}

// Setting is a power mode together with a batch size.
type Setting struct {
	Mode  tegra.Mode
	Batch int
}

// BatchPrediction is what one batch is expected to take.
type BatchPrediction struct {
	Prediction
	Batch int
}

// PerSecond is the expected throughput in samples.
func (p BatchPrediction) PerSecond() float64 { return float64(p.Batch) / p.TimeMS * 1000 }

// BatchSurrogate predicts latency and power of every mode with every batch
// size. It may be read from many goroutines.
type BatchSurrogate struct {
	twin
	space   *tegra.Space
	scale   scale
	batches []int
}

// FitBatch fits latency, then power. The batch sizes are those that may be
// asked for; a sample must have one of them. What SurrogateOptions say holds
// here too, but for the reference, which is ignored.
func FitBatch(space *tegra.Space, batches []int, samples []BatchSample, o SurrogateOptions) (*BatchSurrogate, error) {
	if space == nil || space.Len() == 0 {
		return nil, errors.New("no power modes to predict: the space is empty")
	}
	if len(batches) == 0 || slices.Min(batches) < 1 {
		return nil, fmt.Errorf("batch sizes %v: want some, and all positive", batches)
	}
	s := &BatchSurrogate{space: space, scale: newScale(space), batches: slices.Compact(slices.Sorted(slices.Values(batches)))}
	x := make([]point, len(samples))
	lnTime, lnPower := make([]float64, len(samples)), make([]float64, len(samples))
	for i, m := range samples {
		if err := checkSample(space, m.Measured); err != nil {
			return nil, fmt.Errorf("sample %d: %w", i+1, err)
		}
		if !slices.Contains(s.batches, m.Batch) {
			return nil, fmt.Errorf("sample %d: batch of %d is not one of %v", i+1, m.Batch, s.batches)
		}
		x[i], lnTime[i], lnPower[i] = s.point(Setting{m.Mode, m.Batch}), math.Log(m.TimeMS), math.Log(m.PowerW)
	}
	top := []point{s.point(Setting{topMode(space, s.scale), slices.Max(batches)})}
	o.Reference = nil
	h := hyper{&batchTimeFamily, &batchPowerFamily}
	var err error
	s.twin, err = fitTwin(x, lnTime, lnPower, residuals{}, whereTime(h.time, top, nil), o, h)
	return s, err
}

// point is a setting as the model sees it; a batch outside the list is taken
// for what it is within the bounds of all inputs.
func (s *BatchSurrogate) point(a Setting) point {
	x := s.scale.point(a.Mode)
	x[batchInput] = clampTo(math.Log2(float64(a.Batch)/float64(s.batches[len(s.batches)-1])), -maxOctavesBelow, maxOctavesAbove)
	return x
}

// Settings lists every mode of the space with every batch size.
func (s *BatchSurrogate) Settings() []Setting {
	var out []Setting
	for _, m := range s.space.All() {
		for _, b := range s.batches {
			out = append(out, Setting{m, b})
		}
	}
	return out
}

// Predict predicts the given settings, in their order.
func (s *BatchSurrogate) Predict(settings []Setting) []BatchPrediction {
	x, modes := make([]point, len(settings)), make([]tegra.Mode, len(settings))
	for i, a := range settings {
		x[i], modes[i] = s.point(a), a.Mode
	}
	out := make([]BatchPrediction, len(settings))
	for i, p := range s.posterior(x, residuals{}).predictions(modes) {
		out[i] = BatchPrediction{p, settings[i].Batch}
	}
	return out
}
