package session

import (
	"math"
	"strings"
	"testing"

	"jtune/internal/must"
	"jtune/learn"
	"jtune/optimize/outlook"
	"jtune/tegra"
)

func TestEstimatesAreReadByPresetAndMode(t *testing.T) {
	t.Parallel()
	s := open(t, Options{Device: "virtual:agx-orin"})
	space, presets := s.Device.Space(), s.Device.Presets()
	list, err := outlook.ReadEstimates(strings.NewReader("mode,power_w\nMODE_15W,14.2\n12c/2.20C/1.30G/3.20M, 51\n"),
		space,
		presets)
	if err != nil || len(list) != 2 || list[0].PowerW != 14.2 || list[1].Mode != space.Max() {
		t.Fatalf("got %+v, %v", list, err)
	}
	for _, bad := range []string{"", "mode\nMAXN\n", "mode,power_w\nMODE_15W,many\n", "mode,power_w\nMODE_15W,-3\n",
		"mode,power_w\nMODE_99W,3\n", "mode,power_w\nMAXN,NaN\n", "mode,power_w\nMAXN,9999\n"} {
		if list, err := outlook.ReadEstimates(strings.NewReader(bad), space, presets); err == nil {
			t.Errorf("%q was read as %+v", bad, list)
		}
	}
}

func TestOutlookCompareEstimatesHoldsBothAgainstReadings(t *testing.T) {
	t.Parallel()
	s := open(t, Options{Device: "virtual:agx-orin"})
	var rows []tegra.Measured
	for _, at := range s.Device.Space().Grid().Sample(8, 1) {
		ms, w, err := s.Virtual.Truth("lstm", at)
		must.NoError(t, err)
		rows = append(rows, tegra.Measured{Setting: tegra.Setting{Mode: at}, TimeMS: ms, PowerW: w})
	}
	m := must.Get(learn.Fit(t.Context(), rows, learn.Options{Space: s.Device.Space(), SkipCV: true}))(t)
	o := outlook.New("lstm", m, m.Space)
	known := m.Samples[0]
	other := tegra.Measured{Setting: tegra.Setting{Mode: m.Space.Max()}, TimeMS: 10, PowerW: 40}
	unknown := m.Space.At(m.Space.Len() / 3)
	compared := must.Get(o.CompareEstimates([]outlook.Estimate{
		{Name: "known", Mode: known.Mode, PowerW: known.PowerW * 1.1},
		{Name: "other", Mode: other.Mode, PowerW: 50},
		{Name: "unknown", Mode: unknown, PowerW: 20},
	}, []tegra.Measured{other}))(t)
	if got := compared[0].EstimatePct; !got.OK || math.Abs(got.V-10) > 1e-9 {
		t.Errorf("an estimate 10 %% too high is %v %% off", got)
	}
	if got := compared[1]; got.MeasuredW.V != 40 || math.Abs(got.EstimatePct.V-25) > 1e-9 ||
		math.Abs(got.PredictedPct.V-100*(got.PredictedW.V/40-1)) > 1e-9 {
		t.Errorf("got %+v", got)
	}
	if compared[2].MeasuredW.OK || compared[2].PredictedPct.OK {
		t.Errorf("nobody measured %v, got %+v", unknown, compared[2])
	}
}
