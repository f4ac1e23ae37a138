package learn

import (
	"fmt"
	"math"
	"slices"

	"jtune/learn/internal/parallel"
)

// timePowerModel holds the fitted time and power of one workload. The mean function of power needs the predicted speed.
// power has no curves without measured power.
type timePowerModel struct {
	time, power mixture
	lnTimeTop   float64 // predicted ln time at the top point
	n           int     // number of samples
	unlike      bool    // see SurrogateOptions
}

// hyperparameters are the two families with the initial or chosen values.
type hyperparameters struct{ time, power *family }

// powerAlone holds points with power but no time.
type powerAlone struct {
	x       []point
	lnPower []float64
	sd      []float64
	r       residuals
}

// residuals are a reference's residuals at some points; nil without a reference.
type residuals struct{ time, power []float64 }

// fitTimePower fits the logarithms of time and power at x; lnPower is nil without measured power. Speeds are relative
// to the single point in top.
func fitTimePower(
	x []point,
	lnTime, lnPower []float64,
	r residuals,
	more powerAlone,
	top inputs,
	o SurrogateOptions,
	h hyperparameters,
) (timePowerModel, error) {
	t := timePowerModel{n: len(x), unlike: o.Unlike}
	at := timeInputs(h.time, x, r.time)
	var err error
	if t.time, err = h.time.mix(at, lnTime, nil, o, ofTime); err != nil {
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
	if t.power, err = h.power.mix(at, lnPower, wide, o, ofPower); err != nil {
		return t, fmt.Errorf("power model: %w", err)
	}
	return t, nil
}

const (
	// mostFits is how many pairs of hyper-parameters are averaged for one prior, those of most evidence.
	mostFits = 5
	// leastEvidence is the share of the best fit's weight below which a fit is dropped: it would cost as much as the
	// others and change nothing.
	leastEvidence = 0.05
)

// mix fits without the reference and, if there is one, with it, at every pair of hyper-parameters, weighted by
// evidence, so that an unhelpful reference fades out. wide are standard deviations of y in addition to the noise; nil:
// none. A fit that is kept is taken over.
func (f *family) mix(at inputs, y, wide []float64, o SurrogateOptions, target int) (mixture, error) {
	k := f.amplitudes()
	d := data{x: at.x, y: y, wide: wide, earlier: o.Known, l: make([]float64, len(y)*k)}
	for i := range y {
		at.terms(i, d.l[i*k:(i+1)*k])
	}
	of := []data{d}
	if at.r != nil && len(y) > 0 {
		d.r = at.r
		of = append(of, d)
	}
	if o.kept != nil {
		return restored(f, of, o.kept.Targets[target])
	}
	fits := make([][]*curve, len(of))
	err := parallel.Each(len(fits), func(i int) (err error) {
		fits[i], err = f.fits(of[i], o)
		fits[i] = fits[i][:min(len(fits[i]), mostFits)]
		for _, c := range fits[i] {
			c.origin = i
		}
		return err
	})
	if err != nil {
		return mixture{}, err
	}
	return byEvidence(slices.Concat(fits...)), nil
}

// byEvidence weights curves of equal prior weight and drops those with negligible evidence.
func byEvidence(curves []*curve) (m mixture) {
	best := math.Inf(1)
	for _, c := range curves {
		best = min(best, c.score)
	}
	sum := 0.0
	for _, c := range curves {
		if w := math.Exp(best - c.score); w >= leastEvidence {
			c.whitener = c.joined()
			m.curves, m.weights, sum = append(m.curves, c), append(m.weights, w), sum+w
		}
	}
	for i := range m.weights {
		m.weights[i] /= sum
	}
	return m
}

func timeInputs(f *family, x []point, r []float64) inputs {
	return inputs{x: x, r: r, terms: func(i int, l []float64) { f.terms(x[i], 0, l) }}
}

// powerInputs needs ln time at each point for its speed: batches per second or, if the batch size is an input, samples
// per second.
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

// trust returns the weight of the fits with the reference.
func (m mixture) trust() float64 {
	sum := 0.0
	for i, c := range m.curves {
		if c.r != nil {
			sum += m.weights[i]
		}
	}
	return sum
}

// dominant returns the curve of the largest weight.
func (m mixture) dominant() *curve {
	best := 0
	for i, w := range m.weights {
		if w > m.weights[best] {
			best = i
		}
	}
	return m.curves[best]
}

// outlier reports whether the dominant curve finds sample i an outlier.
func (m mixture) outlier(i int) bool {
	return len(m.curves) > 0 && m.dominant().suspect != nil && m.dominant().suspect[i]
}

// hyperparameters returns the families with the chosen values.
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

// posterior predicts time and power at points.
func (t *timePowerModel) posterior(x []point, r residuals) *Posterior {
	n, p := len(x), t.blank(len(x))
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

// blank returns a posterior of n settings without predictions.
func (t *timePowerModel) blank(n int) *Posterior {
	return &Posterior{
		LnTime:     make([]float64, n),
		SdTime:     make([]float64, n),
		LnPower:    make([]float64, n),
		SdPower:    make([]float64, n),
		NoiseTime:  t.time.noise(),
		NoisePower: t.power.noise(),
		readings:   t.n,
		fit:        t,
	}
}

// powerAsFast returns the formula's ln power at points if their times were z standard deviations shorter than
// predicted.
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

// sdPowerByTime returns the part of the standard deviation of ln power that comes from the uncertainty of time, at
// points with posterior p; NaN without measured power.
func (t *timePowerModel) sdPowerByTime(x []point, p *Posterior) []float64 {
	if len(t.power.curves) == 0 {
		return slices.Repeat([]float64{math.NaN()}, len(x))
	}
	// speeds are relative to the top point, whose uncertainty is in the amplitudes
	slower, out := t.powerAsFast(x, p, -1), t.powerAsFast(x, p, 1)
	for i, v := range slower {
		out[i] = math.Abs(out[i]-v) / 2
	}
	return out
}
