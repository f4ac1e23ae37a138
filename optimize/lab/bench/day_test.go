package bench

import (
	"math"
	"math/rand/v2"
	"os"
	"testing"

	"gonum.org/v1/gonum/stat"

	"jtune/internal/must"
	"jtune/internal/stats"
	"jtune/learn"
	"jtune/optimize"
	"jtune/optimize/optimizetest"
	"jtune/tegra"
	"jtune/tegra/metric"
	"jtune/tegra/sweep/sweeptest"
)

// A day of tuning one board: five limits in random order, each search starting from all earlier measurements. After
// each the model is fitted to all readings, as in a session.
//
// In the mean over days, the day lowers the error by more than one standard error, and no step raises it by more than
// two. It need not hold for each step of each day: a search adds a few readings near its answer, which sometimes
// mislead about all other modes (docs/decisions/022).
func TestDayOfTuningImprovesTheModelOnMeasuredSweeps(t *testing.T) {
	if os.Getenv("JTUNE_LONG") == "" {
		t.Skip("1,200 searches; JTUNE_LONG=1 makes them, and package session tunes a day on a virtual board")
	}
	t.Parallel()
	for _, name := range []string{sweeptest.MobileNet, sweeptest.ResNet, sweeptest.LSTM} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			loadClean(t, name).improvesByDays(t, 40)
		})
	}
}

// improvesByDays tunes for that many days.
func (s *cleanSweep) improvesByDays(t *testing.T, days int) {
	t.Helper()
	var errs [dayLimits][]float64 // by search, of each day
	for day := range days {
		for k, e := range s.day(t, uint64(day)) {
			errs[k] = append(errs[k], e)
		}
	}
	up, down := 0, 0
	for k := 1; k < dayLimits; k++ {
		mean, se := meanOfDifferences(errs[k-1], errs[k])
		for day := range days {
			if errs[k][day] > errs[k-1][day] {
				up++
			} else {
				down++
			}
		}
		t.Logf("search %d: error %.2f after %.2f in the mean, %.2f after %.2f in the median: %+.2f ± %.2f", k+1,
			stats.Mean(errs[k]), stats.Mean(errs[k-1]), stats.Median(errs[k]), stats.Median(errs[k-1]), mean, se)
		if mean > 2*se {
			t.Errorf("search %d raises the error by %.2f ± %.2f points", k+1, mean, se)
		}
	}
	mean, se := meanOfDifferences(errs[0], errs[dayLimits-1])
	t.Logf("a day: %+.2f ± %.2f; %d steps lower the error, %d raise it", mean, se, down, up)
	if mean > -se {
		t.Errorf("a day changes the error by %.2f ± %.2f points", mean, se)
	}
}

// meanOfDifferences is the mean of b - a by pairs, with its standard error.
func meanOfDifferences(a, b []float64) (mean, se float64) {
	d := make([]float64, len(a))
	for i := range d {
		d[i] = b[i] - a[i]
	}
	mean, sd := stat.MeanStdDev(d, nil)
	return mean, sd / math.Sqrt(float64(len(d)))
}

// dayLimits is how many searches a day has.
const dayLimits = 5

// day is the error in the clean modes after each search of a day, the mean of time and power in per cent.
func (s *cleanSweep) day(t *testing.T, day uint64) (errs [dayLimits]float64) {
	t.Helper()
	fastest := math.Inf(1)
	for _, m := range s.clean {
		fastest = min(fastest, m.TimeMS)
	}
	limits := [dayLimits]metric.Goal{metric.Watts(20), metric.Watts(30), metric.Watts(42), metric.Millis(1.5 * fastest),
		{Objective: metric.Energy}}
	rand.New(rand.NewPCG(day, 1)).Shuffle(dayLimits, func(i, j int) { limits[i], limits[j] = limits[j], limits[i] })
	var known []tegra.Measured
	for k, l := range limits {
		res, err := optimize.Tune(t.Context(), optimizetest.OfModes(s.Measure), optimize.TuneOptions{
			Limits: []metric.Goal{l}, Space: s.Space, Seed: day, Known: known, Reference: s.reference})
		if err != nil || !res.Answers[0].Feasible {
			t.Fatalf("day %d, %v: %v, %v", day, l, res.Answers[0].Measured, err)
		}
		for _, p := range res.Probes {
			known = append(known, p.Measured)
		}
		model, err := learn.Fit(t.Context(), known, learn.Options{Space: s.Space, Reference: s.reference, SkipCV: true})
		must.NoError(t, err)
		if n := len(tegra.OncePerSetting(known)); len(model.Samples) != n {
			t.Errorf("day %d, %v: the model knows %d modes of %d", day, l, len(model.Samples), n)
		}
		for i, p := range model.Predict(tegra.ModesOf(tegra.SettingsOf(s.clean))) {
			want := s.clean[i]
			off := math.Abs(p.TimeMS/want.TimeMS-1) + math.Abs(p.PowerW/want.PowerW-1)
			errs[k] += 100 * off / float64(2*len(s.clean))
		}
	}
	return errs
}
