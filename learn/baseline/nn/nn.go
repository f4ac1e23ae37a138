// Package nn is PowerTrain's predictor: two small networks, one for minibatch
// time and one for power, trained on measured power modes, and the transfer
// of a reference workload's networks to a new workload.
//
//	modes, values ──► Train ──► Net ──► Predict ──► ms or W of any mode
//	reference Net, a few modes ──► Transfer ──► Net
//	Net ──► MarshalBinary / MarshalCompact ──► bytes ──► UnmarshalBinary
//
// Sources: PowerTrain (Future Generation Computer Systems 2024) sections 3.1
// and 3.2. The paper gives the layers 4-256-128-64-1, ReLU, dropout after the
// first two layers, Adam at 0.001, squared error, 100 epochs, the 90:10 split
// and the checkpoint of least validation loss. It leaves open, and Config
// decides: the dropout rate, the batch size, the scaling of targets, whether
// the body is trained on transfer, and how many steps a transfer takes.
package nn

import (
	"errors"
	"fmt"
	"math"
)

// inputs of a network: see Features.
const inputs = 4

// floorShare of the smallest training target is the least value that Predict
// returns: a linear output can fall to zero or below, which no time or power
// can, and logarithms, fronts and ratios need a positive number.
const floorShare = 0.1

// believedShare of the smallest training target is the least value that is believed. A linear output that falls below
// it is about to cross zero: on the virtual AGX Orin a choice of the fastest mode within 30 W among all outputs took
// one of 16.6 s an epoch, the floor, which takes 225 s. Of 50 random modes of a grid the fastest takes at most a third
// longer than the fastest of all.
const believedShare = 0.5

// Net is one trained network with the scalers that belong to it. It is not
// changed after training, so goroutines may share it.
type Net struct {
	Config Config // as trained, defaults filled in
	Report Report

	w      *params
	in     [inputs]Scaler
	target Scaler // of the target or its logarithm; {0, 1} with Config.RawTarget
	floor  float64
}

// Report says how a training ended and what it cost.
type Report struct {
	Rows      int     // rows that gradients came from
	Validated int     // rows held out for the checkpoint; 0: the training rows served
	Epochs    int     // passes over Rows
	Steps     int     // optimiser steps
	BestEpoch int     // whose weights were kept, from 1
	BestLoss  float64 // of the kept weights: squared error (standardised unless RawTarget), or a fraction with MAPE
	// History has the losses of each pass. It is not saved: of a network that was read it is nil.
	History []Losses `json:"-"`
	// Curve has those of some passes, the kept one among them; nil in files of before it was saved.
	Curve []Losses `json:",omitempty"`
}

// Losses are the losses of one pass over the training rows, in the unit of Report.BestLoss.
type Losses struct {
	Pass     int     // from 1
	Training float64 // mean over the pass, while the weights move and dropout is on
	Held     float64 // after it, of the rows that choose the checkpoint
}

// mostCurve is about how many passes a curve has.
const mostCurve = 200

// curve picks passes of the history that are evenly spread over it on a logarithmic scale, since most happens early,
// and the kept one; those without a finite loss, which files cannot hold, are left out.
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

// FitScaler returns the scaler of n values; values that do not vary have the deviation 1, as
// scikit-learn's StandardScaler does, so that they standardise to zero.
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

// errRows explains training data that cannot be used.
var errRows = errors.New("nn: unusable training rows")

// checkRows refuses what training cannot use. Targets are times or powers, so
// they are positive.
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
