package optimize

import (
	"context"
	"fmt"

	"jtune/learn"
	"jtune/optimize/ladder"
	"jtune/tegra"
)

// Measure runs the workload in one setting and returns its time and power. An
// error concerns this setting alone, unless the context has ended.
type Measure func(ctx context.Context, a tegra.Setting) (tegra.Measured, error)

// SearchDepth is how long the closed loop goes on looking for improvements.
type SearchDepth int

// Search depths, by the expected relative gain below which the loop stops.
const (
	Quick    SearchDepth = iota // 1 %, about 10 modes
	Thorough                    // 0.5 %, about 12 modes
)

func (d SearchDepth) String() string { return [...]string{"quick", "thorough"}[d] }

// Strategy is how Tune looks for the mode.
type Strategy string

// Strategies.
const (
	Auto       Strategy = "auto"       // closed loop with the gp model
	Binary     Strategy = "binary"     // multi-dimensional binary search
	PowerTrain Strategy = "powertrain" // random modes, transferred networks, then their pick
	Random     Strategy = "random"     // the best of random modes
)

// Strategies lists them in the order to show them.
func Strategies() []Strategy { return []Strategy{Auto, Binary, PowerTrain, Random} }

// Why says what a probe was for.
type Why string

// Reasons of a probe.
const (
	Start   Why = "start"   // before anything is known, or to compare the answer with
	Improve Why = "improve" // expected to be better, or to say most about better ones
	Verify  Why = "verify"  // once more: the winner, or a reading that contradicts another
)

// Probe is one measurement of a search, in the order in which they were made.
type Probe struct {
	tegra.Measured // Mode always; time and power are 0 when Err is set
	Why            Why
	Err            error `toml:"-"` // the mode could not be measured
	Limit          Limit `toml:"-"` // that it was made for
	Feasible       bool  // this reading meets it
	// Predicted is what was expected before; zero for a start probe.
	Predicted learn.Prediction `toml:"-"`
}

// TuneOptions say what to look for and how. Space and a Limit are needed.
type TuneOptions struct {
	Limit Limit // Margin, Knee and MaxSlowdownPct are for Choose only
	// More are further limits, each answered from the same measurements; for the closed loop.
	More []Limit
	// Probes caps the measurements, start and verification included. 0: 30 for
	// the closed loop and 10 more for each further limit, 53 for powertrain, 51 for
	// random; binary ends by itself.
	Probes   int
	Depth    SearchDepth
	Strategy Strategy        // "" means auto
	Rotation ladder.Rotation // of the knobs, for binary
	Seed     uint64
	Space    *tegra.Space
	Batches  []int // batch sizes to choose among; nil: the workload has one
	// Only lists the settings that can be measured, as of a replayed file; nil:
	// all.
	Only []tegra.Setting
	// Reference is a workload measured earlier, for the transfer of the gp model
	// and of powertrain. nil: none.
	Reference *learn.Reference
	// Known are readings of earlier searches, from which the closed loop starts: one
	// of them is measured again, which decides how they count. They are no probes.
	Known []tegra.Measured
	// Compare are modes that the answer will be compared with, such as the present one: the
	// closed loop measures them early, where it trusts them to keep a power limit.
	Compare   []tegra.Mode
	Baselines Baselines     // measured to compare the answer with
	Choosing  func(Step)    // receives every measurement before it is made; nil: nobody asks
	Observe   func(Seen)    // receives every probe when it is done; nil: nobody asks
	Halved    func(Halving) // receives every step of a binary search; nil: nobody asks
}

// Ended says why a search stopped.
type Ended int

// Ends of a search.
const (
	Converged   Ended = iota // no mode is expected to be better by enough
	OutOfProbes              // the cap was reached
	Exhausted                // every mode that may be tried was measured
	NoWay                    // no mode is expected to meet the limit
	Failing                  // too many measurements failed in a row
	Cancelled                // the context ended
)

func (e Ended) String() string {
	return [...]string{
		"converged",
		"out of probes",
		"every allowed mode measured",
		"no mode meets the limit",
		"measuring keeps failing",
		"cancelled",
	}[e]
}

// Result is the outcome of a search.
type Result struct {
	// Measured is the answer, with the mean of its readings, of which every one met the limit; the later alone where
	// the first disagrees with it. If no mode has only such readings, it is the best whose mean meets the limit.
	tegra.Measured
	N int // readings that Measured is the mean of
	// Predicted is what the model said before the mode was first measured, or says now if there was no model then.
	Predicted      learn.Prediction
	Feasible       bool // false: Mode is the nearest measured one
	Verified       bool // measured twice
	Probes         []Probe
	Ended          Ended
	Model          *learn.Surrogate // fitted to all probes; nil when there is none
	Trace          []Halving        // of a binary search, in order
	Warnings       []string
	Before, Preset tegra.Mean // what was measured of Baselines: the present mode, the best preset; N is 0 of none
	Known          int        // modes of TuneOptions.Known that counted
	Drift          Drift      // with which they counted
	// More are the answers to TuneOptions.More, in their order, with the same probes.
	More []Result
}

// Standing is where the answer stands against the limit.
func (r *Result) Standing(l Limit) Standing { return l.Stand(MeasuredPrediction(r.Measured), r.N) }

// Tune searches for the best mode within a limit by measuring (docs/method.md,
// Search rule). The answer has been measured, and all of its readings meet the
// limit, or their mean does where there is no such mode. When no measured mode does,
// the error is an *InfeasibleError and Result holds the nearest; on any error Result
// holds the probes made so far.
//
// With batch sizes in o.Batches it searches every mode with every size: speed and
// energy are per sample, a time limit is one on the latency of a minibatch, and with
// a power limit the fastest is sought.
//
// Equal seeds and readings give equal searches. A step on 18,096 modes takes
// well under 0.2 s besides the measuring.
func Tune(ctx context.Context, measure Measure, o TuneOptions) (Result, error) {
	s, err := newSearch(ctx, measure, o)
	if err != nil {
		return Result{}, err
	}
	switch o.Strategy {
	case Auto, "":
		if o.More != nil {
			return s.answerAll()
		}
		s.closedLoop()
	case Binary:
		if s.compared.measurePresent() {
			err = s.binary()
		}
	case PowerTrain:
		if s.compared.measurePresent() {
			err = s.powerTrain()
		}
	case Random:
		if s.compared.measurePresent() {
			s.random()
		}
	default:
		err = fmt.Errorf("unknown strategy %q: want one of %v", o.Strategy, Strategies())
	}
	if err != nil {
		return s.result(), err
	}
	if s.verify(); s.compared.measurePreset() {
		s.verify()
	}
	return s.finish()
}
