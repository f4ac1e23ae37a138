package learn

import (
	"math"
	"testing"

	"jtune/tegra"
)

// The power band includes the formula's power at times one deviation shorter or longer, the model's own deviation and
// reading noise.
func TestPowerBandCarriesTheUncertaintyOfTheTime(t *testing.T) {
	t.Parallel()
	space := orinSpace(t)
	var rows []tegra.Measured
	for i, m := range space.Sample(3, 1) {
		rows = append(rows, tegra.Measured{Setting: tegra.Setting{Mode: m}, TimeMS: 100 * float64(i+1),
			PowerW: 30 - 5*float64(i)})
	}
	fit, err := FitSurrogate(space, rows, SurrogateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	var index []int
	var list []tegra.Setting
	for i := 0; i < space.Len(); i += 97 {
		index, list = append(index, i), append(list, fit.places().At(i))
	}
	p := fit.Posterior()
	faster, decides := fit.PowerIfFaster(p, 1, index), 0
	for k, got := range fit.PredictSettings(list) {
		sdPower, faster := p.SdPower[index[k]], faster[k]
		// on the slow side power falls by less, so half the total difference lies between these
		least := math.Hypot(math.Hypot(sdPower, faster/2), p.NoisePower)
		most := math.Hypot(math.Hypot(sdPower, faster), p.NoisePower)
		if got.LnPowerSD < least-1e-9 || got.LnPowerSD > most+1e-9 {
			t.Errorf("%v: deviation %.4f of ln power, want %.4f to %.4f", got.Mode, got.LnPowerSD, least, most)
		}
		if least > 1.1*math.Hypot(sdPower, p.NoisePower) {
			decides++
		}
	}
	if decides < len(list)/10 {
		t.Errorf("the time decides in %d of %d modes: nothing is tested", decides, len(list))
	}
}

// Five to eight readings decide the width of the band without a board's prior by their leave-one-out residuals. Fewer
// and more count by their number alone, and so do all for a search's guard.
func TestBandWidthOfFewReadingsFollowsThoseLeftOut(t *testing.T) {
	t.Parallel()
	space := orinSpace(t)
	formula, err := FitSurrogate(space, nil, SurrogateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for n := range 12 {
		var widths [2]float64
		for k, noise := range []float64{0, 0.4} {
			var rows []tegra.Measured
			for i, p := range formula.Predict(space.Sample(n, 3)) {
				rows = append(rows, p.Measured)
				rows[i].TimeMS *= math.Exp(noise * math.Pow(-1, float64(i)))
				rows[i].PowerW *= math.Exp(noise * math.Pow(-1, float64(i)) / 2)
			}
			fit, err := FitSurrogate(space, rows, SurrogateOptions{})
			if err != nil {
				t.Fatal(err)
			}
			p := fit.PosteriorAt([]int{0})
			widths[k] = p.BandWidth(0.8) / p.WidthByReadings(0.8)
		}
		switch few := n >= 5 && n <= 8; {
		case few && !(widths[0] < 0.8 && widths[1] > 1.1):
			t.Errorf("%d readings: %.2f times as wide where they agree, %.2f where not", n, widths[0], widths[1])
		case !few && widths != [2]float64{1, 1}:
			t.Errorf("%d readings: %.2f times as wide, want 1", n, widths)
		}
	}
}
