package learn

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"jtune/tegra"
)

// Inference with the batch size as a fifth knob (recipe, section 8.7): a batch
// of b samples costs launches, which no batch changes, and work for every
// sample. Power follows the samples per second.
//
// Readings of inference are far noisier than those of training: of MobileNet's
// settings with 16 samples and more, a good part take 1.5 to 3 times as long as
// their neighbours, never as little. So the noise may turn out eight times its
// centre, not twice, and a time that is too long by two deviations counts as an
// outlier: one slow reading no longer condemns all that lies around it. In the
// closed loop, over 48 pairs of limits and 3 seeds on MobileNet's sound settings
// (optimize.Stuck), that turns 6.9 and 31 % (75th and 90th percentile of the time
// per sample above the optimum) into 0 and 13 %, for 15 probes instead of 13. For
// ResNet it changes nothing. The same for power, and more caution towards its
// limit, were tried: fewer probes above it, and worse answers.
//
// Where we differ from the recipe's quick check besides: p starts at 2, not 4, since
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
	terms: batchTimeTerms,
	waits: []waiting{waitsFixed, waitsThread, waitsGPU, waitsMemory,
		waitsFixed, waitsGPU, waitsMemory, waitsMixed, waitsThread, waitsCores, waitsGPU},
	centre: []float64{-1.5, -1, -1.5, -1.5, -1.5, -0.3, -0.3, -0.3, -1.5, -1.5, -1},
	ownSD:  1, levelSD: 3, p0: 2, lnPSD: 0.3,
	octaves: point{1.5, 1.5, 3, 2, 1.5}, smooth: 0.1, noise: 0.03, heavy: true,
}

// batchPowerFamily is the training's with wider deviations, for samples per
// second that are fetched one after the other on a CPU thread.
var batchPowerFamily = family{
	terms:  batchPowerTerms,
	centre: powerFamily.centre,
	ownSD:  0.7, levelSD: 1, p0: 1,
	octaves: point{1.5, 1.5, 2.5, 2, 2.5}, smooth: 0.06, noise: 0.02,
}

func batchTimeTerms(x point, _ float64, l []float64) {
	c, f, g, m, b := math.Ln2*x[0], math.Ln2*x[1], math.Ln2*x[2], math.Ln2*x[3], math.Ln2*x[batchInput]
	l[0], l[1], l[2], l[3] = 0, -f, -g, -m
	l[4], l[5], l[6], l[7], l[8], l[9] = b, b-g, b-m, b-(g+m)/2, b-f, b-f-c
	l[10] = b/2 - g
}

// fetchShare is the time to fetch a sample in the top setting, in shares of
// what serving it takes there; 0.35 or 0.7 do as well.
const fetchShare = 0.5

// batchPowerTerms are the training's with the speed of samples that are fetched
// by a CPU thread and then served. Power is the mean of both, while the time of
// a minibatch seems to tell of the serving alone: slowing the CPU to a third
// costs ResNet's larger minibatches a seventh of their speed, by their time, and
// half of the power. It takes a tenth to a sixth off the power error of both
// published sweeps, from 20 and from 50 settings, and the closed loop finds better answers
// with fewer probes over a power limit. A term of its own beside the others does
// less.
func batchPowerTerms(x point, u float64, l []float64) {
	f := math.Ln2 * x[1]
	powerTerms(x, -math.Log(math.Exp(-u)+fetchShare*math.Exp(-f)), l)
}

// Setting is a power mode, with the size of a minibatch where that is an input
// beside it and 0 where it is none.
type Setting struct {
	Mode  tegra.Mode
	Batch int
}

// SettingOf is the setting that was measured.
func SettingOf(m tegra.Measured) Setting { return Setting{m.Mode, m.Batch} }

// MostBatch bounds sizes of minibatches.
const MostBatch = 1 << 20

// mostBatchOctaves reaches from the largest size to a single sample.
const mostBatchOctaves = 20

// checkBatches gives the sizes ascending, each once; none at all is fine.
func checkBatches(sizes []int) ([]int, error) {
	for _, b := range sizes {
		if b < 1 || b > MostBatch {
			return nil, fmt.Errorf("a minibatch of %d samples: want 1 to %d", b, MostBatch)
		}
	}
	return slices.Compact(slices.Sorted(slices.Values(sizes))), nil
}

// batchesOf tells which sizes the samples have, ascending; nil when the size is
// no input, because none is said or all are alike.
func batchesOf(samples []tegra.Measured) ([]int, error) {
	var sizes []int
	for i, s := range samples {
		if (s.Batch == 0) != (samples[0].Batch == 0) {
			return nil, fmt.Errorf("sample %d of %d: some samples say the size of their minibatch, others do not; give it for all or for none", i+1, len(samples))
		}
		if s.Batch != 0 {
			sizes = append(sizes, s.Batch)
		}
	}
	sizes, err := checkBatches(sizes)
	if len(sizes) < 2 {
		return nil, err
	}
	return sizes, err
}

// Settings lists every mode with every minibatch size, mode by mode; a size of
// 0 where there is none.
func Settings(modes []tegra.Mode, batches []int) []Setting {
	if len(batches) == 0 {
		batches = []int{0}
	}
	out := make([]Setting, 0, len(modes)*len(batches))
	for _, m := range modes {
		for _, b := range batches {
			out = append(out, Setting{m, b})
		}
	}
	return out
}

// Places are the modes of a space, each with every size of a minibatch, by
// index in the order of Settings. Without sizes they are the space.
type Places struct {
	Space   *tegra.Space
	Batches []int // ascending; nil where the size is no input
}

// Len counts the settings.
func (p Places) Len() int { return p.Space.Len() * max(1, len(p.Batches)) }

// At is the setting of an index.
func (p Places) At(i int) Setting {
	if n := len(p.Batches); n > 0 {
		return Setting{p.Space.At(i / n), p.Batches[i%n]}
	}
	return Setting{Mode: p.Space.At(i)}
}

// Index finds a setting; false when it is none of these.
func (p Places) Index(a Setting) (int, bool) {
	i, ok := p.Space.Index(a.Mode)
	n := len(p.Batches)
	if n == 0 {
		return i, ok && a.Batch == 0
	}
	k, found := slices.BinarySearch(p.Batches, a.Batch)
	return i*n + k, ok && found
}

// All lists them.
func (p Places) All() []Setting { return Settings(p.Space.Modes(), p.Batches) }

// Sample draws n of them without replacement, or all in random order when n is
// larger.
func (p Places) Sample(n int, seed uint64) []Setting {
	if len(p.Batches) == 0 {
		return Settings(p.Space.Sample(n, seed), nil)
	}
	out := make([]Setting, min(n, p.Len()))
	for k, i := range rand.New(rand.NewPCG(seed, 0x73657474696e6773)).Perm(p.Len())[:len(out)] {
		out[k] = p.At(i)
	}
	return out
}

func settingsOf(samples []tegra.Measured) []Setting {
	out := make([]Setting, len(samples))
	for i, s := range samples {
		out[i] = SettingOf(s)
	}
	return out
}

func modesIn(list []Setting) []tegra.Mode {
	out := make([]tegra.Mode, len(list))
	for i, a := range list {
		out[i] = a.Mode
	}
	return out
}

// At is the surrogate as it speaks of one minibatch size: its Predict is of
// minibatches of that many samples.
func (s *Surrogate) At(batch int) *Surrogate {
	view := *s
	view.view = batch
	return &view
}

// Batches are the minibatch sizes that it speaks of, ascending; nil where the
// size is no input.
func (s *Surrogate) Batches() []int { return s.batches }

// At is the model as it speaks of one minibatch size: its samples are those of
// that size, of which there may be none. Its errors, and Save, are those of the
// whole model.
func (m *Model) At(batch int) *Model {
	view := *m
	view.Batches, view.Batch, view.Samples, view.Suspicious, view.whole = nil, batch, nil, nil, m
	for _, s := range m.Samples {
		if s.Batch == batch {
			view.Samples = append(view.Samples, s)
		}
	}
	for _, a := range m.Suspicious {
		if a.Batch == batch {
			view.Suspicious = append(view.Suspicious, a)
		}
	}
	if s, ok := m.predictor.(*Surrogate); ok {
		view.predictor = s.At(batch)
	}
	return &view
}

// Whole is the model that At made this one of, or itself.
func (m *Model) Whole() *Model {
	if m.whole != nil {
		return m.whole
	}
	return m
}

// PredictSettings predicts modes with the minibatch sizes that they say, which
// need not have been measured.
func (m *Model) PredictSettings(list []Setting) []Prediction {
	if s, ok := m.predictor.(*Surrogate); ok {
		return s.PredictSettings(list)
	}
	return m.Predict(modesIn(list))
}
