package optimize

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"jtune/internal/must"
	"jtune/learn"
	"jtune/optimize/optimizetest"
	"jtune/tegra"
	"jtune/tegra/metric"
)

func TestPowerTrainMeasuresWhatItsNetworksPick(t *testing.T) {
	if testing.Short() {
		t.Skip("trains networks")
	}
	t.Parallel()
	b := optimizetest.New(t)
	limit, n := metric.Watts(25), 0
	res, err := tuneModes(t.Context(), func(ctx context.Context, m tegra.Mode) (tegra.Measured, error) {
		got, err := b.Measure(ctx, m)
		if n++; n > 27 { // the pick, which may be wrong about its power
			got.PowerW = min(got.PowerW, limit.Of(metric.Power))
		}
		return got, err
	}, TuneOptions{Limits: goals(limit), Space: b.Space, Strategy: PowerTrain, Probes: 30,
		Reference: optimizetest.Reference(t, b, true)})
	must.NoError(t, err)
	var whys []Why
	for _, p := range res.Probes[27:] {
		whys = append(whys, p.Why)
	}
	if pick := res.Probes[27]; !slices.Equal(whys, []Why{Improve, Verify}) || pick.Mode != res.Mode ||
		pick.Predicted.TimeMS == 0 ||
		res.Predicted.Measured != pick.Predicted.Measured || !math.IsNaN(res.Predicted.TimeLoMS) {
		t.Errorf("after 27 random modes: %v; the answer %v is not the pick %v as it was predicted",
			whys, res.Mode, pick)
	}
	if !res.Feasible || !res.Verified || res.Measured.PowerW > limit.Of(metric.Power) {
		t.Errorf("got %+v", res.Measured)
	}
}

func TestPowerTrainMeasuresTheNearestWhereNoneIsFeasible(t *testing.T) {
	if testing.Short() {
		t.Skip("trains networks")
	}
	t.Parallel()
	b := optimizetest.New(t)
	res, err := tuneOn(t, b, TuneOptions{Limits: goals(metric.Watts(0.5)), Strategy: PowerTrain, Probes: 12,
		Reference: optimizetest.Reference(t, b, true)})
	if !errors.Is(err, ErrInfeasible) || len(res.Probes) > randomModes+1 || // and the networks' pick
		res.Ended != Converged || len(res.Warnings) != 2 { // ten modes do not show that none keeps the limit
		t.Errorf("got %v after %d probes, %v, warnings %q", err, len(res.Probes), res.Ended, res.Warnings)
	}
}

func TestTuneUsesAReference(t *testing.T) {
	t.Parallel()
	b, limit := optimizetest.New(t), metric.Watts(25)
	res, err := tuneOn(t, b, TuneOptions{Limits: goals(limit), Reference: optimizetest.Reference(t, b, false)})
	if err != nil || len(res.Warnings) != 0 {
		t.Fatalf("got %v, warnings %v", err, res.Warnings)
	}
	if time, power := res.Model.ReferenceWeights(); time == 0 && power == 0 {
		t.Error("the reference has no weight at all")
	}
	if best, _ := bestOf(b.All(), limit); res.Measured.TimeMS > 1.05*best.TimeMS {
		t.Errorf("%.1f ms, the best mode takes %.1f", res.Measured.TimeMS, best.TimeMS)
	}
}

func TestTuneWarnsOfAUselessReference(t *testing.T) {
	t.Parallel()
	b, foreign := optimizetest.New(t), &learn.Reference{Name: "elsewhere"}
	for i := range 120 {
		foreign.Samples = append(foreign.Samples, tegra.Measured{
			Setting: tegra.Setting{
				Mode: tegra.Mode{Cores: 3, CPU: tegra.Freq(i+1) * tegra.MHz, GPU: tegra.GHz, EMC: tegra.GHz}},
			TimeMS: 5,
			PowerW: 5,
		})
	}
	res, err := tuneOn(t, b, TuneOptions{Limits: goals(metric.Watts(25)), Reference: foreign})
	if err != nil || len(res.Warnings) != 1 || !strings.Contains(res.Warnings[0], "elsewhere") {
		t.Errorf("got %v, warnings %v", err, res.Warnings)
	}
}

// A warning says why the answer is not the networks' pick, or that chance found a better mode.
func TestFinishWarnsOfAPickThatIsNotTheBest(t *testing.T) {
	t.Parallel()
	const pick, other = 4, 7
	for _, c := range []struct {
		name   string
		watts  float64 // of the pick
		ms     float64
		failed bool
		want   string // "": no warning
	}{
		{"the best", 18, 90, false, ""}, {"slower", 18, 110, false, "measured better than the networks' pick"},
		{"over the limit", 21, 90, false, "broke the limit"}, {"failed", 18, 90, true, "could not be measured"},
	} {
		s, b := searchOn(t, TuneOptions{Limits: goals(metric.Watts(20)), Strategy: PowerTrain})
		for i, v := range map[int][2]float64{pick: {c.ms, c.watts}, other: {100, 18}} {
			m := b.Answer(s.places.At(i).Mode)
			m.TimeMS, m.PowerW = v[0], v[1]
			s.read(i, m)
		}
		s.pick, s.failed[pick] = tegra.Some(pick), c.failed
		_, err := s.finish(0)
		said := strings.Join(s.warnings, "; ")
		if err != nil || (said == "") != (c.want == "") || !strings.Contains(said, c.want) {
			t.Errorf("a pick that is %s: %q, %v", c.name, said, err)
		}
	}
}

// Random modes are those that were neither read nor failed, of the given grid.
func TestDrawLeavesOutWhatCannotBeDrawn(t *testing.T) {
	t.Parallel()
	var modes []tegra.Mode
	for _, m := range fourModes() {
		modes = append(modes, m.Mode)
	}
	space := must.Get(tegra.Spanned(modes))(t)
	grid := must.Get(tegra.Spanned(modes[:3]))(t)
	const read, failed, open = 0, 1, 2
	measure := func(_ context.Context, m tegra.Mode) (tegra.Measured, error) {
		return fourModes()[slices.Index(modes, m)], nil
	}
	s := must.Get(newSearch(t.Context(), optimizetest.OfModes(measure),
		TuneOptions{Limits: goals(metric.Watts(20)), Space: space, Strategy: Random}))(t)
	s.read(read, fourModes()[read])
	s.failed[failed] = true
	if !s.draw(len(modes), grid) || len(s.probes) != 1 || s.probes[0].Mode != modes[open] {
		t.Errorf("drawn: %+v, want %v alone", s.probes, modes[open])
	}
}
