package population

import (
	"context"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"jtune/tegra"
)

// Constants of the textbook's method.
const (
	rawStart = 5     // random modes
	rawLeast = 0.002 // of expected improvement in the goal's logarithm, at which it ends
	rawNoise = 0.02  // of standardised readings
)

var rawScales = []float64{0.2, 0.4, 0.8, 1.6}

// rawEI is Bayesian optimisation without knowledge of boards: Gaussian processes of ln time and ln power on the knobs,
// scaled to 0 to 1, and the expected improvement times the chance to keep the limit.
func rawEI(ctx context.Context, q *question, _ []tegra.Measured) (found, error) {
	var low, span [tegra.NumKnobs]float64
	for k := range low {
		v := q.space.Values(tegra.Knob(k))
		low[k], span[k] = v[0], max(v[len(v)-1]-v[0], 1)
	}
	features := func(m tegra.Mode) (x [tegra.NumKnobs]float64) {
		for k := range x {
			x[k] = (m.Value(tegra.Knob(k)) - low[k]) / span[k]
		}
		return x
	}
	rng := rand.New(rand.NewPCG(q.visit, 0x72617765))
	var x [][tegra.NumKnobs]float64
	var readings []tegra.Measured
	for next := q.present.Mode; ; {
		m, err := q.measure(ctx, tegra.Setting{Mode: next})
		if err != nil {
			return found{}, err
		}
		readings, x = append(readings, m), append(x, features(next))
		if len(readings) <= rawStart {
			next = q.space.At(rng.IntN(q.space.Len()))
			continue
		}
		goal, limit := make([]float64, len(x)), make([]float64, len(x))
		best := math.Inf(1)
		for i, r := range readings {
			goal[i], limit[i] = math.Log(q.limit.Aim().Aim(r)), over(r, q.limit)
			if limit[i] <= 0 {
				best = min(best, goal[i])
			}
		}
		f, most := fitRaw(x, goal), 0.0
		var g *rawGP
		if !math.IsInf(limit[0], -1) {
			g = fitRaw(x, limit)
		}
		for i, m := range q.space.All() {
			if q.read[q.truth[i].Setting] > 0 {
				continue
			}
			at, chance := features(m), 1.0
			if g != nil {
				mean, sd := g.at(at)
				chance = distuv.UnitNormal.CDF(-mean / sd)
			}
			gain := 1.0 // without an answer, only the chance counts
			if !math.IsInf(best, 1) {
				mean, sd := f.at(at)
				z := (best - mean) / sd
				gain = sd * (z*distuv.UnitNormal.CDF(z) + distuv.UnitNormal.Prob(z))
			}
			if gain*chance > most {
				most, next = gain*chance, m
			}
		}
		if len(readings) >= mostPeer || most < rawLeast {
			return bestRead(readings[1:], q), nil
		}
	}
}

// rawGP is a Gaussian process on standardised values.
type rawGP struct {
	x        [][tegra.NumKnobs]float64
	mean, sd float64
	scale    float64
	chol     mat.Cholesky
	alpha    *mat.VecDense
}

// fitRaw returns the process with the length scale of most evidence.
func fitRaw(x [][tegra.NumKnobs]float64, y []float64) (best *rawGP) {
	mean, sd := stat.MeanStdDev(y, nil)
	sd = max(sd, 1e-6)
	v, most := mat.NewVecDense(len(y), nil), math.Inf(-1)
	for i := range y {
		v.SetVec(i, (y[i]-mean)/sd)
	}
	for _, scale := range rawScales {
		g := &rawGP{x: x, mean: mean, sd: sd, scale: scale, alpha: mat.NewVecDense(len(y), nil)}
		k := mat.NewSymDense(len(x), nil)
		for i := range x {
			for j := range i + 1 {
				k.SetSym(i, j, g.kernel(x[i], x[j]))
			}
			k.SetSym(i, i, 1+rawNoise*rawNoise)
		}
		if !g.chol.Factorize(k) || g.chol.SolveVecTo(g.alpha, v) != nil {
			continue
		}
		if e := -mat.Dot(v, g.alpha)/2 - g.chol.LogDet()/2; e > most {
			best, most = g, e
		}
	}
	return best
}

// kernel is Matérn's with 5/2.
func (g *rawGP) kernel(a, b [tegra.NumKnobs]float64) float64 {
	sum := 0.0
	for k := range a {
		sum += (a[k] - b[k]) * (a[k] - b[k])
	}
	r := math.Sqrt(5*sum) / g.scale
	return (1 + r + r*r/3) * math.Exp(-r)
}

func (g *rawGP) at(x [tegra.NumKnobs]float64) (mean, sd float64) {
	k, z := mat.NewVecDense(len(g.x), nil), mat.NewVecDense(len(g.x), nil)
	for i := range g.x {
		k.SetVec(i, g.kernel(x, g.x[i]))
	}
	_ = g.chol.SolveVecTo(z, k)
	return g.mean + g.sd*mat.Dot(k, g.alpha), g.sd * math.Sqrt(max(1e-9, 1-mat.Dot(k, z)))
}
