package learn

import (
	"math"

	"jtune/learn/internal/parallel"
)

// Component is one fit of a mixture: its weight, and by setting the mean and standard deviation of ln y, without noise.
type Component struct {
	Weight   float64
	Mean, SD []float64
}

// Belief is Posterior with the fits whose weighted mixture it is, and what power owes to speed.
type Belief struct {
	*Posterior
	Time, Power []Component // Power assumes LnTime; nil without measured power
	// Work is the share of the predicted power that is work, which grows in proportion to speed.
	Work []float64
	// ScaleTime and ScalePower are the factors on the deviations by which the readings are as far from their
	// predictions as expected when they are left out.
	ScaleTime, ScalePower float64
}

// Belief predicts all settings in the order of Posterior.
func (s *Surrogate) Belief() *Belief {
	x := s.points()
	n := len(x)
	rTime, rPower := s.reference.over(s.space)
	b := &Belief{
		Posterior:  s.blank(n),
		Work:       make([]float64, n),
		ScalePower: 1,
		ScaleTime:  s.time.dominant().bandScale(),
	}
	b.Time = s.time.components(s.timeInputs(x, rTime), b.LnTime, b.SdTime)
	if len(s.power.curves) == 0 {
		for i := range n {
			b.LnPower[i], b.SdPower[i] = math.NaN(), math.NaN()
		}
		return b
	}
	b.ScalePower = s.power.dominant().bandScale()
	b.Power = s.power.components(s.powerInputs(x, rPower, b.LnTime), b.LnPower, b.SdPower)
	s.workShares(x, b.LnTime, b.Work)
	return b
}

// components evaluates every fit at all points, and writes the mixture's mean and standard deviation.
func (m mixture) components(at inputs, mean, sd []float64) []Component {
	n, out := len(mean), make([]Component, len(m.curves))
	for j := range out {
		out[j] = Component{m.weights[j], make([]float64, n), make([]float64, n)}
	}
	parallel.Ranges(n, func(from, to int) {
		k := m.newBlock()
		for i := from; i < to; i += len(k.r) {
			m.fill(k, at, i, to)
			last := min(len(k.r), to-i)
			for j, c := range m.curves {
				variance := c.posterior(k, k.z[j])
				for l := range last {
					out[j].Mean[i+l], out[j].SD[i+l] = k.z[j].mean[l], math.Sqrt(variance[l])
					mean[i+l] += m.weights[j] * k.z[j].mean[l]
				}
			}
			for l := range last {
				sum := 0.0
				for j := range out {
					sum += m.weights[j] * (square(out[j].SD[i+l]) + square(out[j].Mean[i+l]-mean[i+l]))
				}
				sd[i+l] = math.Sqrt(sum)
			}
		}
	})
	return out
}

// faster is the step of ln time by which workShares differentiates.
const faster = 0.01

// workShares writes −d ln P / d ln T of the likeliest formula.
func (t *timePowerModel) workShares(x []point, lnTime, out []float64) {
	likeliest := mixture{[]*curve{t.power.dominant()}, []float64{1}}
	shifted := make([]float64, len(x))
	for i, v := range lnTime {
		shifted[i] = v - faster
	}
	as, quick := t.powerInputs(x, nil, lnTime), t.powerInputs(x, nil, shifted)
	parallel.Ranges(len(x), func(from, to int) {
		base := make([]float64, to-from)
		likeliest.formulas(as, from, to, base)
		likeliest.formulas(quick, from, to, out[from:to])
		for i := range base {
			out[from+i] = min(max((out[from+i]-base[i])/faster, 0), 1)
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
