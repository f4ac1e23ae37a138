package measure

import (
	"jtune/internal/text"
	"jtune/optimize/mix"
	"jtune/profiles/harness/turns"
	"jtune/profiles/record"
)

// PairProbe is a pair that was measured, or could not be.
type PairProbe struct {
	Ask       mix.Ask
	Predicted mix.Outcome
	mix.Outcome
	Row record.Row
	Err error
}

// PairDoing is what a search for a pair does.
type PairDoing int

// What it does, in order.
const (
	PairModels    PairDoing = iota // measures settings of one job alone
	PairPredicts                   // works out all mixes
	PairVerifies                   // runs both, as the pair that promises most
	PairAlone                      // runs the answer's inference without the training
	PairUnordered                  // runs the answer without turns
	PairSwitches                   // measures what a switch of the mode costs
)

// PairStage is how far it is.
type PairStage struct {
	Doing     PairDoing
	Workload  string       // of PairModels: whose settings are measured
	Known     int          // of PairModels: how many are known already
	N         int          // of PairVerifies: the number of the pair, from 1
	Ask       mix.Ask      // of the pairs
	Predicted *mix.Outcome // of the pair that is measured; nil: nothing was predicted
}

// String says it in words.
func (s PairStage) String() string {
	switch s.Doing {
	case PairModels:
		if s.Workload == "" {
			return "begins"
		}
		return "1 of 2: " + s.Workload + " alone, " + text.Count(s.Known, "setting") + " known"
	case PairPredicts:
		return "1 of 2: predicts all mixes"
	case PairVerifies:
		return "2 of 2: both together, pair " + text.Thousands(s.N)
	case PairAlone:
		return "the answer's inference alone, to compare"
	case PairUnordered:
		return "both without turns, to compare"
	}
	return "what a switch of the mode costs"
}

// PairPart says in words who has turns in a part of a pair's measurement.
func PairPart(p turns.Part) string {
	switch p {
	case turns.TrainAlone:
		return "training alone"
	case turns.ServeAlone, turns.ServeLoad:
		return "inference alone"
	}
	return "both"
}

// PairTurn is a turn on the GPU.
type PairTurn struct {
	Job   string // harness.JobTrain or JobInfer
	MS    float64
	GapMS float64 // between the turn before and this one
	Late  bool    // a minibatch of strict turns that ended after a batch was due
}
