// Package nn implements PowerTrain's predictor: two small networks, one for minibatch time and one for power, trained
// on measured power modes, and the transfer of a reference workload's networks to a new workload.
//
//	modes, values ──► Train ──► Net ──► Predict ──► ms or W of any mode
//	reference Net, a few modes ──► Transfer ──► Net
//	Net ──► MarshalBinary / MarshalCompact ──► bytes ──► UnmarshalBinary
//
// Sources: PowerTrain (Future Generation Computer Systems 2024) sections 3.1 and 3.2. The paper specifies the layers
// 4-256-128-64-1, ReLU, dropout after the first two layers, Adam at 0.001, squared error, 100 epochs, the 90:10 split
// and the checkpoint of lowest validation loss. It leaves open, and Config decides: the dropout rate, the batch size,
// the scaling of targets, whether a transfer trains the body, and how many steps it takes.
package nn

import (
	"errors"
	"fmt"
	"math"
)

// inputs is the number of inputs of a network: see Features.
const inputs = 4

// floorShare of the smallest training target is the lowest output of Predict: a linear output can be zero or negative,
// while time and power, and their logarithms, fronts and ratios, need positive numbers.
const floorShare = 0.1

// believedShare of the smallest training target is the lowest plausible output. A linear output below it is about to
// cross zero. On the virtual AGX Orin, choosing the fastest mode within 30 W among all outputs took one predicted at
// 16.6 s per epoch, the floor, that takes 225 s. In a grid, the fastest of 50 random modes takes at most a third longer
// than the fastest of all.
const believedShare = 0.5

// Net is a trained network with its scalers. It does not change after training, so goroutines may share it.
type Net struct {
	Config Config // as trained, with defaults filled in
	Report Report

	w      *params
	in     [inputs]Scaler
	target Scaler // scaler of the target or its logarithm; {0, 1} with Config.RawTarget
	floor  float64
}

// Report is the outcome and cost of a training.
type Report struct {
	Rows      int     // training rows
	Validated int     // rows held out for the checkpoint; 0: training rows were used
	Epochs    int     // passes over Rows
	Steps     int     // optimiser steps
	BestEpoch int     // epoch of the kept weights, from 1
	BestLoss  float64 // of the kept weights: squared error (standardised unless RawTarget), or a fraction with MAPE
	// History holds the losses of each pass. It is not saved, so nil in a network read from a file.
	History []Losses `json:"-"`
	// Curve holds the losses of some passes, including the kept one; nil in files from before it was saved.
	Curve []Losses `json:",omitempty"`
}

// Losses are the losses of one pass over the training rows, in the unit of Report.BestLoss.
type Losses struct {
	Pass     int     // from 1
	Training float64 // mean over the pass, while weights change and dropout is on
	Held     float64 // after the pass, on the rows that select the checkpoint
}

// mostCurve is the approximate number of passes in a curve.
const mostCurve = 200

// curve selects passes of the history evenly on a logarithmic scale, since most changes happen early, and the kept
// pass. It omits losses that are not finite, which files cannot store.
func (r *Report) curve() (out []Losses) {
	growth := math.Pow(float64(len(r.History)), 1.0/mostCurve)
	next := 1.0
	for _, l := range r.History {
		if finite := !math.IsInf(l.Held+l.Training, 0) && !math.IsNaN(l.Held+l.Training); !finite {
			continue
		}
		if at := float64(l.Pass); at >= next || l.Pass == r.BestEpoch || l.Pass == len(r.History) {
			out = append(out, l)
			next = max(at+1, math.Floor(at*growth))
		}
	}
	return out
}

// Scaler standardises one column: zero mean, unit population deviation.
type Scaler struct{ Mean, SD float64 }

// FitScaler returns the scaler of n values. Constant values get the deviation 1, as in scikit-learn's StandardScaler,
// so that they standardise to zero.
func FitScaler(n int, value func(i int) float64) Scaler {
	var sum, squares float64
	for i := range n {
		sum += value(i)
	}
	mean := sum / float64(n)
	for i := range n {
		d := value(i) - mean
		squares += d * d
	}
	sd := math.Sqrt(squares / float64(n))
	if sd <= 1e-12*math.Abs(mean) || sd == 0 {
		sd = 1
	}
	return Scaler{mean, sd}
}

func (s Scaler) Forward(v float64) float64  { return (v - s.Mean) / s.SD }
func (s Scaler) Backward(z float64) float64 { return s.Mean + z*s.SD }

// errRows is wrapped by errors of unusable training data.
var errRows = errors.New("nn: unusable training rows")

// checkRows rejects unusable training data. Targets are times or powers, so they must be positive.
func checkRows(x [][inputs]float64, y []float64) error {
	if len(x) != len(y) {
		return fmt.Errorf("%w: %d modes but %d values", errRows, len(x), len(y))
	}
	if len(x) < 2 {
		return fmt.Errorf("%w: %d measured modes, need at least 2", errRows, len(x))
	}
	for i := range x {
		for k, v := range x[i] {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return fmt.Errorf("%w: input %d of row %d is %g", errRows, k, i, v)
			}
		}
		if !(y[i] > 0) || math.IsInf(y[i], 0) {
			return fmt.Errorf("%w: target of row %d is %g, must be positive", errRows, i, y[i])
		}
	}
	return nil
}
