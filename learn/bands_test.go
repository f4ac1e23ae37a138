package learn

import (
	"math"
	"path/filepath"
	"strings"
	"testing"

	"jtune/internal/must"
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
	fit := must.Get(FitSurrogate(space, rows, SurrogateOptions{}))(t)
	var index []int
	var list []tegra.Setting
	for i := 0; i < space.Len(); i += 97 {
		index, list = append(index, i), append(list, fit.places().At(i))
	}
	p, x := fit.PosteriorAt(index), fit.scale.settings(list)
	as, fast, decides := fit.powerAsFast(x, p, 0), fit.powerAsFast(x, p, 1), 0
	for k, got := range fit.PredictSettings(list) {
		sdPower, faster := p.SdPower[k], max(0, fast[k]-as[k])
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

// From five readings on those left out decide the width of the band without a board's prior, of time and of power each
// by its own: it is narrower where they agree with the formula and wider where they do not. Fewer count by their number
// alone, and so do all for a search's guard.
func TestBandWidthsFollowTheReadingsLeftOut(t *testing.T) {
	t.Parallel()
	space := orinSpace(t)
	formula := must.Get(FitSurrogate(space, nil, SurrogateOptions{}))(t)
	for n := range 25 {
		widths := func(noiseTime, noisePower float64) (time, power float64) {
			var rows []tegra.Measured
			for i, p := range formula.Predict(space.Sample(n, 3)) {
				rows = append(rows, p.Measured)
				rows[i].TimeMS *= math.Exp(noiseTime * math.Pow(-1, float64(i)))
				rows[i].PowerW *= math.Exp(noisePower * math.Pow(-1, float64(i)))
			}
			fit := must.Get(FitSurrogate(space, rows, SurrogateOptions{}))(t)
			p := fit.PosteriorAt([]int{0})
			time, power = p.BandWidths(0.8)
			return time / p.WidthByReadings(0.8), power / p.WidthByReadings(0.8)
		}
		time, power := widths(0, 0.2)
		otherTime, otherPower := widths(0.4, 0)
		switch judged := n >= 5; {
		case judged && !(time < 0.8 && power > 1.1 && otherTime > 1.1):
			t.Errorf("%d readings: %.2f and %.2f times as wide if power disagrees, time %.2f if time does", n, time,
				power, otherTime)
		case !judged && [4]float64{time, power, otherTime, otherPower} != [4]float64{1, 1, 1, 1}:
			t.Errorf("%d readings: %.2f, %.2f, %.2f, %.2f times as wide, want 1", n, time, power, otherTime, otherPower)
		}
	}
}

// A model of time alone has bands of time.
func TestBandWidthsWithoutPower(t *testing.T) {
	t.Parallel()
	space := orinSpace(t)
	var rows []tegra.Measured
	for i, m := range space.Sample(8, 1) {
		rows = append(rows, tegra.Measured{Setting: tegra.Setting{Mode: m}, TimeMS: 100 + float64(i),
			PowerW: math.NaN()})
	}
	fit := must.Get(FitSurrogate(space, rows, SurrogateOptions{}))(t)
	if time, power := fit.PosteriorAt([]int{0}).BandWidths(0.8); !(time > 0) || !math.IsNaN(power) {
		t.Errorf("%g and %g, want a width of time alone", time, power)
	}
}

func TestWeaknessOfFewerThanSixModesHasNoError(t *testing.T) {
	t.Parallel()
	space := smallSpace(t)
	for n, known := range map[int]bool{LeastJudged - 1: false, LeastJudged: true} {
		m := must.Get(Fit(t.Context(), truths(space.Sample(n, 5)), Options{Space: space}))(t)
		if m.CV.Known() != known || m.ErrorPct().OK != known ||
			known == strings.Contains(m.Weakness(), "error unknown") {
			t.Errorf("%d modes: errors %+v, weakness %q", n, m.CV, m.Weakness())
		}
	}
}

func TestErrorAboveAFifthIsAWeakness(t *testing.T) {
	t.Parallel()
	m := &Model{Samples: truths(smallSpace(t).Sample(8, 1)), CV: Errors{3, 21, "leave-one-out"}}
	if got := m.Weakness(); got != "its own error is 21 %" {
		t.Errorf("got %q", got)
	}
	if m.CV.PowerMAPEPct = 19; m.Weakness() != "" {
		t.Errorf("got %q of errors %+v", m.Weakness(), m.CV)
	}
}

// A file of an older version may judge a model of few samples.
func TestErrorOfFewModesIsLeftOutWhenAFileIsRead(t *testing.T) {
	t.Parallel()
	space := smallSpace(t)
	m := must.Get(Fit(t.Context(), truths(space.Sample(2, 5)), Options{Space: space}))(t)
	m.CV = Errors{16.4, 3.5, "leave-one-out"}
	path := filepath.Join(t.TempDir(), "old.model")
	must.NoError(t, m.Save(path))
	if got, err := Load(path); err != nil || got.CV.Known() {
		t.Errorf("%v: errors %+v of two modes", err, got.CV)
	}
}

// The model is fitted to the median of several readings, while Readings has their mean: also after saving, and with
// later readings.
func TestReadingsOfAModeCountAsTheirMean(t *testing.T) {
	t.Parallel()
	space := smallSpace(t)
	samples := truths(space.Sample(8, 5))
	again := func(factor float64) tegra.Measured {
		m := samples[0]
		m.TimeMS, m.PowerW = m.TimeMS*factor, m.PowerW*factor
		return m
	}
	m := must.Get(Fit(t.Context(), append(samples, again(1.01), again(1.05)), Options{Space: space}))(t)
	path := filepath.Join(t.TempDir(), "repeats.model")
	must.NoError(t, m.Save(path))
	m = must.Get(Load(path))(t)
	check := func(m *Model, n int, factor float64) {
		t.Helper()
		got, want := m.Readings()[0], samples[0].PowerW*factor
		if got.N != n || got.PowerW < want*0.9999 || got.PowerW > want*1.0001 || m.Readings()[1].N != 1 {
			t.Errorf("%d readings with a mean of %g W, want %d of %g W", got.N, got.PowerW, n, want)
		}
	}
	check(m, 3, 1.02)
	if got, want := m.Samples[0].PowerW, samples[0].PowerW*1.01; got < want*0.9999 || got > want*1.0001 {
		t.Errorf("%g W are learned, want the median of %g W", got, want)
	}
	m = must.Get(m.With(t.Context(), []tegra.Measured{again(1.06)}, false))(t)
	check(m, 4, 1.03)
}
