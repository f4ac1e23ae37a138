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
