package optimize

import (
	"cmp"
	"context"
	"fmt"

	"jtune/learn"
	"jtune/optimize/earlier"
	"jtune/optimize/ladder"
	"jtune/optimize/standing"
	"jtune/tegra"
	"jtune/tegra/metric"
)

// Measure runs the workload in setting a and returns its reading there. An error concerns only this setting, unless the
// context has ended.
type Measure func(ctx context.Context, a tegra.Setting) (tegra.Measured, error)

// Search depths: how long the closed loop seeks improvements, by the expected relative gain below which it stops.
const (
	Quick    = "quick"    // 1 %, about 10 modes
	Thorough = "thorough" // 0.5 %, about 12 modes
)

// Strategies: the search methods of Tune.
const (
	Auto       = "auto"       // closed loop with the gp model
	Binary     = "binary"     // multi-dimensional binary search
	PowerTrain = "powertrain" // random modes, transferred networks, then the networks' pick
	Random     = "random"     // the best of random modes
)

// Strategies lists the strategies in display order.
func Strategies() []string { return []string{Auto, Binary, PowerTrain, Random} }

// Why is the reason for a probe.
type Why string

// Reasons for a probe.
const (
	Start   Why = "start"   // before any prediction, or for a model of the whole front
	Improve Why = "improve" // expected to be better, or to inform about better ones
	Verify  Why = "verify"  // repeats the winner, or a reading that contradicts another
)

// Probe is one measurement of a search; probes are kept in the order made.
type Probe struct {
	tegra.Measured // Mode always; time and power are 0 if Err is set, but for the power of one that is Over
	Why            Why
	Err            error       `toml:"-"`              // the mode could not be measured
	Over           bool        `toml:"over,omitempty"` // ended for its power: PowerW is the mean of the watts above the limit
	Limit          metric.Goal `toml:"-"`              // limit of the answer sought
	Feasible       bool        // this reading meets Limit
	// Predicted is the prediction before the probe; zero for a start probe.
	Predicted learn.Prediction `toml:"-"`
}

// TuneOptions are the options of Tune. Space and one of Limits are required.
type TuneOptions struct {
	Problem Problem // nil: Alone
	// Limits are each answered from the same measurements; several are only for the closed loop. Margin, Knee and
	// MaxSlowdownPct are for Choose only.
	Limits []metric.Goal
	// Probes caps the measurements, including start and verification. 0: 30 for the closed loop and 10 more for each
	// further limit, 53 for powertrain, 51 for random; binary ends by itself.
	Probes int
	Depth  string // "" means quick
	// Cover is how many modes a design spreads over the space before the search for the answers, so that its model
	// serves any limit; Probes does not count them. Only for the closed loop; 0: none.
	Cover int
	// Risk is the chance, at most, that the true time or power of the answer exceeds its limit, above 0 and below 0.5;
	// 0: metric.DefaultRisk.
	Risk     float64
	Strategy string          // "" means auto
	Rotation ladder.Rotation // order of the knobs, for binary
	Seed     uint64
	Space    *tegra.Space
	Batches  []int // batch sizes to choose among; none: the workload's own
	// Only lists the settings that can be measured, such as those of a replayed file; nil: all.
	Only []tegra.Setting
	// Reference is a workload measured earlier, for the transfer of the gp model and of powertrain. nil: none.
	Reference *learn.Reference
	// Known are readings of another day, from which the closed loop starts: they share one unknown offset in time and
	// one in power. They are not probes.
	Known     []tegra.Measured
	Heat      metric.Heat          // for limits on the steady temperature; zero: none
	Baselines Baselines            // measured to compare the answer with
	Choosing  func(Step)           // called before every measurement; nil: none
	Observe   func(Seen)           // called after every probe; nil: none
	Halved    func(ladder.Halving) // called for every step of a binary search; nil: none
}

func (o *TuneOptions) risk() float64 { return cmp.Or(o.Risk, metric.DefaultRisk) }

// Ended is why a search stopped.
type Ended int

// Ends of a search.
const (
	Converged   Ended = iota // no mode is expected to improve enough
	OutOfProbes              // the cap was reached
	Exhausted                // every permitted mode was measured
	NoWay                    // the readings show that no mode meets the limit
	Failing                  // too many consecutive measurements failed
	Cancelled                // the context ended
)

func (e Ended) String() string {
	return [...]string{
		"done",
		"measurement limit reached",
		"every allowed mode measured",
		"no mode meets the limit",
		"measuring keeps failing",
		"cancelled",
	}[e]
}

// Result is the result of a search.
type Result struct {
	Answers  []Answer // to TuneOptions.Limits, in order
	Probes   []Probe
	Ended    Ended            // the last of these ends that a limit came to
	Model    *learn.Surrogate // fitted to all probes; nil if there is none
	Trace    []ladder.Halving // of a binary search, in order
	Warnings []string
	Known    int           // modes of TuneOptions.Known that counted
	Drift    earlier.Drift // by which they have moved
}

// Answer is what a search found for one limit.
type Answer struct {
	// Measured is the answer with the mean of its readings (the median of more than two).
	tegra.Measured
	N int // number of readings in Measured
	// True is the posterior of the answer's true time and power, with 95 % bands; zero without a model.
	True learn.Prediction
	// Chance is the probability that the true values keep the limits.
	Chance float64
	// Alternative is a measured mode of a better goal that keeps the limits with less chance than the risk asks for.
	Alternative tegra.Val[Believed]
	// Predicted is the prediction before the mode was first measured, or the current one if there was no model then.
	Predicted learn.Prediction
	// Feasible reports whether Chance is at least 1 − Risk (powertrain: whether the readings keep the limits);
	// false: Mode is the nearest measured one.
	Feasible       bool
	Verified       bool       // measured twice
	Before, Preset tegra.Mean // means of the baselines: the current mode, the best preset; N is 0 if not measured
}

// Believed is a setting with the expectation of its true values.
type Believed struct {
	tegra.Measured
	Chance float64 // of keeping the limits
}

// Standing compares the answer with the limit, by the posterior that found it.
func (a *Answer) Standing(l metric.Goal) standing.Standing {
	if a.True.TimeMS == 0 {
		return standing.Stand(l, MeasuredPrediction(a.Measured), a.N)
	}
	return standing.Believe(l, a.N, 1-a.Chance)
}

// Tune searches for the best mode within a limit by measuring (docs/method.md, Search rule). The answer is measured,
// and its true values keep each limit with a chance of at least 1 − o.Risk. If no measured mode does, the error is an
// *InfeasibleError and the answer is the nearest. On any error Result holds the probes made so far.
//
// With several sizes in o.Batches it searches every mode with every size: speed and energy are per sample, a time limit
// applies to the latency of a minibatch, and with a power limit it maximises speed.
//
// Equal seeds and readings give equal searches. A step on 18,096 modes takes well under 0.2 s besides the measuring.
func Tune(ctx context.Context, measure Measure, o TuneOptions) (Result, error) {
	s, err := newSearch(ctx, measure, o)
	r := Result{Answers: make([]Answer, len(o.Limits))}
	if err != nil {
		return r, err
	}
	s.prepareReference()
	first, known := map[string]func() error{Auto: s.cover, Binary: s.binary, PowerTrain: s.powerTrain,
		Random: s.random}[cmp.Or(o.Strategy, Auto)]
	if !known {
		return r, fmt.Errorf("unknown strategy %q: want one of %v", o.Strategy, Strategies())
	}
	r.Answers, err = s.answerAll(first)
	r.Probes, r.Ended, r.Trace, r.Known, r.Drift = s.probes, s.ended, s.trace, len(s.known), s.drift
	r.Warnings = append(s.warnings, s.saysDrift()...)
	if s.aside {
		r.Known = 0
	}
	if s.tried() > 0 {
		r.Model = s.model
	}
	return r, err
}

// conclude measures again what may be the answer, until its chance is decided.
func (s *search) conclude() {
	if s.over() {
		return
	}
	ended := s.ended
	switch {
	case s.auto():
		s.follow(anywhere)
	case s.o.Strategy == PowerTrain:
		s.readPublished()
	default:
		s.follow(s.measured)
	}
	if _, ok := s.best(); !ok && !s.over() {
		s.readNearest()
	}
	if !s.auto() && !s.over() {
		s.ended = ended
	}
}
