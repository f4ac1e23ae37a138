package mix

// Other searches for a mix, for comparison: they only measure and do not predict. binary halves the range of one knob
// after another, the batch size last. gmd is Fulcrum's gradient descent by halves, reimplemented from its published
// notebooks: it probes the middle, and for each knob the middle with that knob at its end, and halves the range of the
// knob that gains the most time per watt. random draws settings.

import (
	"math"
	"math/rand/v2"

	"jtune/optimize"
	"jtune/optimize/ladder"
	"jtune/tegra"
)

// gmd is Fulcrum's strategy, only for mixes.
const gmd = "gmd"

const (
	gmdProbes   = 15 // per batch size
	gmdMost     = 25 // in all
	gmdLeastW   = 1  // a knob that changes power by less is ignored
	randomMixes = 50
)

// strategies are the searches, with the mixes that they measure unless told otherwise; 0: as many as they want.
var strategies = map[string]struct {
	search func(*search) error
	most   int
}{
	optimize.Auto:   {(*search).auto, MostVerified},
	optimize.Binary: {(*search).binary, 0},
	gmd:             {(*search).gmd, gmdMost},
	optimize.Random: {(*search).random, randomMixes},
}

// Strategies lists the strategies of Search in display order.
func Strategies() []string {
	return []string{optimize.Auto, optimize.Binary, gmd, optimize.Random}
}

// walk measures along the rungs of the knobs.
type walk struct {
	*search
	places tegra.Places
	absent map[int]bool // places that cannot be measured
	ladder ladder.Ladder
}

func (s *search) walk() walk {
	w := walk{s, tegra.Places{Space: s.o.Space, Batches: s.o.Batches}, map[int]bool{}, ladder.New(s.o.Space)}
	if s.o.Only != nil {
		for i := range w.places.Len() {
			w.absent[i] = true
		}
		for _, a := range s.o.Only {
			if i, ok := w.places.Index(a); ok {
				delete(w.absent, i)
			}
		}
	}
	return w
}

// at measures the setting at these rungs, or the nearest existing one.
func (w *walk) at(rungs ladder.Rungs) (*Probe, error) {
	return w.only(w.places.At(w.ladder.Nearest(rungs, w.places, w.absent)))
}

// only measures a setting that nothing is predicted of.
func (s *search) only(at tegra.Setting) (*Probe, error) {
	return s.probe(Outcome{Setting: at, Policy: s.o.Ask.Policy})
}

// breaks returns whether a probe violates the limit on power, and any other; both if it could not be measured.
func (p *Probe) breaks() (power, late bool) {
	power, late = p.Err != nil, p.Err != nil
	for _, l := range p.limits {
		power = power || l.violated() && l.what == itsPower
		late = late || l.violated() && l.what != itsPower
	}
	return power, late
}

// binary halves one knob after another: over the power limit it drops the upper half; if requests are late, the upper
// half of the sizes or the lower half of a clock; else the lower half.
func (s *search) binary() error {
	order, err := ladder.Rotation{}.Knobs()
	if err != nil {
		return err
	}
	w := s.walk()
	b := w.ladder.Whole(len(s.o.Batches))
	for turn := 0; !b.Single(); turn++ {
		k := ladder.InTurn.Next(&b, order, &turn)
		p, err := w.at(b.Middle())
		if err != nil {
			return err
		}
		power, late := p.breaks()
		b.Drop(k, !power && (!late || k != ladder.BatchKnob))
	}
	_, err = w.at(b.Lo)
	return err
}

// random measures randomly drawn settings.
func (s *search) random() error {
	rng := rand.New(rand.NewPCG(s.o.Ask.Seed, 0x6d697873))
	for _, i := range rng.Perm(len(s.settings)) {
		if _, err := s.only(s.settings[i]); err != nil {
			return err
		}
	}
	return nil
}

// gmd descends at the largest batch size that the fastest mode serves in time, and continues with the next smaller one
// if no mode keeps the limits.
func (s *search) gmd() error {
	w := s.walk()
	b := w.ladder.Whole(len(s.o.Batches))
	top := b.Hi[ladder.BatchKnob]
	for ; top > 0; top-- {
		at := b.Hi
		at[ladder.BatchKnob] = top
		p, err := w.at(at)
		if err != nil {
			return err
		}
		if _, late := p.breaks(); !late {
			break
		}
	}
	for size := top; size >= 0; size-- {
		if err := w.descend(size); err != nil || s.result.Feasible {
			return err
		}
	}
	return nil
}

// descend searches for the best mode at one batch size.
func (w *walk) descend(size int) error {
	b := w.ladder.Whole(len(w.o.Batches))
	b.Lo[ladder.BatchKnob], b.Hi[ladder.BatchKnob] = size, size
	for begun := len(w.result.Probes); !b.Single() && len(w.result.Probes)-begun < gmdProbes; {
		middle, err := w.at(b.Middle())
		if err != nil {
			return err
		}
		power, _ := middle.breaks()
		best, steepest := tegra.Knob(-1), -1.0
		for k := range tegra.Knob(tegra.NumKnobs) {
			if b.Lo[k] == b.Hi[k] {
				continue
			}
			at := b.Middle()
			if at[k] = b.Hi[k]; power {
				at[k] = b.Lo[k]
			}
			p, err := w.at(at)
			if err != nil {
				return err
			}
			if slope := slopeOf(middle, p); slope > steepest {
				best, steepest = k, slope
			}
		}
		b.Drop(best, !power)
	}
	_, err := w.at(b.Lo)
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
