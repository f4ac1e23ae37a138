package mix

// Other searches for a mix, for comparison: they only measure and do not predict. binary halves the range of one knob
// after another, the batch size last. gmd is Fulcrum's gradient descent by halves, reimplemented from its published
// notebooks: it probes the middle, and for each knob the middle with that knob at its end, and halves the range of the
// knob that gains the most time per watt. random draws settings.

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"

	"jtune/optimize"
	"jtune/optimize/ladder"
	"jtune/tegra"
	"jtune/tegra/metric"
)

// gmd is Fulcrum's strategy, only for mixes.
const gmd optimize.Strategy = "gmd"

const (
	gmdProbes   = 15 // per batch size
	gmdMost     = 25 // in all
	gmdLeastW   = 1  // a knob that changes power by less is ignored
	randomMixes = 50
)

// Strategies lists the strategies of SearchBy.
func Strategies() []optimize.Strategy {
	return []optimize.Strategy{optimize.Auto, optimize.Binary, gmd, optimize.Random}
}

// SearchBy is Search by a strategy, for training beside inference. Options.Most limits the measurements; 0: the
// strategy's default. Only Auto uses the profiles.
func SearchBy(ctx context.Context, strategy optimize.Strategy, measure Measure, o Options) (Result, error) {
	if strategy == optimize.Auto || strategy == "" {
		return Search(ctx, measure, o)
	}
	if err := o.Ask.Check(); err != nil {
		return Result{}, err
	}
	s := &probing{ctx: ctx, measure: measure, seen: map[tegra.Setting]*Probe{},
		search: search{o: o, settings: o.Settings(), measured: map[tegra.Setting]bool{},
			failed: map[tegra.Setting]bool{}, known: map[tegra.Setting]bool{}, train: &Phase{}}}
	s.places, s.absent = tegra.Places{Space: o.Space, Batches: o.Batches}, map[int]bool{}
	if o.Only != nil {
		there := map[tegra.Setting]bool{}
		for _, a := range o.Only {
			there[a] = true
		}
		for i, a := range s.places.All() {
			if !there[a] {
				s.absent[i] = true
			}
		}
	}
	s.ladder, s.result.Ended = ladder.New(o.Space), optimize.Converged
	var err error
	switch strategy {
	case optimize.Binary:
		err = s.binary()
	case gmd:
		err = s.gmd()
	case optimize.Random:
		err = s.random()
	default:
		return Result{}, fmt.Errorf("strategy %q is unknown", string(strategy))
	}
	r := s.result
	switch {
	case ctx.Err() != nil:
		r.Ended = optimize.Cancelled
		return r, ctx.Err()
	case err != nil && !errors.Is(err, errNoMixes):
		return r, err
	case errors.Is(err, errNoMixes):
		r.Ended = optimize.OutOfProbes
	}
	switch {
	case r.Feasible:
		return r, nil
	case len(s.measured) == 0:
		return r, errors.New("no mix could be measured")
	}
	return r, &NoSettingError{Ask: s.asks(0), Nearest: r.Best, Tried: len(s.measured), Ended: r.Ended}
}

// errNoMixes: no more may be measured.
var errNoMixes = errors.New("no measurement is left")

// probing is the state of a search without predictions.
type probing struct {
	search
	ctx     context.Context
	measure Measure
	places  tegra.Places
	absent  map[int]bool // places that cannot be measured
	ladder  ladder.Ladder
	seen    map[tegra.Setting]*Probe
	result  Result
	most    int
}

// probe measures the setting at these rungs, or the nearest existing one, once.
func (s *probing) probe(at ladder.Rungs) (*Probe, error) {
	return s.once(s.places.At(s.ladder.Nearest(at, s.places, s.absent)))
}

func (s *probing) once(at tegra.Setting) (*Probe, error) {
	if p, ok := s.seen[at]; ok {
		return p, nil
	}
	if s.most > 0 && len(s.seen) >= s.most {
		return nil, errNoMixes
	}
	p, err := s.verify(s.ctx, s.measure, Outcome{Setting: at, Policy: s.o.Ask.Policy})
	if err != nil {
		return nil, err
	}
	s.seen[at] = &p
	s.result.Probes = append(s.result.Probes, p)
	s.take(&s.result, p)
	return &p, nil
}

// breaks returns the limits that a probe violates; all if it could not be measured.
func (s *probing) breaks(p *Probe) (power, latency bool) {
	if p.Err != nil {
		return true, true
	}
	a := s.o.Ask
	w := p.PeakW
	if a.PowerAs == Mean {
		w = p.MeanW
	}
	most, limited := a.Goal.Limits.On(metric.Power)
	return limited && w > most.Value, a.LatencyMS > 0 && !(p.LatencyMS <= a.LatencyMS) || p.Rho > a.mostBusy()
}

// binary halves one knob after another: over the power limit it drops the upper half; if requests are late, the upper
// half of the sizes or the lower half of a clock; else the lower half.
func (s *probing) binary() error {
	s.most = s.o.Most
	order, err := ladder.Rotation{}.Knobs()
	if err != nil {
		return err
	}
	b := s.ladder.Whole(len(s.o.Batches))
	for turn := 0; !b.Single(); turn++ {
		k := ladder.InTurn.Next(&b, order, &turn)
		p, err := s.probe(b.Middle())
		if err != nil {
			return err
		}
		power, late := s.breaks(p)
		b.Drop(k, !power && (!late || k != ladder.BatchKnob))
	}
	_, err = s.probe(b.Lo)
	return err
}

// random measures randomly drawn settings.
func (s *probing) random() error {
	s.most = s.o.Most
	if s.most == 0 {
		s.most = randomMixes
	}
	rng := rand.New(rand.NewPCG(s.o.Ask.Seed, 0x6d697873))
	for _, i := range rng.Perm(len(s.settings)) {
		if _, err := s.once(s.settings[i]); err != nil {
			return err
		}
	}
	return nil
}

// gmd descends at the largest batch size that the fastest mode serves in time, and continues with the next smaller one
// if no mode keeps the limits.
func (s *probing) gmd() error {
	s.most = s.o.Most
	if s.most == 0 {
		s.most = gmdMost
	}
	b := s.ladder.Whole(len(s.o.Batches))
	top := b.Hi[ladder.BatchKnob]
	for ; top > 0; top-- {
		at := b.Hi
		at[ladder.BatchKnob] = top
		p, err := s.probe(at)
		if err != nil {
			return err
		}
		if _, late := s.breaks(p); !late {
			break
		}
	}
	for size := top; size >= 0; size-- {
		if err := s.descend(size); err != nil || s.result.Feasible {
			return err
		}
	}
	return nil
}

// descend searches for the best mode at one batch size.
func (s *probing) descend(size int) error {
	b := s.ladder.Whole(len(s.o.Batches))
	b.Lo[ladder.BatchKnob], b.Hi[ladder.BatchKnob] = size, size
	for begun := len(s.seen); !b.Single() && len(s.seen)-begun < gmdProbes; {
		middle, err := s.probe(b.Middle())
		if err != nil {
			return err
		}
		power, _ := s.breaks(middle)
		best, steepest := tegra.Knob(-1), -1.0
		for k := range tegra.Knob(tegra.NumKnobs) {
			if b.Lo[k] == b.Hi[k] {
				continue
			}
			at := b.Middle()
			if at[k] = b.Hi[k]; power {
				at[k] = b.Lo[k]
			}
			p, err := s.probe(at)
			if err != nil {
				return err
			}
			if slope := slopeOf(middle, p); slope > steepest {
				best, steepest = k, slope
			}
		}
		b.Drop(best, !power)
	}
	_, err := s.probe(b.Lo)
	return err
}

// slopeOf returns the change of the training rate per watt between two mixes.
func slopeOf(a, z *Probe) float64 {
	watts := math.Abs(a.PeakW - z.PeakW)
	if a.Err != nil || z.Err != nil || watts < gmdLeastW {
		return 0
	}
	return math.Abs(a.TrainPerS-z.TrainPerS) / watts
}
