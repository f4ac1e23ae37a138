package learn

import (
	"math"

	"jtune/learn/linear"
	"jtune/learn/nn"
	"jtune/tegra"
)

// linearFit is the linear method: minibatch time and power each a straight
// line in core count and raw MHz (package linear). Values below floor are cut
// off, since a straight line falls below zero where no time or power can.
type linearFit struct{ time, power flooredLine }

type flooredLine struct {
	linear.Regression
	floor float64
}

// linearFloor is the share of the least measured value at which predictions
// are cut off.
const linearFloor = 0.5

func fitLinear(samples []tegra.Measured) (pointPredictor, error) {
	x := make([][]float64, len(samples))
	timeMS, powerW := make([]float64, len(samples)), make([]float64, len(samples))
	for i, s := range samples {
		row := nn.Features(s.Mode)
		x[i], timeMS[i], powerW[i] = row[:], s.TimeMS, s.PowerW
	}
	var f linearFit
	var err error
	if f.time, err = fitLine(x, timeMS); err != nil {
		return nil, err
	}
	f.power, err = fitLine(x, powerW)
	return &f, err
}

func fitLine(x [][]float64, y []float64) (flooredLine, error) {
	line := flooredLine{floor: math.Inf(1)}
	for _, v := range y {
		line.floor = min(line.floor, linearFloor*v)
	}
	var err error
	line.Regression, err = linear.Fit(x, y)
	return line, err
}

func (f *linearFit) predict(modes []tegra.Mode) (timeMS, powerW []float64) {
	timeMS, powerW = make([]float64, len(modes)), make([]float64, len(modes))
	for i, m := range modes {
		x := nn.Features(m)
		timeMS[i], powerW[i] = max(f.time.At(x[:]), f.time.floor), max(f.power.At(x[:]), f.power.floor)
	}
	return timeMS, powerW
}

// warning says when knobs that varied together share their effect.
func (f *linearFit) warning() string { return f.time.Warning() }
