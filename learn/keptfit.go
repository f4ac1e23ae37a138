package learn

import (
	"errors"
	"slices"

	"jtune/learn/internal/parallel"
)

// fitVersion is raised with each change of the fit, its priors or its formulas: a kept fit of another version is fitted
// again. TestFitOfThisVersion fails where it was forgotten.
const fitVersion = 2

// keptFit is what a gp fit chose. With it, loading a model takes one factorisation per curve in place of a search that
// takes 25 times as long for 500 samples, and gives the same model to the last bit.
type keptFit struct {
	Version int            `json:"version"`
	Targets [2][]keptCurve `json:"targets"` // time, power
}

// keptCurve is one curve of a mixture.
type keptCurve struct {
	Prior   int             `json:"prior"` // 1: of the fits with the reference
	SF      float64         `json:"sf"`
	SN      float64         `json:"sn"`
	Score   float64         `json:"score"`
	Theta   []float64       `json:"theta"`
	Band    float64         `json:"band"` // see bandScaleOf
	Down    map[int]float64 `json:"down,omitempty"`
	Suspect []int           `json:"suspect,omitempty"`
}

// keep returns what a fit chose.
func keep(s *Surrogate) *keptFit {
	out := &keptFit{Version: fitVersion}
	for target, m := range []mixture{s.time, s.power} {
		for _, c := range m.curves {
			k := keptCurve{Prior: c.origin, SF: c.sf, SN: c.sn, Score: c.score, Theta: c.theta, Band: c.bandScale()}
			for i, v := range c.v {
				if v != 1 {
					if k.Down == nil {
						k.Down = map[int]float64{}
					}
					k.Down[i] = v
				}
			}
			for i, suspect := range c.suspect {
				if suspect {
					k.Suspect = append(k.Suspect, i)
				}
			}
			out.Targets[target] = append(out.Targets[target], k)
		}
	}
	return out
}

var errKeptFit = errors.New("the kept fit is not one of these samples")

// restored returns the mixture of curves that a fit chose, each of its own data.
func restored(f *family, of []data, kept []keptCurve) (mixture, error) {
	solvers := make([]*solver, len(of))
	for _, k := range kept {
		if k.Prior < 0 || k.Prior >= len(of) {
			return mixture{}, errKeptFit
		}
		if solvers[k.Prior] == nil {
			solvers[k.Prior] = newSolver(f, of[k.Prior])
		}
	}
	curves := make([]*curve, len(kept))
	err := parallel.Each(len(kept), func(i int) (err error) {
		curves[i], err = solvers[kept[i].Prior].restored(kept[i])
		return err
	})
	if err != nil || len(curves) == 0 {
		return mixture{}, errors.Join(errKeptFit, err)
	}
	return byEvidence(curves), nil
}

func (s *solver) restored(k keptCurve) (*curve, error) {
	v, suspect := slices.Repeat([]float64{1}, s.n), []bool(nil)
	for i, down := range k.Down {
		if i < 0 || i >= s.n || !inside(down, 1, mostDownWeight) {
			return nil, errKeptFit
		}
		v[i], suspect = down, make([]bool, s.n)
	}
	for _, i := range k.Suspect {
		if i < 0 || i >= len(suspect) {
			return nil, errKeptFit
		}
		suspect[i] = true
	}
	if !inside(k.SF, leastSpread, mostSD) || !inside(k.SN, leastSpread, mostSD) || !inside(k.Band, 0, mostSD) ||
		len(k.Theta) != len(s.prior) {
		return nil, errKeptFit
	}
	chol, err := s.factor(k.SF, k.SN, v)
	if err != nil {
		return nil, err
	}
	d, res := s.descent(chol), make([]float64, s.n)
	d.objective(k.Theta, res)
	c, err := d.curve(k.Theta, res, k.SF, k.SN, v)
	if err != nil {
		return nil, err
	}
	c.score, c.suspect, c.origin = k.Score, suspect, k.Prior
	c.bandScale = func() float64 { return k.Band }
	return c, nil
}

// leastSpread is below the smallest deviation that a fit chooses.
const leastSpread = 1e-4
