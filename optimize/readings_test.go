package optimize

import (
	"errors"
	"math"
	"testing"

	"jtune/learn"
	"jtune/tegra"
	"jtune/tegra/metric"
)

func TestKnownReplacesPredictionsByReadings(t *testing.T) {
	t.Parallel()
	preds := []learn.Prediction{pred(1, 100, 10, 0.1, 0.1), pred(2, 80, 15, 0.1, 0.1), pred(3, 60, 20, 0.1, 0.1)}
	over := tegra.Measured{Setting: tegra.Setting{Mode: preds[1].Mode}, TimeMS: 79, PowerW: 16.5}
	within := tegra.Measured{Setting: tegra.Setting{Mode: preds[2].Mode}, TimeMS: 61, PowerW: 15.9}
	foreign := tegra.Measured{Setting: tegra.Setting{Mode: tegra.Mode{Cores: 99}}, TimeMS: 1, PowerW: 1}
	for _, c := range []struct {
		name     string
		measured []tegra.Measured
		want     int // cores of the choice within 16 W, one deviation kept; 0: none
	}{
		{"predictions keep their margin", nil, 1},
		{"a measurement within the limit needs no margin", []tegra.Measured{within}, 3},
		{"a measurement over the limit is refused whatever was predicted", []tegra.Measured{over}, 1},
		{"both", []tegra.Measured{over, within}, 3},
		{"a measured mode that is not among the predictions changes nothing", []tegra.Measured{foreign}, 1},
	} {
		known := Known(preds, c.measured)
		got, err := Choose(known, metric.Watts(16))
		if err != nil || known[got].Mode.Cores != c.want {
			t.Errorf("%s: chose %v, %v; want %d cores", c.name, known[got].Mode, err, c.want)
		}
		if len(known) != len(preds) {
			t.Errorf("%s: %d of %d modes", c.name, len(known), len(preds))
		}
	}
	if preds[2].TimeMS != 60 {
		t.Error("the predictions that were given are changed")
	}
	_, err := Choose(Known(preds[1:2], []tegra.Measured{over}), metric.Watts(16))
	var none *InfeasibleError
	if !errors.As(err, &none) || none.Nearest.PowerW != over.PowerW {
		t.Errorf("got %v; want infeasible, with the measured power of the nearest mode", err)
	}
	if p := Known(preds, []tegra.Measured{within})[2]; !math.IsNaN(p.TimeLoMS) || p.LnPowerSD != 0 ||
		p.Measured != within {
		t.Errorf("a measurement became %+v", p)
	}
}
