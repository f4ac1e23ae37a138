package bench

import (
	"errors"
	"os"
	"slices"
	"testing"

	"jtune/internal/must"
	"jtune/optimize/mix"
	"jtune/tegra"
	"jtune/tegra/sweep/sweeptest"
)

// runMixStudy replays a few problems, or in the long form fifty per seed, with 4 seeds by default.
func runMixStudy(t *testing.T, m MixStudy) (s MixScore, long bool) {
	t.Helper()
	seeds := max(4, m.Seeds)
	m.Profiled, m.Problems, m.Seeds, m.Ask.Quantile = 10, 2, 1, 1
	if long = os.Getenv("JTUNE_LONG") != ""; long {
		m.Problems, m.Seeds = 50, seeds
	}
	s = must.Get(m.Run(t.Context()))(t)
	t.Logf("solved %d of %d; to the best possible: median %.3f, mean %.3f, p10 %.3f, p90 %.3f",
		s.Solved, s.Problems, s.Quantile(0.5), s.Mean(), s.Quantile(0.1), s.Quantile(0.9))
	t.Logf("%.1f verified; more than 10 %% over a limit in %d", s.Verified, s.Hot)
	most := mix.MostVerified
	if m.Train == nil { // with what was profiled before
		most += m.Profiled
	}
	if s.Over > 0 || s.WrongNoWay > 0 || s.Verified > float64(most) {
		t.Errorf("%d answers over a limit, %d times a wrong \"none\", %.1f verified", s.Over, s.WrongNoWay, s.Verified)
	}
	return s, long
}

// Inference alone with limits on power and latency at an even rate, as in Fulcrum's figure 7: the least time of a
// batch. ResNet's sweep has a block whose clock was not set (Stuck): those rows would be the best answer to many
// problems, and no model predicts them, so they are removed. The rule was chosen on seeds 0 to 3.
func TestMixStudyOfInferenceAlone(t *testing.T) {
	if testing.Short() {
		t.Skip("fits a model for every step of every search")
	}
	t.Parallel()
	for _, name := range []string{"mobnet", "resnet"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, long := runMixStudy(t, MixStudy{Infer: notStuck(t, name), Seeds: 12, Ask: mix.Ask{Want: mix.LeastTime},
				PowerW: [2]float64{10, 50}, LatencyMS: [2]float64{50, 150}, RatePerS: [2]float64{30, 90}})
			if share := float64(s.Solved) / float64(s.Problems); share < 0.96 && long || share < 0.5 {
				t.Errorf("solved %.3f, want 0.96", share)
			}
			if s.Quantile(0.5) > 1.02 && long || s.Quantile(0.5) > 1.2 {
				t.Errorf("median %.3f times the best possible time, want 1.02", s.Quantile(0.5))
			}
			if long && float64(s.Hot) > 0.05*float64(s.Problems) {
				t.Errorf("%d searches measured more than 10 %% over a limit", s.Hot)
			}
		})
	}
}

// Likewise with latency limits of 0.3 to 10 times the fastest setting's, if some setting meets them: hardly any search
// measures far over a limit.
func TestMixStudyOfTightAndLooseLatencies(t *testing.T) {
	if os.Getenv("JTUNE_LONG") == "" {
		t.Skip("400 searches; JTUNE_LONG=1 makes them")
	}
	t.Parallel()
	for _, name := range []string{"mobnet", "resnet"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, _ := runMixStudy(t, MixStudy{Infer: notStuck(t, name), Seeds: 4, Ask: mix.Ask{Want: mix.LeastTime},
				PowerW: [2]float64{10, 50}, LatencyTimes: [2]float64{0.3, 10}, RatePerS: [2]float64{30, 90}})
			if float64(s.Hot) > 0.05*float64(s.Problems) {
				t.Errorf("%d of %d searches measured more than 10 %% over a limit", s.Hot, s.Problems)
			}
		})
	}
}

// notStuck returns an inference sweep without the settings whose clock was not set.
func notStuck(t *testing.T, name string) (clean []tegra.Measured) {
	t.Helper()
	rows := sweeptest.Settings(t, "infer/"+name+"_infer")
	odd, _ := stuck(rows)
	for i, r := range rows {
		if !slices.Contains(odd, i) {
			clean = append(clean, r)
		}
	}
	return clean
}

// Training beside inference, as in Fulcrum's figure 8.
func TestMixStudyOfTrainingBesideInference(t *testing.T) {
	if testing.Short() {
		t.Skip("fits two models for every step of every search")
	}
	t.Parallel()
	for name, want := range map[string]struct{ median, mean float64 }{"resnet": {0.88, 0.84}, "mobnet": {0.98, 0.91}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, long := runMixStudy(t, MixStudy{Infer: sweeptest.Settings(t, "infer/mobnet_infer"),
				Train:  sweeptest.Settings(t, "train/"+name+"_train"),
				Ask:    mix.Ask{Policy: mix.Strict},
				PowerW: [2]float64{10, 50}, LatencyMS: [2]float64{500, 2000}, RatePerS: [2]float64{30, 120}})
			if share := float64(s.Solved) / float64(s.Problems); share < 0.99 && long || share < 0.5 {
				t.Errorf("solved %.3f, want 0.99", share)
			}
			if s.Quantile(0.5) < want.median && long || s.Mean() < 0.6 {
				t.Errorf("median %.3f of the best possible training, want %g", s.Quantile(0.5), want.median)
			}
			if long && s.Mean() < want.mean {
				t.Errorf("mean %.3f of the best possible training, want %g", s.Mean(), want.mean)
			}
		})
	}
}

// A study of a workload whose minibatch never fits between requests ends with a message.
func TestMixStudyEndsWhereNothingTrains(t *testing.T) {
	t.Parallel()
	var m MixStudy
	for _, cores := range []int{2, 4} {
		for _, ghz := range []tegra.Freq{1, 2} {
			mode := tegra.Mode{Cores: cores, CPU: ghz * tegra.GHz, GPU: ghz * 500 * tegra.MHz, EMC: ghz * tegra.GHz}
			m.Train = append(m.Train, tegra.Measured{Setting: tegra.Setting{Mode: mode}, TimeMS: 1e6, PowerW: 20})
			for _, size := range []int{1, 4} {
				m.Infer = append(m.Infer, tegra.Measured{Setting: tegra.Setting{Mode: mode, Batch: size},
					TimeMS: float64(10*size) / float64(ghz), PowerW: 15})
			}
		}
	}
	m.Ask = mix.Ask{Want: mix.MostTraining, Quantile: 1, Policy: mix.Strict}
	m.Problems, m.Profiled, m.Seeds, m.Most = 1, 4, 1, 2
	m.PowerW, m.LatencyMS, m.RatePerS = [2]float64{30, 40}, [2]float64{100, 200}, [2]float64{5, 10}
	if s, err := m.Run(t.Context()); !errors.Is(err, errUnsolvable) || s.Problems > 0 {
		t.Errorf("%d problems, %v", s.Problems, err)
	}
}
