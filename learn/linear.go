package learn

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"jtune/learn/nn"
	"jtune/tegra"
)

// Linear regression as the first study of these boards did it (S2 §5.7): time
// and power each a·CPU + b·cores + c·GPU + d·memory + e, on raw MHz and core
// counts. Columns are centred; of many solutions the one of least norm is
// taken, so knobs that moved together share the effect (method note e.1).

// linearFit is the two regressions.
type linearFit struct {
	centre      [tegra.NumKnobs]float64
	time, power plane
	rank, knobs int // independent directions in the samples; knobs that varied
}

// plane is one regression; values below floor are cut off, since a straight
// line falls below zero where no time or power can.
type plane struct {
	slope     [tegra.NumKnobs]float64
	intercept float64
	floor     float64
}

// rankTolerance: singular values below this share of the largest are zero.
const rankTolerance = 1e-9

// linearFloor is the share of the least measured value at which predictions
// are cut off.
const linearFloor = 0.5

func fitLinear(samples []tegra.Measured) (pointPredictor, error) {
	n := len(samples)
	f := &linearFit{}
	x := mat.NewDense(n, int(tegra.NumKnobs), nil)
	for i, s := range samples {
		row := nn.Features(s.Mode)
		x.SetRow(i, row[:])
		for k, v := range row {
			f.centre[k] += v / float64(n)
		}
	}
	for k := range f.centre {
		varies := false
		for i := range n {
			d := x.At(i, k) - f.centre[k]
			varies = varies || math.Abs(d) > rankTolerance*f.centre[k]
			x.Set(i, k, d)
		}
		if varies {
			f.knobs++
		}
	}
	var svd mat.SVD
	if !svd.Factorize(x, mat.SVDThin) {
		return nil, errors.New("linear regression: singular value decomposition did not converge")
	}
	values := svd.Values(nil)
	for f.rank < len(values) && values[f.rank] > rankTolerance*values[0] && values[f.rank] > 0 {
		f.rank++
	}
	f.time = f.plane(&svd, samples, func(s tegra.Measured) float64 { return s.TimeMS })
	f.power = f.plane(&svd, samples, func(s tegra.Measured) float64 { return s.PowerW })
	return f, nil
}

func (f *linearFit) plane(svd *mat.SVD, samples []tegra.Measured, target func(tegra.Measured) float64) plane {
	p := plane{floor: math.Inf(1)}
	for _, s := range samples {
		p.intercept += target(s) / float64(len(samples))
		p.floor = min(p.floor, linearFloor*target(s))
	}
	if f.rank == 0 {
		return p
	}
	y := mat.NewDense(len(samples), 1, nil)
	for i, s := range samples {
		y.Set(i, 0, target(s)-p.intercept)
	}
	var slope mat.Dense
	svd.SolveTo(&slope, y, f.rank)
	for k := range p.slope {
		p.slope[k] = slope.At(k, 0)
	}
	return p
}

func (p plane) at(x [tegra.NumKnobs]float64) float64 {
	v := p.intercept
	for k, s := range p.slope {
		v += s * x[k]
	}
	return max(v, p.floor)
}

func (f *linearFit) predict(modes []tegra.Mode) (timeMS, powerW []float64) {
	timeMS, powerW = make([]float64, len(modes)), make([]float64, len(modes))
	for i, m := range modes {
		x := nn.Features(m)
		for k := range x {
			x[k] -= f.centre[k]
		}
		timeMS[i], powerW[i] = f.time.at(x), f.power.at(x)
	}
	return timeMS, powerW
}

// warning says when knobs that varied together share their effect.
func (f *linearFit) warning() string {
	if f.rank < f.knobs {
		return fmt.Sprintf("%d knobs varied in only %d independent ways: the regression cannot tell their effects apart", f.knobs, f.rank)
	}
	return ""
}
