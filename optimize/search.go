package optimize

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"

	"jtune/internal/stats"
	"jtune/internal/text"
	"jtune/learn"
	"jtune/optimize/earlier"
	"jtune/optimize/ladder"
	"jtune/tegra"
	"jtune/tegra/metric"
)

// DefaultProbes is the default cap of closed-loop measurements, including the verification. The loop stops earlier if
// no mode promises enough.
const DefaultProbes = 30

// Constants of all strategies.
const (
	failuresInARow = 3    // consecutive failed measurements that end a search
	failuresOfSize = 2    // failures that drop a batch size that never succeeded: it may not fit in memory
	sameValue      = 0.02 // relative; settings whose goals differ by less are as good
	randomModes    = 50   // as in the papers
	mostKnown      = 150  // known modes that are fitted, drawn at random of more: a bound of the effort
)

// search holds the state of every strategy: probes made, readings by mode, the cap, and why it ended.
type search struct {
	ctx     context.Context
	measure Measure
	places  tegra.Places
	o       TuneOptions
	limit   metric.Goal
	cap     int
	rng     *rand.Rand

	probes   []Probe
	readings map[int][]tegra.Measured // of this search, by index of the space
	order    []int                    // of first readings, known ones first
	known    map[int]tegra.Measured   // from earlier searches
	unfitted map[int]bool             // known modes excluded from the fit
	drift    earlier.Drift            // by which they have moved
	aside    bool                     // they contradict what was measured since
	failed   map[int]bool
	absent   map[int]bool     // failed from the start
	tooMuch  []tegra.Measured // stopped modes, power alone
	toItsEnd bool             // the next measurement is not stopped for its power
	inARow   int
	lastErr  error
	ended    Ended
	toward   tegra.Val[tegra.Setting] // setting that the next probe informs about

	trace    []ladder.Halving // of a binary search
	networks *learn.Model     // of powertrain, once trained
	pick     tegra.Val[int]   // its choice: the answer while it keeps the limit
	residual *learn.Residual
	warnings []string
	model    *learn.Surrogate
	belief   *belief // from the model; nil until needed
	standIns map[tegra.Value]*search
	beside   *learn.Surrogate // of a stand-in: the model that it was fitted after

	compared comparing // the baselines
	fitErr   error
}

func newSearch(ctx context.Context, measure Measure, o TuneOptions) (*search, error) {
	if o.Problem == nil {
		o.Problem = Alone
	}
	switch {
	case o.Space == nil || o.Space.Len() == 0:
		return nil, errors.New("no power modes to choose from")
	case !(o.risk() > 0 && o.risk() < 0.5):
		return nil, fmt.Errorf("risk is %g, must be above 0 and below 0.5", o.Risk)
	case o.Probes < 0:
		return nil, fmt.Errorf("probes is %d, must be positive", o.Probes)
	}
	for _, l := range o.Limits {
		switch err := errors.Join(l.Check(), l.Told()); {
		case l.Knee || l.SlowerPct > 0:
			return nil, errors.New(
				"a search needs a power limit, a time limit or least energy; knee and slowdown choose from a model")
		case l.Of(metric.Energy) > 0:
			return nil, errors.New("a limit on energy chooses from a model; a search looks for the least energy")
		case err != nil:
			return nil, err
		case l.Limits.Further() != nil && o.Strategy != Auto && o.Strategy != "":
			return nil, fmt.Errorf("strategy %s keeps limits on power and time: others need %s", o.Strategy, Auto)
		}
	}
	sizes := tegra.Sizes(o.Batches...)
	switch {
	case len(sizes) > 1 && sizes[0] < 1 || slices.Max(sizes) > learn.MostBatch:
		return nil, fmt.Errorf("batch sizes %v: want 1 to %d", sizes, learn.MostBatch)
	case len(o.Limits) > 1 && o.Strategy != Auto && o.Strategy != "":
		return nil, fmt.Errorf("strategy %s answers one limit: several need %s", o.Strategy, Auto)
	}
	s := &search{
		ctx:      ctx,
		measure:  measure,
		o:        o,
		limit:    o.sought()[0],
		cap:      o.Probes,
		places:   tegra.PlacesOf(o.Space, sizes),
		rng:      rand.New(rand.NewPCG(o.Seed, 0x74756e65)),
		readings: map[int][]tegra.Measured{},
		failed:   map[int]bool{},
	}
	s.compared = comparing{search: s, best: make([]tegra.Val[tegra.Setting], len(o.Limits))}
	if s.cap == 0 {
		s.cap = map[string]int{Binary: math.MaxInt, PowerTrain: randomModes + 3, Random: randomModes + 1}[o.Strategy]
	}
	if s.cap == 0 {
		s.cap = MostProbes(len(o.Limits))
	}
	if o.Probes == 0 && s.cap < math.MaxInt {
		s.cap += o.Baselines.Probes()
	}
	if s.cap < math.MaxInt {
		s.cap += o.Cover
	}
	s.absent = s.places.Absent(o.Only)
	maps.Copy(s.failed, s.absent)
	if o.Strategy == Auto || o.Strategy == "" {
		s.recall(o.Known)
	}
	return s, nil
}

// read adds a reading of a mode, which is then fitted.
func (s *search) read(i int, m tegra.Measured) {
	if _, known := s.known[i]; !known && len(s.readings[i]) == 0 {
		s.order = append(s.order, i)
	}
	s.readings[i] = append(s.readings[i], m)
	if _, known := s.known[i]; known {
		s.align()
	}
}

// align moves the known modes by what those of them show that were measured again, where that is beyond the offset that
// every other day may have; if these contradict each other, no known mode is fitted any more.
func (s *search) align() {
	now := map[tegra.Setting]tegra.Measured{}
	for i := range s.readings {
		now[s.places.At(i)] = s.mean(i)
	}
	switch c := earlier.Compare(s.o.Known, now); {
	case c.Modes == 0 || !c.Far || s.aside:
	case c.Alike:
		s.drift = c.Drift
	default:
		s.aside, s.drift = true, earlier.Drift{}
	}
}

// saysDrift says how known modes count that have moved; nil if they have not.
func (s *search) saysDrift() []string {
	switch n := text.Count(len(s.known), "mode"); {
	case s.aside:
		return []string{n + " of earlier searches are not used: those measured again changed by different amounts"}
	case s.drift != earlier.Drift{}:
		return []string{
			fmt.Sprintf("the board has drifted since the %s were measured that are known: they count with %v",
				n, s.drift),
		}
	}
	return nil
}

// left returns the number of probes that are not reserved for a preset.
func (s *search) left() int { return s.cap - s.compared.forPreset() - len(s.probes) }

// mayDraw reports whether a strategy that does not follow the rule has probes left, besides those for its answer.
func (s *search) mayDraw() bool { return s.left() > verifications || len(s.probes) == 0 && s.mayGoOn() }

// mayGoOn reports whether such probes are left.
func (s *search) mayGoOn() bool {
	if s.left() > 0 {
		return true
	}
	s.ended = OutOfProbes
	return false
}

// probe measures mode i and records it; false if the search is over. A mode that cannot be measured is marked, and the
// search continues.
func (s *search) probe(i int, why Why) bool {
	if len(s.probes) >= s.cap {
		s.ended = OutOfProbes
		return false
	}
	at := s.places.At(i)
	p := Probe{Measured: tegra.Measured{Setting: at}, Why: why, Limit: s.limit}
	switch {
	case s.auto() && s.model != nil && len(s.order) > 0: // otherwise the model is the prior
		p.Predicted = predicted(s, i)
	case s.networks != nil:
		p.Predicted = networksSay(s.networks, at)
	}
	if s.o.Choosing != nil {
		s.o.Choosing(s.step(i, why))
	}
	s.toward = tegra.Val[tegra.Setting]{}
	m, err := s.reading(at)
	if err != nil && s.ctx.Err() != nil {
		s.ended = Cancelled
		return false
	}
	p.Read(m, err)
	if err != nil {
		s.failed[i], s.lastErr = true, err
		if p.Over {
			s.tooMuch, s.inARow = append(s.tooMuch, p.Measured), 0
		} else {
			s.inARow++
			s.mayDrop(at.Batch)
		}
	} else {
		p.Feasible = s.limitOn(m).Met(m)
		s.read(i, m)
		s.inARow = 0
	}
	s.probes = append(s.probes, p)
	return s.seen(p)
}

// mayDrop drops a batch size whose measurements all failed, so that one too large for the memory does not end the
// search. One stopped for its power did not fail.
func (s *search) mayDrop(batch int) {
	failures := 1 // including the current one
	for _, p := range s.probes {
		switch {
		case p.Batch != batch, p.Over:
		case p.Err == nil:
			return
		default:
			failures++
		}
	}
	if len(s.places.Batches) == 1 || failures != failuresOfSize {
		return
	}
	for i := range s.places.Len() {
		if s.places.At(i).Batch == batch {
			s.failed[i] = true
		}
	}
	s.inARow = 0
	s.warn("batch size %d is dropped because every measurement with it failed: %v", batch, s.lastErr)
}

// reading measures a setting; a time or power that is not positive is an error.
func (s *search) reading(at tegra.Setting) (tegra.Measured, error) {
	if err := s.ctx.Err(); err != nil {
		return tegra.Measured{}, err
	}
	m, err := s.measure(s.ctx, at)
	m = s.warmed(m)
	if err == nil && !stats.Positive(m.TimeMS, m.PowerW) {
		err = fmt.Errorf("%s read %g ms and %g W, neither may be zero or missing",
			s.o.Space.Format(at.Mode), m.TimeMS, m.PowerW)
	}
	return m, err
}

// seen refits the model, passes the probe to Observe, and reports whether to continue.
func (s *search) seen(p Probe) bool {
	if p.Err == nil || len(s.tooMuch) > 0 {
		if s.fitErr = s.fit(); s.fitErr != nil {
			s.ended = Failing
			return false
		}
	}
	if s.o.Observe != nil {
		s.o.Observe(s.seeing(p))
	}
	if s.inARow >= failuresInARow {
		s.ended = Failing
		return false
	}
	return true
}

// warmed returns a reading with the steady temperature that its power leads to.
func (s *search) warmed(m tegra.Measured) tegra.Measured {
	if s.o.Heat.PerW > 0 {
		m = m.With(s.o.Heat.At(m.PowerW, 0))
	}
	return m
}

// auto reports whether the search follows the rule.
func (s *search) auto() bool { return s.o.Strategy == Auto || s.o.Strategy == "" }

// recall takes the measurements of earlier searches, the median of each setting.
func (s *search) recall(rows []tegra.Measured) {
	s.known, s.unfitted = map[int]tegra.Measured{}, map[int]bool{}
	for _, m := range tegra.OncePerSetting(rows) {
		m = s.warmed(m)
		if i, ok := s.places.Index(m.Setting); ok && !s.absent[i] && stats.Positive(m.TimeMS, m.PowerW) {
			s.known[i] = m
			s.order = append(s.order, i)
		}
	}
	for _, k := range s.rng.Perm(len(s.order))[:max(0, len(s.order)-mostKnown)] {
		s.unfitted[s.order[k]] = true
	}
}

// at returns the index of a setting; -1 for the empty one.
func (s *search) at(a tegra.Setting) int {
	if i, ok := s.places.Index(a); ok {
		return i
	}
	return -1
}

// fitted reports whether the model is fitted to mode i: not if it is known alone, and one of too many or set aside.
func (s *search) fitted(i int) bool { return len(s.readings[i]) > 0 || !s.unfitted[i] && !s.aside }

// samples returns the measured modes to fit, in the order of their first reading, and which are of another day.
func (s *search) samples() (out []tegra.Measured, earlier []bool) {
	for _, i := range s.order {
		if s.fitted(i) {
			out, earlier = append(out, s.mean(i)), append(earlier, len(s.readings[i]) == 0)
		}
	}
	for _, i := range s.order { // both show the offset
		if m, ok := s.known[i]; ok && !s.unfitted[i] && !s.aside && len(s.readings[i]) > 0 {
			out, earlier = append(out, s.drift.Of(m)), append(earlier, true)
		}
	}
	return out, earlier
}

func (s *search) warn(format string, args ...any) {
	s.warnings = append(s.warnings, fmt.Sprintf(format, args...))
}

// best returns the answer so far; false if there is none.
func (s *search) best() (index int, ok bool) {
	if s.tried() == 0 || s.model == nil && s.fit() != nil {
		return -1, false
	}
	r := s.rule()
	return r.answer, r.found
}
