package sessiontest

import (
	"testing"

	"jtune/learn"
	"jtune/optimize/outlook"
	"jtune/tegra"
)

// line predicts successive modes, each slower than the one before by a tenth of the first and drawing 1 W less, from 40
// W down, all with a deviation of a tenth.
type line struct{}

func (line) Predict(modes []tegra.Mode) []learn.Prediction {
	out := make([]learn.Prediction, len(modes))
	for i, m := range modes {
		t, w := 50*(1+0.1*float64(i)), 40-float64(i)
		out[i] = learn.Prediction{Measured: tegra.Measured{Setting: tegra.Setting{Mode: m}, TimeMS: t, PowerW: w},
			LnTimeSD: 0.1, LnPowerSD: 0.1}
	}
	return out
}

func LineOutlook(t *testing.T, samples ...tegra.Measured) *outlook.Outlook {
	t.Helper()
	cores := []int{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}
	space, err := tegra.NewSpace(cores, []tegra.Freq{tegra.GHz}, []tegra.Freq{tegra.GHz}, []tegra.Freq{tegra.GHz})
	if err != nil {
		t.Fatal(err)
	}
	return outlook.By(line{}, "w", &learn.Model{Space: space, Samples: samples}, samples, space)
}
