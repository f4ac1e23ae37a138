package mix

// The search for a mix (docs/method.md, "Training beside inference"): it predicts both phases in every setting from a
// few profiled ones, measures the mix of most worth, and adds its readings to the data, until no mix is worth a
// measurement or the verifications are used up. The worth of a mix is, in shares of the best so far,
//
//	chance of keeping the limits × expected gain  −  price × chance of being far over one
//
// Later questions reuse the profiles. The answer has been measured.

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"jtune/internal/sorted"
	"jtune/internal/stats"
	"jtune/learn"
	"jtune/optimize"
	"jtune/tegra"
	"jtune/tegra/metric"
)

// MostVerified is the default number of mixes that Auto measures for one question.
const MostVerified = 6

const (
	// hotOver is what is far over a limit, in limits, and hotPrice the price of being so for sure.
	hotOver, hotPrice = 1.1, 5
	// gain is the worth that justifies another measurement after one within the limits.
	gain = 0.01
	// hopeless is the chance of keeping the limits below which a setting is given up: three standard deviations.
	hopeless = 0.00135
	// leastSD is the least relative error of a prediction.
	leastSD = 1e-9
)

// Options are the load, limits and profiles of a search.
type Options struct {
	Ask          Ask // the search sets its Margin
	Space        *tegra.Space
	Batches      []int            // of inference, ascending; none: its own
	Infer, Train []tegra.Measured // profiled
	Most         int              // verifications; 0: as many as the strategy usually makes
	// Strategy is how the mixes are chosen; "": Auto, by predictions. The others only measure, and do not use the
	// profiles.
	Strategy string
	// Only lists the settings that can be measured, such as those of a replayed file; nil: all.
	Only []tegra.Setting
}

// Measure measures a mix.
type Measure func(ctx context.Context, o Outcome) (Reading, error)

// Reading is the measurement of each phase in a mix.
type Reading struct {
	Infer, Train tegra.Measured
	// Seen is the measurement of the whole mix, if both ran together; nil: it is calculated from the phases.
	Seen *Seen
}

// Seen is the measurement of two jobs running together.
type Seen struct {
	LatencyMS  float64 // at the ask's quantile
	ServedPerS float64
	TrainPerS  float64
	MeanW      float64
	IdleShare  float64 // NaN if unknown
}

// Read returns what a reading shows of a setting; one without a time of the training belongs to the inference alone.
func (a Ask) Read(at tegra.Setting, r Reading) Outcome {
	phase := func(m tegra.Measured, at tegra.Setting) Phase {
		m.Setting = at
		return NewPhase([]learn.Prediction{optimize.MeasuredPrediction(m)})
	}
	var train Phase
	if r.Train.TimeMS > 0 {
		train = phase(r.Train, tegra.Setting{Mode: at.Mode})
	}
	o, _ := a.Evaluate(at, phase(r.Infer, at), train)
	if r.Seen != nil {
		return a.AsSeen(o, *r.Seen)
	}
	return o
}

// AsSeen returns an outcome with measured values, judged again. Its peak power stays that of the phase with the highest
// power.
func (a Ask) AsSeen(o Outcome, v Seen) Outcome {
	o.LatencyMS, o.ServedPerS, o.TrainPerS, o.MeanW, o.IdleShare = v.LatencyMS, v.ServedPerS, v.TrainPerS, v.MeanW,
		v.IdleShare
	o.more = 0
	if o.JPerUnit = math.NaN(); v.ServedPerS > 0 {
		o.JPerUnit = v.MeanW / v.ServedPerS
	}
	power := o.PeakW
	if a.PowerAs == Mean {
		power = v.MeanW
	}
	a.judge(&o, power, v.LatencyMS, o.TimeMS)
	return o
}

// Probe is one verification.
type Probe struct {
	Predicted Outcome
	Outcome   // as measured
	Err       error
}

// Result is the result of a search.
type Result struct {
	Best     Outcome // measured
	Feasible bool
	Probes   []Probe
	Ended    optimize.Ended
	// Infer and Train are as predicted at last; empty if the strategy only measures.
	Infer, Train Phase
}

// search is the state of Search.
type search struct {
	ctx      context.Context
	measure  Measure
	o        Options
	settings []tegra.Setting
	tried    map[turned]bool
	infer    Phase
	train    Phase
	result   Result
	failed   error // of the last mix that could not be measured
}

// turned is a mix: a setting with a policy of turns.
type turned struct {
	tegra.Setting
	policy string
}

func (o *Outcome) turned() turned { return turned{o.Setting, o.Policy} }

// errNoMixes: no more may be measured.
var errNoMixes = errors.New("no measurement is left")

// Search looks for the best mix for an ask by measuring. If no measured mix meets the limits, the error is a
// *NoSettingError with the nearest measured one; Result.Ended is NoWay only if no setting can be expected to.
func Search(ctx context.Context, measure Measure, o Options) (Result, error) {
	if err := o.Ask.Check(); err != nil {
		return Result{}, err
	}
	how, known := strategies[cmp.Or(o.Strategy, optimize.Auto)]
	if !known {
		return Result{}, fmt.Errorf("strategy %q is unknown", o.Strategy)
	}
	o.Most = cmp.Or(o.Most, how.most)
	if o.Strategy != "" && o.Strategy != optimize.Auto {
		o.Ask.Policy = cmp.Or(o.Ask.Policy, Fill)
	}
	s := &search{ctx: ctx, measure: measure, o: o, settings: o.Settings(), tried: map[turned]bool{}}
	err := how.search(s)
	s.result.Infer, s.result.Train = s.infer, s.train
	r, tried := s.result, s.measured()
	switch {
	case ctx.Err() != nil:
		r.Ended = optimize.Cancelled
		return r, ctx.Err()
	case errors.Is(err, errNoMixes):
		r.Ended = optimize.OutOfProbes
	case err != nil:
		return r, err
	}
	switch {
	case r.Feasible:
		return r, nil
	case tried == 0:
		return r, fmt.Errorf("no mix could be measured: %w", cmp.Or(s.failed, errNoMixes))
	}
	return r, &NoSettingError{Ask: s.asks(0), Nearest: r.Best, Tried: tried, Ended: r.Ended}
}

// auto measures the mixes of most worth by the predictions from all readings.
func (s *search) auto() error {
	for {
		if err := s.predict(); err != nil {
			return err
		}
		next, ended := s.next()
		if s.result.Ended = ended.V; ended.OK {
			break
		}
		if _, err := s.probe(next); err != nil {
			return err
		}
	}
	if s.measured() == 0 {
		if _, err := s.asks(0).Choose(s.settings, s.infer, s.train); errors.Is(err, optimize.ErrInfeasible) {
			return err // an overloaded server, for example, cannot be measured
		}
	}
	return nil
}

// measured returns the number of mixes that could be measured.
func (s *search) measured() (n int) {
	for _, p := range s.result.Probes {
		if p.Err == nil {
			n++
		}
	}
	return n
}

// asks returns the ask with a margin.
func (s *search) asks(margin float64) Ask {
	a := s.o.Ask
	a.Goal.Margin, a.expects = metric.MarginOf(margin), true
	return a
}

// predict fits both phases and predicts all settings.
func (s *search) predict() (err error) {
	s.infer, s.train, err = Phases(s.o)
	return err
}

// Settings returns the settings that can be measured.
func (o Options) Settings() []tegra.Setting {
	if o.Only != nil {
		return o.Only
	}
	return o.places().All()
}

func (o *Options) places() tegra.Places { return tegra.PlacesOf(o.Space, o.Batches) }

// Phases fits both phases to their measurements and predicts all settings; measured ones keep their measurement.
func Phases(o Options) (infer, train Phase, err error) {
	if infer, err = o.fit(o.Infer, o.Batches, o.Settings()); err != nil {
		return infer, train, err
	}
	train, err = o.fit(o.Train, nil, tegra.Settings(o.Space.Modes(), tegra.Own))
	return infer, train, err
}

func (o *Options) fit(rows []tegra.Measured, batches []int, settings []tegra.Setting) (Phase, error) {
	model, err := learn.FitSurrogate(o.Space, rows, learn.SurrogateOptions{Grid: true, Robust: 1, Batches: batches})
	if err != nil {
		return Phase{}, err
	}
	return NewPhase(optimize.Known(model.PredictSettings(settings), tegra.OncePerSetting(rows))), nil
}

// open returns the mixes that may still be measured, with a margin of one standard deviation.
func (s *search) open() []Outcome {
	return slices.DeleteFunc(s.asks(1).outcomes(s.settings, s.infer, s.train),
		func(o Outcome) bool { return s.tried[o.turned()] })
}

// next returns the mix to measure, or why the search ends.
func (s *search) next() (next Outcome, ended tegra.Val[optimize.Ended]) {
	r, open := &s.result, s.open()
	if len(open) == 0 {
		return next, tegra.Some(optimize.Exhausted)
	}
	may := func(o Outcome) bool { return o.chance(1) >= hopeless }
	if !r.Feasible && len(r.Probes) > 0 && !slices.ContainsFunc(open, may) {
		return next, tegra.Some(optimize.NoWay)
	}
	next, worth := s.best(open)
	switch {
	case r.Feasible && worth < gain:
		return next, tegra.Some(optimize.Converged)
	case len(r.Probes) >= s.o.Most:
		return next, tegra.Some(optimize.OutOfProbes)
	}
	return next, ended
}

// best returns the mix of most worth; of equal ones, the one that exceeds the limits least.
func (s *search) best(open []Outcome) (best Outcome, most float64) {
	worth := s.worth(open)
	for i := range open {
		open[i].worth = worth(&open[i])
	}
	sorted.Stable(open, func(x, y Outcome) int {
		return cmp.Or(cmp.Compare(y.worth, x.worth), cmp.Compare(x.excess, y.excess))
	})
	a := s.asks(1)
	if !a.simulates() {
		return open[0], open[0].worth
	}
	var late lateMixes
	best, most = open[0], math.Inf(-1)
	for n, o := range open { // whose simulated latency is longer than by the formulas
		if o.worth <= most || n > mostNearby && most > 0 {
			break
		}
		if o.Rho > a.mostBusy() || late.holds(&o) {
			continue
		}
		if a.simulate(&o, s.infer); o.chance(1) < 0.5 {
			late.add(o)
		}
		if o.worth = worth(&o); o.worth > most {
			best, most = o, o.worth
		}
	}
	return best, most
}

// worth returns what measuring a mix is worth. Before the first within the limits, the worst of all is to be beaten,
// worth is in shares of the largest gain, and to be the first is worth as much as that.
func (s *search) worth(open []Outcome) func(o *Outcome) float64 {
	want, as := s.o.Ask.want(true), s.o.Ask.PowerAs
	than, scale, first := 0.0, 0.0, 1.0
	gains := func(o *Outcome) float64 {
		value, _ := want.value(o, as)
		return o.chance(1) * stats.Improvement(than-value, max(want.lnSD(o)*math.Abs(value), leastSD))
	}
	if best := &s.result.Best; s.result.Feasible {
		than, _ = want.value(best, as)
		scale = cmp.Or(math.Abs(than), 1/best.windowS) // a minibatch per window if it trains nothing
		first = 0
	} else {
		for i := range open {
			value, _ := want.value(&open[i], as)
			than = max(than, value)
		}
		for i := range open {
			scale = max(scale, gains(&open[i]))
		}
	}
	scale = max(scale, leastSD)
	return func(o *Outcome) float64 {
		return gains(o)/scale + first*o.chance(1) - hotPrice*(1-o.chance(hotOver))
	}
}

// lnSD is the standard deviation of the logarithm of what a goal minimises.
func (w Want) lnSD(o *Outcome) float64 {
	switch w {
	case MostTraining, MostTau:
		return o.train.LnTimeSD
	case LeastTime, MostRequests:
		return o.serve.LnTimeSD
	}
	return o.serve.LnPowerSD
}

// probe measures a mix.
func (s *search) probe(o Outcome) (p Probe, err error) {
	if s.o.Most > 0 && len(s.result.Probes) >= s.o.Most {
		return p, errNoMixes
	}
	p = Probe{Predicted: o, Outcome: Outcome{Setting: o.Setting, Policy: o.Policy}}
	read, err := s.measure(s.ctx, o)
	if s.ctx.Err() != nil {
		return p, s.ctx.Err()
	}
	if p.Err = err; err == nil {
		p.Outcome = s.read(o, read)
	} else {
		s.failed = err
	}
	s.tried[o.turned()] = true
	s.take(p)
	return p, nil
}

// read adds the readings of a mix to the profiles, and returns what the mix does by them.
func (s *search) read(at Outcome, read Reading) Outcome {
	read.Infer.Setting, read.Train.Setting = at.Setting, tegra.Setting{Mode: at.Mode}
	s.o.Infer, s.o.Train = append(s.o.Infer, read.Infer), append(s.o.Train, read.Train)
	ask := s.asks(0)
	ask.Policy = at.Policy
	return ask.Read(at.Setting, read)
}

// take keeps a probe, and its mix if that is the best so far.
func (s *search) take(p Probe) {
	r := &s.result
	if r.Probes = append(r.Probes, p); p.Err != nil {
		return
	}
	better := s.measured() == 1 || p.Meets && !r.Feasible
	switch {
	case p.Meets && r.Feasible:
		better = s.o.Ask.compare(&p.Outcome, &r.Best, s.o.Ask.want(true)) < 0
	case !p.Meets && !r.Feasible && !better:
		better = p.excess < r.Best.excess
	}
	if better {
		r.Best, r.Feasible = p.Outcome, p.Meets
	}
}
