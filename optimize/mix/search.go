package mix

// The search for a mix (docs/method.md, "Training beside inference"): it predicts both phases in every setting from a
// few profiled ones, measures the best mix, and adds its readings to the data, until the best mix has been measured or
// the verifications are used up. Later questions reuse the profiles. The answer has been measured.

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"

	"jtune/learn"
	"jtune/optimize"
	"jtune/tegra"
	"jtune/tegra/metric"
)

// MostVerified is the default number of mixes that Auto measures for one question.
const MostVerified = 6

const (
	// firstMargin is the margin, in standard deviations, for choosing a mix to measure while none keeps the limits;
	// moreMargin applies once one does.
	firstMargin, moreMargin = 0.3, 0.0
	// A mix is measured only if it stays within hotOver times the limits, at the first of hotSteps at which any mix
	// does.
	hotOver = 1.1
	// cautious is the number of first mixes with the larger margins.
	cautious = 2
	// gain is the relative gain over the best measured mix that justifies another measurement, by a prediction hope
	// standard deviations better than its median.
	gain, hope = 0.01, 1
	// mayTrain is the chance of a minibatch per window from which a mix is measured while none trains.
	mayTrain = 0.05
	// surelyOver is the number of standard deviations below its prediction at which every setting must still violate a
	// limit before the search reports that none keeps it.
	surelyOver = 3
)

// hotSteps are margins in standard deviations, see hotOver; the first two apply only to the first mixes.
var hotSteps = [...]float64{2.6, 2.4, 2.2, 1.8, 1.4, 1, 0.6, 0.2, 0}

// Options are the load, limits and profiles of a search.
type Options struct {
	Ask          Ask // the search sets its Margin
	Space        *tegra.Space
	Batches      []int            // of inference, ascending; nil: its own
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
}

// search is the state of Search.
type search struct {
	ctx      context.Context
	measure  Measure
	o        Options
	settings []tegra.Setting
	tried    map[tegra.Setting]*Probe
	infer    Phase
	train    *Phase
	result   Result
}

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
	s := &search{ctx: ctx, measure: measure, o: o, settings: o.Settings(), tried: map[tegra.Setting]*Probe{}}
	err := how.search(s)
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
		return r, errors.New("no mix could be measured")
	}
	return r, &NoSettingError{Ask: s.asks(0), Nearest: r.Best, Tried: tried, Ended: r.Ended}
}

// auto measures the mix that the predictions from all readings promise most of.
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
	return tegra.Places{Space: o.Space, Batches: o.Batches}.All()
}

// Phases fits both phases to their measurements and predicts all settings; measured ones keep their measurement.
func Phases(o Options) (infer Phase, train *Phase, err error) {
	if infer, err = o.fit(o.Infer, o.Batches, o.Settings()); err != nil {
		return infer, nil, err
	}
	training, err := o.fit(o.Train, nil, tegra.Settings(o.Space.Modes(), nil))
	return infer, &training, err
}

func (o *Options) fit(rows []tegra.Measured, batches []int, settings []tegra.Setting) (Phase, error) {
	model, err := learn.FitSurrogate(o.Space, rows, learn.SurrogateOptions{Grid: true, Robust: 1, Batches: batches})
	if err != nil {
		return Phase{}, err
	}
	return NewPhase(optimize.Known(model.PredictSettings(settings), tegra.OncePerSetting(rows))), nil
}

// open returns the settings that may still be measured.
func (s *search) open() []tegra.Setting {
	var out []tegra.Setting
	for _, a := range s.settings {
		if s.tried[a] == nil {
			out = append(out, a)
		}
	}
	return out
}

// next returns the mix to measure, or why the search ends.
func (s *search) next() (Outcome, tegra.Val[optimize.Ended]) {
	r := &s.result
	end := func(e optimize.Ended) (Outcome, tegra.Val[optimize.Ended]) { return Outcome{}, tegra.Some(e) }
	open := s.open()
	if len(open) == 0 {
		return end(optimize.Exhausted)
	}
	best, err := s.asks(s.margin()).Choose(s.harmless(open), s.infer, s.train)
	var none *NoSettingError
	switch {
	case err == nil && r.Feasible && !s.worth(best[0], r.Best):
		return end(optimize.Converged)
	case err == nil && len(r.Probes) >= s.o.Most:
		return end(optimize.OutOfProbes)
	case err == nil:
		return best[0], tegra.Val[optimize.Ended]{}
	case r.Feasible:
		return end(optimize.Converged)
	case !errors.As(err, &none):
		return end(optimize.Exhausted)
	}
	_, err = s.asks(-surelyOver).choose(open, s.infer, s.train)
	if errors.Is(err, optimize.ErrInfeasible) && len(r.Probes) > 0 {
		return end(optimize.NoWay)
	}
	if len(r.Probes) >= s.o.Most {
		return end(optimize.OutOfProbes)
	}
	return none.Nearest, tegra.Val[optimize.Ended]{}
}

// harmless returns the settings unlikely to exceed a limit by much. If there are none, it reduces the margin step by
// step, and finally returns all.
func (s *search) harmless(open []tegra.Setting) []tegra.Setting {
	for _, margin := range s.hotMargins() {
		a := s.asks(margin)
		a.Goal.Limits = a.Goal.Limits.Times(hotOver)
		a.LatencyMS *= hotOver
		var out []tegra.Setting
		for _, at := range open {
			o, ok := a.bound(at, s.infer, s.train)
			first := o.missed[0]
			busy := first.what == busyShare && first.value <= hotOver*first.limit && o.excess <= math.Log(hotOver)
			if ok && (o.Meets || busy) {
				out = append(out, at)
			}
		}
		if out != nil {
			return out
		}
	}
	return open
}

// hotMargins returns the margins to try in turn, larger for the first mixes, which rest on the fewest readings.
func (s *search) hotMargins() []float64 {
	if s.measured() < cautious {
		return hotSteps[:]
	}
	return hotSteps[2:]
}

// margin returns the margin of the next choice.
func (s *search) margin() float64 {
	if s.result.Feasible {
		return moreMargin
	}
	return firstMargin
}

// worth reports whether a predicted mix promises enough over the best measured one.
func (s *search) worth(p, best Outcome) bool {
	want := s.o.Ask.want(true)
	if best.TrainPerS == 0 && best.Policy == Strict { // a mix that trains nothing is no answer
		return p.Tau > 0 || p.trains >= mayTrain
	}
	now, _ := want.value(&best, s.o.Ask.PowerAs)
	then, _ := want.value(&p, s.o.Ask.PowerAs)
	sd := p.serve.LnTimeSD
	switch {
	case want == MostTraining || want == MostTau:
		sd = p.train.LnTimeSD
	case want != LeastTime && want != MostRequests:
		sd = p.serve.LnPowerSD
	}
	return now-then > (gain-hope*sd)*math.Abs(now)
}

// probe measures a mix, once.
func (s *search) probe(o Outcome) (*Probe, error) {
	if p, ok := s.tried[o.Setting]; ok {
		return p, nil
	}
	if s.o.Most > 0 && len(s.result.Probes) >= s.o.Most {
		return nil, errNoMixes
	}
	p := Probe{Predicted: o, Outcome: Outcome{Setting: o.Setting}}
	read, err := s.measure(s.ctx, o)
	if s.ctx.Err() != nil {
		return nil, s.ctx.Err()
	}
	if p.Err = err; err == nil {
		p.Outcome = s.read(o.Setting, read)
	}
	s.tried[o.Setting] = &p
	s.take(p)
	return &p, nil
}

// read adds the readings of a mix to the profiles, and returns what the mix does by them.
func (s *search) read(at tegra.Setting, read Reading) Outcome {
	infer, train := read.Infer, read.Train
	infer.Setting, train.Setting = at, tegra.Setting{Mode: at.Mode}
	s.o.Infer, s.o.Train = append(s.o.Infer, infer), append(s.o.Train, train)
	training := NewPhase([]learn.Prediction{optimize.MeasuredPrediction(train)})
	o, _ := s.asks(0).Evaluate(at, s.infer.with(optimize.MeasuredPrediction(infer)), &training)
	if read.Seen != nil {
		o = s.asks(0).AsSeen(o, *read.Seen)
	}
	return o
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
