package measure

import (
	"jtune/internal/text"
	"jtune/optimize/mix"
	"jtune/profiles/harness/turns"
	"jtune/profiles/record"
)

// PairProbe is a measured pair, or the error of one.
type PairProbe struct {
	Ask       mix.Ask
	Predicted mix.Outcome
	mix.Outcome
	Row record.Row
	Err error
}

// PairDoing is what a search for a pair is doing.
type PairDoing int

// Activities, in order.
const (
	PairModels    PairDoing = iota // measures settings of one job alone
	PairPredicts                   // predicts all mixes
	PairVerifies                   // runs both jobs, as the most promising pair
	PairAlone                      // runs the answer's inference without the training
	PairUnordered                  // runs the answer without turns
	PairSwitches                   // measures the cost of a mode switch
)

// PairStage is the progress of a search for a pair.
type PairStage struct {
	Doing     PairDoing
	Workload  string       // of PairModels: the workload being measured
	Known     int          // of PairModels: settings already known
	N         int          // of PairVerifies: number of the pair, from 1
	Ask       mix.Ask      // of the pairs
	Predicted *mix.Outcome // of the pair being measured; nil: no prediction
}

// String describes the stage.
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

// PairPart says which jobs have turns in a part of a pair's measurement.
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
	GapMS float64 // since the previous turn
	Late  bool    // in strict turns: a minibatch that ended after a batch was due
}
