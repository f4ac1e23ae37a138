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
	"jtune/learn"
	"jtune/tegra"
)

// DefaultProbes is the default cap of closed-loop measurements, including the verification. The loop stops earlier if
// no mode promises enough.
const DefaultProbes = 30

// Constants of all strategies.
const (
	failuresInARow = 3    // consecutive failed measurements that end a search
	failuresOfSize = 2    // failures that drop a batch size that never succeeded: it may not fit in memory
	sameValue      = 0.02 // relative; noise between readings of one mode
	disagree       = 0.05 // relative; readings of one mode that differ by more cannot both be correct
	randomModes    = 50   // as in the papers
)

// search holds the state of every strategy: probes made, readings by mode, the cap, and why it ended.
type search struct {
	ctx     context.Context
	measure Measure
	places  tegra.Places
	o       TuneOptions
	limit   Limit
	cap     int
	rng     *rand.Rand

	probes   []Probe
	readings map[int][]tegra.Measured // by index of the space
	order    []int                    // of first readings
	known    map[int]tegra.Measured   // from earlier searches, as measured
	unfitted map[int]bool             // known modes excluded from the fit
	drift    Drift                    // offset of the known modes
	checked  bool                     // the known modes were checked and count
	failed   map[int]bool
	absent   map[int]bool     // failed from the start
	tooMuch  []tegra.Measured // stopped modes, power alone
	toItsEnd bool             // the next measurement is not stopped for its power
	inARow   int
	lastErr  error
	ended    Ended
	begun    int                      // own probes made before the current limit
	toward   tegra.Val[tegra.Setting] // setting that the next probe informs about
	goOn     func()                   // looks for another winner if the first does not repeat; nil: the search ends

	trace    []Halving      // of a binary search
	networks *learn.Model   // of powertrain, once trained
	pick     tegra.Val[int] // its choice: the answer while it keeps the limit
	residual *learn.Residual
	warnings []string
	model    *learn.Surrogate
	expected *learn.Posterior // from the model; nil until needed
	fits     bool             // refit after every probe

	compared comparing // the baselines
	fitErr   error
}

func newSearch(ctx context.Context, measure Measure, o TuneOptions) (*search, error) {
	switch {
	case o.Space == nil || o.Space.Len() == 0:
		return nil, errors.New("no power modes to choose from")
	case o.Limit.Knee || o.Limit.MaxSlowdownPct > 0:
		return nil, errors.New(
			"a search needs a power limit, a time limit or least energy; knee and slowdown choose from a model")
	case o.Limit.EnergyJ > 0:
		return nil, errors.New("a limit on energy chooses from a model; a search looks for the least energy")
	case o.Probes < 0:
		return nil, fmt.Errorf("probes is %d, must be positive", o.Probes)
	}
	for _, l := range append([]Limit{o.Limit}, o.More...) {
		if err := l.Check(); err != nil {
			return nil, err
		}
	}
	sizes := slices.Compact(slices.Sorted(slices.Values(o.Batches)))
	switch {
	case len(sizes) > 0 && (sizes[0] < 1 || sizes[len(sizes)-1] > learn.MostBatch):
		return nil, fmt.Errorf("batch sizes %v: want 1 to %d", sizes, learn.MostBatch)
	case o.More != nil && o.Strategy != Auto && o.Strategy != "":
		return nil, fmt.Errorf("strategy %s answers one limit: several need %s", o.Strategy, Auto)
	}
	s := &search{
		ctx:      ctx,
		measure:  measure,
		o:        o,
		limit:    o.sought()[0],
		cap:      o.Probes,
		places:   tegra.Places{Space: o.Space, Batches: sizes},
		rng:      rand.New(rand.NewPCG(o.Seed, 0x74756e65)),
		readings: map[int][]tegra.Measured{},
		failed:   map[int]bool{},
		absent:   map[int]bool{},
	}
	s.compared.search = s
	if s.cap == 0 {
		s.cap = map[Strategy]int{Binary: math.MaxInt, PowerTrain: randomModes + 3, Random: randomModes + 1}[o.Strategy]
	}
	if s.cap == 0 {
		s.cap = MostProbes(1 + len(o.More))
	}
	if o.Probes == 0 && s.cap < math.MaxInt {
		s.cap += o.Baselines.Probes()
	}
	if o.Only != nil {
		for i := range s.places.Len() {
			s.absent[i] = true
		}
		for _, a := range o.Only {
			if i, ok := s.places.Index(a); ok {
				delete(s.absent, i)
			}
		}
		maps.Copy(s.failed, s.absent)
	}
	if o.Strategy == Auto || o.Strategy == "" {
		s.recall(o.Known)
	}
	return s, nil
}

// read adds a reading of a mode, which is then fitted.
func (s *search) read(i int, m tegra.Measured) {
	delete(s.unfitted, i)
	if len(s.readings[i]) == 0 {
		s.order = append(s.order, i)
	}
	s.readings[i] = append(s.readings[i], m)
}

// short reports whether the cap of probes is so small that none may be wasted.
func (s *search) short() bool { return s.cap-s.o.Baselines.Probes() <= servedProbes }

// reserve returns the probes reserved for the verification (a second one in case the winner does not repeat, unless the
// search is short) and for a preset.
func (s *search) reserve() int {
	switch {
	case s.cap <= 1:
		return 0
	case s.short():
		return 1 + s.compared.forPreset()
	}
	return 2 + s.compared.forPreset()
}

// mayGoOn reports whether unreserved probes are left.
func (s *search) mayGoOn() bool {
	if len(s.probes) < s.cap-s.reserve() {
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
	case s.model != nil && len(s.order) > 0: // otherwise the model is the prior
		p.Predicted = s.model.PredictSettings([]tegra.Setting{at})[0]
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
		p.Feasible = s.limit.Met(m)
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
	if s.places.Batches == nil || failures != failuresOfSize {
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
	if err == nil && !stats.Positive(m.TimeMS, m.PowerW) {
		err = fmt.Errorf("%s read %g ms and %g W, neither may be zero or missing",
			s.o.Space.Format(at.Mode), m.TimeMS, m.PowerW)
	}
	return m, err
}

// seen refits the model, passes the probe to Observe, and reports whether to continue.
func (s *search) seen(p Probe) bool {
	if s.fits && (p.Err == nil || len(s.tooMuch) > 0) {
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

// mean returns the mean of a mode's readings. A winner's first reading was selected for being good, so if a later one
// disagrees, only the later ones count.
func (s *search) mean(i int) tegra.Measured {
	list := s.readings[i]
	list = list[len(list)-counting(list):]
	m := tegra.Measured{Setting: s.places.At(i)}
	for _, r := range list {
		m.TimeMS += r.TimeMS / float64(len(list))
		m.PowerW += r.PowerW / float64(len(list))
	}
	return m
}

// counting returns how many of a mode's newest readings count.
func counting(list []tegra.Measured) int {
	n := len(list)
	if n > 1 && (differ(list[0].TimeMS, list[n-1].TimeMS) || differ(list[0].PowerW, list[n-1].PowerW)) {
		return n - 1
	}
	return n
}

// differ reports whether two readings of one mode differ by more than noise.
func differ(a, b float64) bool { return max(a, b) > min(a, b)*(1+disagree) }

// samples returns the measured modes to fit, in the order of their first reading.
func (s *search) samples() []tegra.Measured {
	var out []tegra.Measured
	for _, i := range s.order {
		if !s.unfitted[i] {
			out = append(out, s.mean(i))
		}
	}
	return out
}

func (s *search) warn(format string, args ...any) {
	s.warnings = append(s.warnings, fmt.Sprintf(format, args...))
}

// met reports whether a mode is within the limits by its newest reading and by the mean.
func (s *search) met(i int) bool {
	list := s.readings[i]
	return len(list) > 0 && s.limit.Met(list[len(list)-1]) && s.limit.Met(s.mean(i))
}

// best returns the answer so far: a pick that keeps the limit, else the best measured mode within it; false if there is
// none.
func (s *search) best() (index int, ok bool) {
	if s.pick.OK && s.met(s.pick.V) && !s.failed[s.pick.V] {
		return s.pick.V, true
	}
	return s.bestMeasured()
}

func (s *search) bestMeasured() (index int, ok bool) {
	index = -1
	for _, i := range s.order {
		if !s.met(i) || s.failed[i] {
			continue
		}
		if index < 0 || s.limit.objective().better(s.mean(i), s.mean(index)) {
			index = i
		}
	}
	return index, index >= 0
}
