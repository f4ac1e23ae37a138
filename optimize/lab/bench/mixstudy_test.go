package bench

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"jtune/internal/arrivals"
	"jtune/internal/stats"
	"jtune/learn"
	"jtune/optimize"
	"jtune/optimize/design"
	"jtune/optimize/mix"
	"jtune/tegra"
	"jtune/tegra/metric"
)

// MixStudy replays the search for a mix on measured sweeps (docs/method.md, "Training beside inference"). None was
// measured interleaved: the true value of a mix follows from the two sweeps by the equations, so the study tests the
// choice, not the physics.
type MixStudy struct {
	Infer, Train []tegra.Measured // Train nil: inference alone
	Ask          mix.Ask          // what all problems share
	Problems     int              // random ones that have an answer
	Profiled     int              // settings of each workload, for all problems; none of inference alone
	Most         int              // verifications for each problem
	Seeds        int
	// The ranges that problems are drawn from: watts, milliseconds, requests per second.
	PowerW, LatencyMS, RatePerS [2]float64
	// LatencyTimes draws the latency evenly in logarithms in place of LatencyMS: times that of the fastest setting at
	// the rate.
	LatencyTimes [2]float64
}

// MixScore is the result. Ratio is the answer's goal relative to the best possible one: at most 1 if more is better; an
// unsolved problem counts as 0 there, and is excluded for times. Verified counts all measurements of inference alone.
type MixScore struct {
	Problems, Solved int
	Ratios           []float64
	Verified         float64 // mean
	Hot              int     // problems with a measurement more than 10 % over a limit
	Over             int     // answers over a limit
	WrongNoWay       int     // problems with an answer that were reported as having none
}

// Quantile of the ratios.
func (s MixScore) Quantile(q float64) float64 { return stats.Quantile(s.Ratios, q) }

// Mean of the ratios.
func (s MixScore) Mean() float64 { return stats.Mean(s.Ratios) }

// hotShare is how far over a limit, of power or latency, or over the rate that it can follow, a
// measurement is hot.
const hotShare = 1.1

// Run replays the study.
func (m MixStudy) Run(ctx context.Context) (MixScore, error) {
	infer := tegra.OfOwn(m.Infer)
	sizes := tegra.BatchSizes(tegra.SettingsOf(infer))
	modes := map[tegra.Mode]tegra.Measured{}
	for _, r := range m.Train {
		modes[r.Mode] = r
	}
	var only []tegra.Setting
	at := map[tegra.Setting]tegra.Measured{}
	for _, r := range infer {
		if _, both := modes[r.Mode]; both || m.Train == nil {
			only = append(only, r.Setting)
			at[r.Setting] = r
		}
	}
	space, err := tegra.NewSubspace(tegra.ModesOf(only))
	if err != nil {
		return MixScore{}, err
	}
	truth, beside := m.phases(only, at, modes)
	var score MixScore
	for seed := range uint64(m.Seeds) {
		o := mix.Options{Space: space, Batches: sizes, Only: only, Most: m.Most}
		if m.Train != nil {
			if o.Infer, err = profiled(design.New(tegra.PlacesOf(space, sizes), m.Profiled, seed), at); err != nil {
				return score, err
			}
			trained := map[tegra.Setting]tegra.Measured{}
			for mode, r := range modes {
				r.Batch = 0
				trained[tegra.Setting{Mode: mode}] = r
			}
			alone := tegra.PlacesOf(space, nil)
			if o.Train, err = profiled(design.New(alone, m.Profiled, seed+1000), trained); err != nil {
				return score, err
			}
		}
		rng := rand.New(rand.NewPCG(seed, 0x6d6978))
		for n, drawn := 0, 0; n < m.Problems; drawn++ {
			if drawn == drawsPerProblem*m.Problems {
				return score, fmt.Errorf("%w: %d of %d problems in %d draws", errUnsolvable, n, m.Problems, drawn)
			}
			if err := ctx.Err(); err != nil {
				return score, err
			}
			o.Ask = m.draw(rng)
			if m.LatencyTimes[1] > 0 {
				from, to := m.LatencyTimes[0], m.LatencyTimes[1]
				o.Ask.LatencyMS = fastest(o.Ask, only, truth) * from * math.Pow(to/from, rng.Float64())
			}
			best, err := o.Ask.Choose(only, truth, beside)
			if err != nil || m.Train != nil && best[0].TrainPerS == 0 {
				continue
			}
			n++
			if m.Train == nil {
				err = score.alone(ctx, o, best[0], at, truth, seed)
			} else {
				err = score.add(ctx, o, best[0], at, modes)
			}
			if err != nil {
				return score, err
			}
		}
	}
	score.Verified /= float64(max(1, score.Problems))
	return score, nil
}

// fastest is the least latency of any setting at the rate of an ask.
func fastest(a mix.Ask, only []tegra.Setting, truth mix.Phase) float64 {
	a.Goal.Limits, a.LatencyMS = metric.Limits{}, 0
	least := math.Inf(1)
	for _, at := range only {
		if o, ok := a.Evaluate(at, truth, mix.Phase{}); ok && o.Rho <= 1 {
			least = min(least, o.LatencyMS)
		}
	}
	return least
}

// drawsPerProblem bounds the draws of problems that a mix of the sweeps solves.
const drawsPerProblem = 1000

var errUnsolvable = errors.New("hardly any problem has an answer that trains")

// phases are both workloads as they were measured.
func (m MixStudy) phases(only []tegra.Setting, at map[tegra.Setting]tegra.Measured,
	modes map[tegra.Mode]tegra.Measured) (infer, train mix.Phase) {
	var rows, trained []tegra.Measured
	for _, a := range only {
		rows = append(rows, at[a])
	}
	infer = mix.NewPhase(predictionsOf(rows))
	if m.Train == nil {
		return infer, train
	}
	for _, r := range modes {
		r.Batch = 0
		trained = append(trained, r)
	}
	return infer, mix.NewPhase(predictionsOf(trained))
}

func predictionsOf(rows []tegra.Measured) []learn.Prediction {
	out := make([]learn.Prediction, len(rows))
	for i, r := range rows {
		out[i] = optimize.MeasuredPrediction(r)
	}
	return out
}

// profiled measures the settings of a design.
func profiled(d *design.Design, at map[tegra.Setting]tegra.Measured) ([]tegra.Measured, error) {
	var done []tegra.Measured
	var tried []tegra.Setting
	for {
		a, ok := d.Next(done, tried...)
		if !ok {
			break
		}
		tried = append(tried, a)
		if r, ok := at[a]; ok {
			done = append(done, r)
		}
	}
	if len(done) == 0 {
		return nil, errors.New("no setting of the design is in the sweep")
	}
	return done, nil
}

func (m MixStudy) draw(rng *rand.Rand) mix.Ask {
	between := func(r [2]float64) float64 { return r[0] + (r[1]-r[0])*rng.Float64() }
	a := m.Ask
	a.Goal.Limits, a.LatencyMS = metric.Power.Max(between(m.PowerW)), between(m.LatencyMS)
	a.Load = arrivals.Load{Pattern: arrivals.Uniform, RatePerS: between(m.RatePerS)}
	return a
}

// alone replays one problem of inference with a known best answer. A late measurement harms nobody: hot is one over the
// power limit.
func (s *MixScore) alone(ctx context.Context, o mix.Options, best mix.Outcome, at map[tegra.Setting]tegra.Measured,
	truth mix.Phase, seed uint64) error {
	r, err := optimize.Tune(ctx, func(_ context.Context, a tegra.Setting) (tegra.Measured, error) { return at[a], nil },
		optimize.TuneOptions{Limits: []metric.Goal{o.Ask.Goal}, Problem: o.Ask.Problem(o.Batches, 0), Space: o.Space,
			Batches: o.Batches, Only: o.Only, Seed: seed})
	if err != nil && !errors.Is(err, optimize.ErrInfeasible) {
		return err
	}
	s.Problems++
	s.Verified += float64(len(r.Probes))
	if slices.ContainsFunc(r.Probes, func(p optimize.Probe) bool {
		return p.PowerW > hotShare*o.Ask.Goal.Of(metric.Power)
	}) {
		s.Hot++
	}
	switch {
	case r.Answers[0].Feasible:
		s.Solved++
		s.Ratios = append(s.Ratios, r.Answers[0].TimeMS/best.TimeMS)
		if v, _ := o.Ask.Evaluate(r.Answers[0].Setting, truth, mix.Phase{}); !v.Meets {
			s.Over++
		}
	case r.Ended == optimize.NoWay:
		s.WrongNoWay++
	}
	return nil
}

// add replays one problem with a known best answer.
func (s *MixScore) add(ctx context.Context, o mix.Options, best mix.Outcome,
	at map[tegra.Setting]tegra.Measured, modes map[tegra.Mode]tegra.Measured) error {
	hot := false
	measure := func(_ context.Context, p mix.Outcome) (mix.Reading, error) {
		return mix.Reading{Infer: at[p.Setting], Train: modes[p.Mode]}, nil
	}
	r, err := mix.Search(ctx, measure, o)
	if err != nil && !errors.Is(err, optimize.ErrInfeasible) {
		return err
	}
	for _, p := range r.Probes {
		late := p.Rho <= 1 && p.LatencyMS > hotShare*o.Ask.LatencyMS
		hot = hot || p.PeakW > hotShare*o.Ask.Goal.Of(metric.Power) || late || p.Rho > hotShare
	}
	s.Problems++
	s.Verified += float64(len(r.Probes))
	if hot {
		s.Hot++
	}
	ratio := 0.0
	if r.Feasible {
		s.Solved++
		ratio = r.Best.TrainPerS / best.TrainPerS
		if r.Best.PeakW > o.Ask.Goal.Of(metric.Power) || r.Best.LatencyMS > o.Ask.LatencyMS {
			s.Over++
		}
	}
	s.Ratios = append(s.Ratios, ratio)
	if r.Ended == optimize.NoWay && !r.Feasible {
		s.WrongNoWay++
	}
	return nil
}
