package session

import (
	"time"

	"jtune/learn"
	"jtune/optimize"
	"jtune/profiles"
	"jtune/tegra"
)

// TuneRequest asks for the best mode of one workload.
type TuneRequest struct {
	Workload  profiles.Workload
	Batches   []int // minibatch sizes to choose among, ascending; nil: the workload's own
	Limit     optimize.Limit
	Probes    int               // hard cap, start and verification included; 0: the effort's own
	Effort    optimize.Effort   // Quick unless set
	Strategy  optimize.Strategy // auto unless set
	Rotation  optimize.Rotation // of a binary search
	Reference string            // "" the shipped one on its kind of board, "none", a name or a file
	Dir       string            // record folder, new; "" makes one below the data directory
	Settings  profiles.Settings
	Gate      profiles.Gate
}

// TuneResult is the answer and how it came about.
type TuneResult struct {
	optimize.Result
	// Fitted knows everything that was measured, ready to be saved; nil when
	// too little was.
	Fitted *learn.Model
	Versus Versus
	Dir    string        // the campaign folder
	Took   time.Duration // device time from first mode to restored state
}

// ProfileRequest asks to measure a set of modes. Exactly one of Choose,
// Sample, Grid and List selects them.
type ProfileRequest struct {
	Workload   profiles.Workload
	Choose     int             // so many modes, chosen as it goes
	Sample     int             // so many modes, drawn at random, with their sizes where there are several
	Grid       bool            // the even subset
	List       []learn.Setting // exactly these, sizes as Batches has them
	ListName   string          // where List came from, for the record
	Batches    []int           // minibatch sizes, ascending, each measured in the modes that Sample or Grid selects; nil: the workload's own
	Shard      [2]int          // part i of n; zero: all
	Dir        string          // campaign folder; "" makes one below the data directory
	Resume     bool            // continue the plan found in Dir
	RedoFailed bool            // then measure again what failed
	Retries    int             // of a mode that fails; 0: one, negative: none
	Settings   profiles.Settings
	Gate       profiles.Gate
}

// ProfileResult is a finished or interrupted campaign.
type ProfileResult struct {
	profiles.Summary
	Dir string
}

// RunRequest asks to run a workload in the mode the device is in now.
type RunRequest struct {
	Workload    profiles.Workload
	Minibatches int // 0: as Epochs say, or 40
	Epochs      int
	Log         string        // file that gets what the job says besides events; "" for none
	Base        time.Duration // measure the idle device's power for so long first; 0: not
}

// RunResult is what a run did, per minibatch, first one left out.
type RunResult struct {
	Minibatches                    int
	TimeMS                         float64            // this and the next: medians of the clean minibatches
	StallMS, ComputeMS, OverheadMS tegra.Val[float64] // absent when the workload does not tell
	PowerW                         tegra.Val[float64]
	EnergyJ                        tegra.Val[float64] // per minibatch
	Character                      profiles.Character // means, loads, clocks, disk and page cache
}

// ModelInfo is one line of the model list.
type ModelInfo struct {
	Name, Path string
	Model      *learn.Model // nil when Err
	Modified   time.Time
	Err        error // the file could not be read as a model
}
