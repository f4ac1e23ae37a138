package learn

import (
	"fmt"
	"math"
	"slices"

	"jtune/learn/internal/parallel"
)

// timePowerModel is the two fitted targets of one workload: time, and power, whose
// mean function needs the speed that the time model predicts. power has no curves
// where none was measured.
type timePowerModel struct {
	time, power mixture
	lnTimeTop   float64 // predicted ln time at the top point
	n           int     // samples
}

// hyperparameters are the two families with the values to start from.
type hyperparameters struct{ time, power *family }

// powerAlone are points where power was read and no time.
type powerAlone struct {
	x       []point
	lnPower []float64
	sd      []float64
	r       residuals
}

// residuals are a reference's at some points; nil without a reference.
type residuals struct{ time, power []float64 }

// fitTimePower fits the logarithms of time and power at x; lnPower nil: none was
// measured. Speeds are relative to the one point of top.
func fitTimePower(
	x []point,
	lnTime, lnPower []float64,
	r residuals,
	more powerAlone,
	top inputs,
	o SurrogateOptions,
	h hyperparameters,
) (timePowerModel, error) {
	t := timePowerModel{n: len(x)}
	at := timeInputs(h.time, x, r.time)
	var err error
	if t.time, err = h.time.mix(at, lnTime, nil, o, o.Reference.transfer(ofTime)); err != nil {
		return t, fmt.Errorf("time model: %w", err)
	}
	t.lnTimeTop = t.meanTime(top)[0]
	if lnPower == nil {
		return t, nil
	}
	var wide []float64
	if len(more.x) > 0 {
		x, lnPower = append(slices.Clone(x), more.x...), append(slices.Clone(lnPower), more.lnPower...)
		wide = append(make([]float64, t.n), more.sd...)
		if r.power != nil {
			r.time = append(slices.Clone(r.time), more.r.time...)
			r.power = append(slices.Clone(r.power), more.r.power...)
		}
		at = timeInputs(h.time, x, r.time)
	}
	at = powerInputs(h.power, x, r.power, t.lnTimeTop, t.meanTime(at))
	if t.power, err = h.power.mix(at, lnPower, wide, o, o.Reference.transfer(ofPower)); err != nil {
		return t, fmt.Errorf("power model: %w", err)
	}
	return t, nil
}

// leastEvidence is the weight below which a fit is left out: it would cost as much as the others and change nothing.
const leastEvidence = 0.01

// mix fits without and, when there is a reference, with it, weighted by evidence: a reference that does not help fades
// out. For a wary reference there are two fits with it, with a board's prior at its own width and with deviations
// several times as wide, which a workload unlike those that it was learned from needs: the board's residual is its own
// all the same (docs/decisions/032-unseen-workloads.md). wide are deviations of the values of y beside the noise; nil:
// none.
func (f *family) mix(at inputs, y, wide []float64, o SurrogateOptions, t transfer) (mixture, error) {
	k := f.amplitudes()
	d := data{x: at.x, y: y, wide: wide, l: make([]float64, len(y)*k)}
	for i := range y {
		at.terms(i, d.l[i*k:(i+1)*k])
	}
	plain, with := *f, d
	plain.prior, with.r, with.carries = nil, at.r, t.carries
	families, of := []*family{&plain}, []data{d}
	if at.r != nil && (len(y) > 0 || t.prior != nil) {
		for i, q := range t.priors() {
			learned := *f
			learned.prior, learned.wide = q, i > 0
			families, of = append(families, &learned), append(of, with)
		}
	}
	if len(y) == 0 && len(families) > 1 { // nothing speaks for the fit without
		families, of = families[1:2], of[1:2]
	}
	curves := make([]*curve, len(families))
	err := parallel.Each(len(curves), func(i int) (err error) {
		curves[i], err = families[i].fit(of[i], o.Grid, o.Robust)
		return err
	})
	if err != nil {
		return mixture{}, err
	}
	return byEvidence(curves), nil
}

// byEvidence weights curves of equal prior weight, those of hardly any evidence left out.
func byEvidence(curves []*curve) mixture {
	weights := func() []float64 {
		out := make([]float64, len(curves))
		for i, c := range curves {
			for _, other := range curves {
				out[i] += math.Exp(c.score - other.score)
			}
			out[i] = 1 / out[i]
		}
		return out
	}
	var kept []*curve
	for i, w := range weights() {
		if w >= leastEvidence {
			kept = append(kept, curves[i])
		}
	}
	curves = kept
	return mixture{curves, weights()}
}

func timeInputs(f *family, x []point, r []float64) inputs {
	return inputs{x: x, r: r, terms: func(i int, l []float64) { f.terms(x[i], 0, l) }}
}

// wherePower needs ln time at each point for its speed: batches per second,
// or, where the batch is a knob, samples per second.
func powerInputs(f *family, x []point, r []float64, lnTimeTop float64, lnTime []float64) inputs {
	return inputs{x: x, r: r, terms: func(i int, l []float64) {
		f.terms(x[i], lnTimeTop-lnTime[i]+math.Ln2*x[i][batchInput], l)
	}}
}

func (t *timePowerModel) timeInputs(x []point, r []float64) inputs {
	return timeInputs(t.time.dominant().family, x, r)
}

func (t *timePowerModel) powerInputs(x []point, r, lnTime []float64) inputs {
	return powerInputs(t.power.dominant().family, x, r, t.lnTimeTop, lnTime)
}

func (t *timePowerModel) meanTime(at inputs) []float64 {
	out := make([]float64, len(at.x))
	t.time.mean(at, out)
	return out
}

// trust is the weight of the fit with the reference.
func (m mixture) trust() float64 {
	sum := 0.0
	for i, c := range m.curves {
		if c.r != nil {
			sum += m.weights[i]
		}
	}
	return sum
}

// trustInPrior is the weight of the fit with a board's prior at its own width.
func (m mixture) trustInPrior() float64 {
	for i, c := range m.curves {
		if c.family.prior != nil && !c.family.wide {
			return m.weights[i]
		}
	}
	return 0
}

// dominant is the curve of the larger weight.
func (m mixture) dominant() *curve {
	best := 0
	for i, w := range m.weights {
		if w > m.weights[best] {
			best = i
		}
	}
	return m.curves[best]
}

// outlier reports whether sample i is one by the dominant curve.
func (m mixture) outlier(i int) bool {
	return len(m.curves) > 0 && m.dominant().suspect != nil && m.dominant().suspect[i]
}

// hyperparameters are the families with the values that were chosen.
func (t *timePowerModel) hyperparameters() hyperparameters {
	tuned := func(m mixture) *family {
		if len(m.curves) == 0 {
			return nil // never used
		}
		f := *m.dominant().family
		f.smooth, f.noise = m.dominant().sf, m.dominant().sn
		return &f
	}
	return hyperparameters{tuned(t.time), tuned(t.power)}
}

// posterior predicts at points.
func (t *timePowerModel) posterior(x []point, r residuals) *Posterior {
	n := len(x)
	p := &Posterior{
		LnTime:     make([]float64, n),
		SdTime:     make([]float64, n),
		LnPower:    make([]float64, n),
		SdPower:    make([]float64, n),
		NoiseTime:  t.time.noise(),
		NoisePower: t.power.noise(),
		readings:   t.n,
		prior:      min(t.time.trustInPrior(), t.power.trustInPrior()),
	}
	atTime := t.timeInputs(x, r.time)
	if len(t.power.curves) == 0 {
		for i := range n {
			p.LnPower[i], p.SdPower[i] = math.NaN(), math.NaN()
		}
		parallel.Ranges(n, func(from, to int) {
			t.time.posterior(atTime, from, to, p.LnTime[from:to], p.SdTime[from:to])
		})
		return p
	}
	atPower := t.powerInputs(x, r.power, p.LnTime)
	parallel.Ranges(n, func(from, to int) {
		t.time.posterior(atTime, from, to, p.LnTime[from:to], p.SdTime[from:to])
		t.power.posterior(atPower, from, to, p.LnPower[from:to], p.SdPower[from:to])
	})
	return p
}

// powerIfFaster is by how much ln power at points would be higher if their times were z standard deviations
// shorter than predicted; at least 0.
func (t *timePowerModel) powerIfFaster(x []point, p *Posterior, z float64) []float64 {
	if len(t.power.curves) == 0 {
		return make([]float64, len(x))
	}
	as, out := t.powerAsFast(x, p, 0), t.powerAsFast(x, p, z)
	for i, v := range as {
		out[i] = max(0, out[i]-v)
	}
	return out
}

// powerAsFast is what the formula says of ln power at points if their times were z standard deviations shorter
// than predicted.
func (t *timePowerModel) powerAsFast(x []point, p *Posterior, z float64) []float64 {
	out, lnTime := make([]float64, len(x)), make([]float64, len(x))
	at := t.powerInputs(x, nil, lnTime)
	parallel.Ranges(len(x), func(from, to int) {
		for i := from; i < to; i++ {
			lnTime[i] = p.LnTime[i] - z*p.SdTime[i]
		}
		t.power.formulas(at, from, to, out[from:to])
	})
	return out
}

// sdPowerByTime is what the uncertainty of the time adds to the standard deviation of
// ln power at points whose posterior is p; NaN where power was not measured.
func (t *timePowerModel) sdPowerByTime(x []point, p *Posterior) []float64 {
	if len(t.power.curves) == 0 {
		return slices.Repeat([]float64{math.NaN()}, len(x))
	}
	// speeds are relative to the top point, whose own uncertainty is in the amplitudes
	slower, out := t.powerAsFast(x, p, -1), t.powerAsFast(x, p, 1)
	for i, v := range slower {
		out[i] = math.Abs(out[i]-v) / 2
	}
	return out
}
