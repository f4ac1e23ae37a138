package optimize

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"jtune/internal/must"
	"jtune/learn"
	"jtune/optimize/optimizetest"
	"jtune/tegra"
	"jtune/tegra/metric"
)

// railed returns a reading with the currents of two rails, of which one is most of the power.
func railed(m tegra.Measured, space *tegra.Space) tegra.Measured {
	gpu := 0.5 + 3*math.Pow(m.Mode.Value(2)/space.Max().Value(2), 3) + 30/m.TimeMS
	return m.With(tegra.Value{Metric: metric.Current.Key, On: "IN", V: m.PowerW / 12},
		tegra.Value{Metric: metric.Current.Key, On: "GPU", V: gpu})
}

var warms = metric.Heat{AirC: 30, PerW: 1.5, LnSD: 0.1, Soaks: 1}

func TestSearchKeepsCurrentsAndTemperatures(t *testing.T) {
	t.Parallel()
	for _, line := range []string{"2.5 A", "70 C", "27 W, 2.6 A GPU, 75 C", "2.2 A IN, least energy"} {
		q, b := must.Get(metric.Parse(line))(t), optimizetest.New(t)
		b.Shake = func(_ int, r *tegra.Measured) { *r = railed(*r, b.Space) }
		res, err := tuneOn(t, b, TuneOptions{Limits: goals(q.Limit), Seed: 3, Heat: warms})
		if err != nil {
			t.Errorf("%s: %v", line, err)
			continue
		}
		var truth []tegra.Measured
		for _, m := range b.All() {
			truth = append(truth, railed(m, b.Space).With(tegra.Value{Metric: metric.Temperature.Key,
				V: warms.AirC + warms.PerW*m.PowerW}))
		}
		best := must.Get(bestOf(truth, q.Limit))(t)
		gap := q.Limit.Aim().Of(res.Measured)/q.Limit.Aim().Of(best.Measured) - 1
		t.Logf("%s: %d modes, %.1f %% from the best of all", line, len(res.Probes), 100*gap)
		if !q.Limit.Met(res.Measured) || gap > 0.06 {
			t.Errorf("%s: the answer %+v is %.1f %% from the best", line, res.Measured, 100*gap)
		}
		for _, p := range res.Probes { // no reading takes far more than a rail may
			for _, bound := range q.Limit.Limits.Further() {
				if bound.Rail != nil && bound.Over(bound.Of(p.Measured)) > math.Log(1.3) {
					t.Errorf("%s: %v was measured at %g %s", line, p.Mode, bound.Of(p.Measured), bound.Unit)
				}
			}
		}
		for _, bound := range q.Limit.Limits.Further() {
			for of, m := range map[string]tegra.Measured{"believes": res.True.Measured,
				"predicted": res.Predicted.Measured} {
				if !(bound.Of(m) > 0) {
					t.Errorf("%s: what the search %s has no %s", line, of, bound.Title)
				}
			}
		}
	}
}

// A limit below what the lowest mode draws is shown to be out of reach, as one in watts is.
func TestSearchShowsThatNoModeKeepsACurrent(t *testing.T) {
	t.Parallel()
	b := optimizetest.New(t)
	b.Shake = func(_ int, r *tegra.Measured) { *r = railed(*r, b.Space) }
	_, err := tuneOn(t, b, TuneOptions{Limits: goals(metric.Goal{Limits: metric.Current.Max(0.3)}), Seed: 1})
	none, ok := errors.AsType[*InfeasibleError](err)
	if !ok || !none.Shown || none.Tried > 8 {
		t.Errorf("%+v, %v", none, err)
	}
}

// A measured setting of an older campaign without currents does not count for a limit on one; others are predicted.
func TestFurtherQuantitiesAreByReadingsThatHaveThem(t *testing.T) {
	t.Parallel()
	b, goal := optimizetest.New(t), metric.Goal{Limits: metric.Current.Max(2.2)}
	var samples []tegra.Measured
	for i, m := range b.All() {
		if i%16 == 0 {
			samples = append(samples, railed(m, b.Space))
		}
	}
	samples[0].Also = nil
	preds := make([]learn.Prediction, 0, b.Space.Len())
	for _, m := range b.All() {
		preds = append(preds, MeasuredPrediction(m))
	}
	known := must.Get(Further(preds, samples, goal, metric.Heat{}, b.Space))(t)
	at := must.Get(Choose(known, goal))(t)
	if got := railed(preds[at].Measured, b.Space); !goal.Met(got) {
		t.Errorf("%+v does not keep 2.2 A", got)
	}
	if _, err := Choose(preds, goal); !errors.Is(err, tegra.ErrUnsupported) ||
		!strings.HasPrefix(err.Error(), "a limit of 2.2 A:") {
		t.Errorf("without any reading of a current: %v", err)
	}
}

// The one published sweep with the power of rails: a TX2's at 13 GPU clocks.
func TestPowerOfARailIsPredictedOnAPublishedSweep(t *testing.T) {
	t.Parallel()
	f, err := os.Open("../../shared/data/sweeps/jetson-dvfs-tx2/tx2_vgg19_gpu_power_derived.csv")
	if err != nil {
		t.Skip("the published sweep is not here")
	}
	defer f.Close()
	lines, err := csv.NewReader(f).ReadAll()
	if err != nil || len(lines) != 14 {
		t.Fatalf("%d lines, %v", len(lines), err)
	}
	number := func(s string) float64 {
		return must.Get(strconv.ParseFloat(s, 64))(t)
	}
	var rows []tegra.Measured
	var gpu []tegra.Freq
	for _, l := range lines[1:] {
		m := tegra.Measured{TimeMS: number(l[3]), PowerW: number(l[7]) / 1000}
		m.Mode = tegra.Mode{Cores: 6, CPU: 2 * tegra.GHz, GPU: tegra.Freq(number(l[1])), EMC: tegra.Freq(number(l[2]))}
		gpu = append(gpu, m.Mode.GPU)
		rows = append(rows, m.With(tegra.Value{Metric: metric.RailPower.Key, On: "VDD_SYS_GPU", V: number(l[8]) / 1000},
			tegra.Value{Metric: metric.RailPower.Key, On: "VDD_SYS_DDR", V: number(l[9]) / 1000}))
	}
	space := must.Get(tegra.NewSpace([]int{6}, []tegra.Freq{2 * tegra.GHz}, gpu, []tegra.Freq{rows[0].Mode.EMC}))(t)
	for _, on := range []string{"VDD_SYS_GPU", "VDD_SYS_DDR"} {
		goal := metric.Goal{Limits: metric.Limits{}.With(metric.Bound{Metric: metric.RailPower, On: on, Value: 5})}
		worst, off := 0.0, 0.0
		for left := 1; left < len(rows)-1; left++ { // predicted from all others
			learned := slices.Delete(slices.Clone(rows), left, left+1)
			got, err := Further([]learn.Prediction{MeasuredPrediction(rows[left])}, learned, goal, metric.Heat{}, space)
			must.NoError(t, err)
			v, want := got[0].Value(metric.RailPower.Key, on), rows[left].Value(metric.RailPower.Key, on)
			miss := math.Abs(v.V/want.V - 1)
			worst, off = max(worst, miss), off+miss/float64(len(rows)-2)
		}
		says := fmt.Sprintf("%s: off by %.1f %% on the mean, %.1f %% at most", on, 100*off, 100*worst)
		if t.Log(says); off > 0.06 || worst > 0.25 {
			t.Error(says)
		}
	}
	q := must.Get(metric.Parse("4 W VDD_SYS_GPU"))(t)
	measure := func(_ context.Context, m tegra.Mode) (tegra.Measured, error) {
		i, _ := space.Index(m)
		return rows[i], nil
	}
	res := must.Get(tuneModes(t.Context(), measure, TuneOptions{Limits: goals(q.Limit), Space: space, Seed: 1}))(t)
	if best, _ := bestOf(rows, q.Limit); res.Mode != best.Mode {
		t.Errorf("the search within 4 W of the GPU's rail finds %v, the best is %v", res.Mode, best.Mode)
	}
}
