package mix

// Other searches for a mix, for comparison: they only measure and do not predict (optimize/ladder). random draws
// settings.

import (
	"math"

	"jtune/optimize"
	"jtune/optimize/ladder"
	"jtune/tegra"
)

// gmd is Fulcrum's strategy, only for mixes.
const gmd = "gmd"

const (
	gmdMost     = 25 // in all
	randomMixes = 50
)

// strategies are the searches, with the mixes that they measure unless told otherwise; 0: as many as they want.
var strategies = map[string]struct {
	search func(*search) error
	most   int
}{
	optimize.Auto: {(*search).auto, MostVerified},
	optimize.Binary: {func(s *search) error {
		return s.walk().Binary(ladder.Rotation{}, true, func(ladder.Halving) {})
	}, 0},
	gmd:             {func(s *search) error { return s.walk().GMD() }, gmdMost},
	optimize.Random: {(*search).random, randomMixes},
}

// walk measures along the rungs of the knobs.
func (s *search) walk() *ladder.Walk {
	places := s.o.places()
	return ladder.NewWalk(places, places.Absent(s.o.Only), func(i int) (ladder.Seen, error) {
		p, err := s.only(places.At(i))
		return p.seen(), err
	})
}

// only measures a setting that nothing is predicted of.
func (s *search) only(at tegra.Setting) (Probe, error) {
	return s.probe(Outcome{Setting: at, Policy: s.o.Ask.Policy})
}

// seen returns which limits a probe breaks, and what it trains at which power.
func (p *Probe) seen() ladder.Seen {
	if p.Err != nil {
		return ladder.Seen{Power: true, Late: true, Rate: math.NaN(), PowerW: math.NaN()}
	}
	out := ladder.Seen{Rate: p.TrainPerS, PowerW: p.PeakW}
	for i, l := range p.limits {
		out.Power = out.Power || l.violated() && i == itsPower
		out.Late = out.Late || l.violated() && i != itsPower
	}
	return out
}

// random measures randomly drawn settings.
func (s *search) random() error {
	places := s.o.places()
	absent := places.Absent(s.o.Only)
	for _, at := range places.Sample(places.Len(), s.o.Ask.Seed) {
		if i, _ := places.Index(at); absent[i] {
			continue
		}
		if _, err := s.only(at); err != nil {
			return err
		}
	}
	return nil
}
