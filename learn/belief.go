package learn

import (
	"math"

	"jtune/learn/internal/parallel"
	"jtune/tegra"
)

// Component is one fit of a mixture: its weight, and by setting the mean and standard deviation of ln y, without noise.
type Component struct {
	Weight   float64
	Mean, SD []float64
}

// Belief is the posterior of the settings asked for, by their index in the order of Posterior, with the fits whose
// weighted mixture it is and what power owes to speed. Other entries are 0.
type Belief struct {
	*Posterior
	Time, Power []Component // Power assumes LnTime; nil without measured power
	// Work is the share of the predicted power that is work, which grows in proportion to speed.
	Work []float64
	// ScaleTime and ScalePower are the factors on the deviations by which the readings are as far from their
	// predictions as expected when they are left out.
	ScaleTime, ScalePower float64
	model                 *Surrogate
}

// Belief returns a belief that knows no setting yet.
func (s *Surrogate) Belief() *Belief {
	n := s.places().Len()
	b := &Belief{Posterior: s.blank(n), Time: s.time.blank(n), Power: s.power.blank(n), Work: make([]float64, n),
		ScaleTime: s.time.dominant().bandScale(), ScalePower: 1, model: s}
	if len(s.power.curves) > 0 {
		b.ScalePower = s.power.dominant().bandScale()
	}
	return b
}

// Evaluate predicts settings.
func (b *Belief) Evaluate(index []int) {
	s, all := b.model, b.model.points()
	x, lnTime := make([]point, len(index)), make([]float64, len(index))
	for k, i := range index {
		x[k] = all[i]
	}
	var rTime, rPower []float64
	if s.reference != nil {
		rTime, rPower = s.reference.atIndexes(s.space, index, tegra.ModesOf(s.settingsAt(index)))
	}
	s.time.components(s.timeInputs(x, rTime), index, b.Time, b.LnTime, b.SdTime)
	if len(s.power.curves) == 0 {
		for _, i := range index {
			b.LnPower[i], b.SdPower[i] = math.NaN(), math.NaN()
		}
		return
	}
	for k, i := range index {
		lnTime[k] = b.LnTime[i]
	}
	s.power.components(s.powerInputs(x, rPower, lnTime), index, b.Power, b.LnPower, b.SdPower)
	s.workShares(x, lnTime, index, b.Work)
}

// blank returns the components of a mixture without predictions.
func (m mixture) blank(n int) (out []Component) {
	for _, weight := range m.weights {
		out = append(out, Component{weight, make([]float64, n), make([]float64, n)})
	}
	return out
}

// components evaluates every fit at points with these indices, and writes the mixture's mean and standard deviation.
func (m mixture) components(at inputs, index []int, out []Component, mean, sd []float64) {
	parallel.Ranges(len(index), func(from, to int) {
		k := m.newBlock()
		for first := from; first < to; first += len(k.r) {
			m.fill(k, at, first, to)
			block := index[first:min(first+len(k.r), to)]
			for _, i := range block {
				mean[i] = 0
			}
			for j, c := range m.curves {
				variance := c.posterior(k, k.z[j])
				for l, i := range block {
					out[j].Mean[i], out[j].SD[i] = k.z[j].mean[l], math.Sqrt(variance[l])
					mean[i] += m.weights[j] * k.z[j].mean[l]
				}
			}
			for _, i := range block {
				sum := 0.0
				for j := range out {
					sum += m.weights[j] * (square(out[j].SD[i]) + square(out[j].Mean[i]-mean[i]))
				}
				sd[i] = math.Sqrt(sum)
			}
		}
	})
}

// faster is the step of ln time by which workShares differentiates.
const faster = 0.01

// workShares writes −d ln P / d ln T of the likeliest formula at points with these indices.
func (t *timePowerModel) workShares(x []point, lnTime []float64, index []int, out []float64) {
	likeliest := mixture{[]*curve{t.power.dominant()}, []float64{1}}
	shifted := make([]float64, len(x))
	for i, v := range lnTime {
		shifted[i] = v - faster
	}
	as, quick := t.powerInputs(x, nil, lnTime), t.powerInputs(x, nil, shifted)
	parallel.Ranges(len(x), func(from, to int) {
		base, raised := make([]float64, to-from), make([]float64, to-from)
		likeliest.formulas(as, from, to, base)
		likeliest.formulas(quick, from, to, raised)
		for k := range base {
			out[index[from+k]] = min(max((raised[k]-base[k])/faster, 0), 1)
		}
	})
}

// NoiseFactors returns by how much the variances of the k-th sample's time and power were raised because it is far from
// what the others predict; 1: not.
func (s *Surrogate) NoiseFactors(k int) (time, power float64) {
	time, power = s.time.dominant().v[k], 1
	if len(s.power.curves) > 0 {
		power = s.power.dominant().v[k]
	}
	return time, power
}
