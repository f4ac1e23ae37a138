package learn

import (
	"fmt"
	"math"
	"slices"

	"jtune/internal/text"
	"jtune/tegra"
)

// Inference with the batch size as a fifth input (docs/method.md, Mean functions): a batch has launches, whose cost
// does not depend on its size, and work per sample. Power depends on the samples per second.
// docs/decisions/011-noise-of-inference-readings.md describes alternatives tried and the heavy tail of the timing
// noise.

// batchTimeFamily has terms for launches (fixed; one CPU thread; GPU; memory), work per sample (fixed; GPU; memory; GPU
// and memory mixed; one CPU thread; all CPU cores), and the GPU between launches and work.
var batchTimeFamily = family{
	terms: batchTimeTerms,
	prior: prior{
		Mean:    []float64{-1.5, -1, -1.5, -1.5, -1.5, -0.3, -0.3, -0.3, -1.5, -1.5, -1, math.Ln2},
		SD:      append(slices.Repeat([]float64{1}, 11), 0.3),
		LevelSD: 3,
	},
	octaves: point{1.5, 1.5, 3, 2, 1.5}, smooth: 0.1, noise: 0.03, heavy: true,
}

// batchPowerFamily has the amplitudes of the training family with equal deviations, and batchPowerTerms.
var batchPowerFamily = family{
	terms: batchPowerTerms,
	prior: prior{
		Mean:    append(logs(10, 2, 4, 2, 1, 10, 5, 3, 2), 0),
		SD:      slices.Repeat([]float64{0.7}, 9),
		LevelSD: 1,
	},
	octaves: point{1.5, 1.5, 2.5, 2, 2.5}, smooth: 0.06, noise: 0.02,
}

func batchTimeTerms(x point, _ float64, l []float64) {
	c, f, g, m, b := math.Ln2*x[0], math.Ln2*x[1], math.Ln2*x[2], math.Ln2*x[3], math.Ln2*x[batchInput]
	l[0], l[1], l[2], l[3] = 0, -f, -g, -m
	l[4], l[5], l[6], l[7], l[8], l[9] = b, b-g, b-m, b-(g+m)/2, b-f, b-f-c
	l[10] = b/2 - g
}

// fetchShare is the time to fetch a sample in the top setting, relative to its serving time there.
const fetchShare = 0.5

// batchPowerTerms are the training terms with a different sample rate: one CPU thread fetches each sample before it is
// served. Power is the mean over both phases, while minibatch time includes only serving.
func batchPowerTerms(x point, u float64, l []float64) {
	f := math.Ln2 * x[1]
	powerTerms(x, -math.Log(math.Exp(-u)+fetchShare*math.Exp(-f)), l)
}

// MostBatch is the largest accepted batch size.
const MostBatch = 1 << 20

// mostBatchOctaves is the distance from MostBatch to a single sample.
const mostBatchOctaves = 20

// checkBatches returns the distinct sizes, ascending; a job's own has no others beside it.
func checkBatches(sizes []int) ([]int, error) {
	sizes = tegra.Sizes(sizes...)
	for _, b := range sizes {
		if (b < 1 || b > MostBatch) && !slices.Equal(sizes, tegra.Own) {
			return nil, fmt.Errorf("a minibatch of %d samples: want 1 to %d, for all settings or for none", b,
				MostBatch)
		}
	}
	return sizes, nil
}

// At returns the surrogate for one batch size: its Predict describes minibatches of that size.
func (s *Surrogate) At(batch int) *Surrogate {
	view := *s
	view.view = batch
	return &view
}

// At returns the model for one batch size, or unchanged if it has no others. Its samples have that size, and may be
// empty; its errors, and Save, refer to the whole model.
func (m *Model) At(batch int) *Model {
	if len(m.Batches) < 2 {
		return m
	}
	view := *m
	view.Batches, view.Batch, view.Samples, view.Suspicious, view.whole = []int{batch}, batch, nil, nil, m
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

// AtLargest returns the model for the largest of its batch sizes.
func (m *Model) AtLargest() *Model { return m.At(slices.Max(m.Batches)) }

// Whole returns the model from which At derived this one, or the model itself.
func (m *Model) Whole() *Model {
	if m.whole != nil {
		return m.whole
	}
	return m
}

// Modes returns the number of distinct modes among the samples, at any batch size.
func (m *Model) Modes() int {
	modes := map[tegra.Mode]bool{}
	for _, s := range m.Whole().Samples {
		modes[s.Mode] = true
	}
	return len(modes)
}

// Learned describes the samples: the number of modes, and of settings with several batch sizes.
func (m *Model) Learned() string {
	modes := text.Count(m.Modes(), "mode")
	if n := len(m.Whole().Samples); n > m.Modes() {
		return fmt.Sprintf("%s in %s", modes, text.Count(n, "setting"))
	}
	return modes
}

// PredictSettings predicts settings; their batch sizes need not have been measured.
func (m *Model) PredictSettings(list []tegra.Setting) []Prediction {
	if s, ok := m.predictor.(*Surrogate); ok {
		return s.PredictSettings(list)
	}
	out := m.predictor.Predict(tegra.ModesOf(list))
	for i, a := range list {
		out[i].Batch = a.Batch
	}
	return out
}
