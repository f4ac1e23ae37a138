package learn

import (
	"fmt"
	"math"
)

// twin is the two fitted targets of one workload over points: time, and power
// whose formula needs the speed that the time model predicts. power has no
// curves where none was measured.
type twin struct {
	time, power mixture
	lnTimeTop   float64 // predicted ln time at the top point
	n           int     // samples
}

// hyper is the two families, with the hyper-parameters to start from.
type hyper struct{ time, power *family }

// residuals are a reference's at some points; nil without a reference.
type residuals struct{ time, power []float64 }

// fitTwin fits logarithms of time and power at x; lnPower nil: none was
// measured. top is the one point that
// speeds are relative to.
func fitTwin(x []point, lnTime, lnPower []float64, r residuals, top where, o SurrogateOptions, h hyper) (twin, error) {
	t := twin{n: len(x)}
	at := whereTime(h.time, x, r.time)
	var err error
	if t.time, err = h.time.mix(at, lnTime, o); err != nil {
		return t, fmt.Errorf("time model: %w", err)
	}
	t.lnTimeTop = t.meanTime(top)[0]
	if lnPower == nil {
		return t, nil
	}
	at = wherePower(h.power, x, r.power, t.lnTimeTop, t.meanTime(at))
	if t.power, err = h.power.mix(at, lnPower, o); err != nil {
		return t, fmt.Errorf("power model: %w", err)
	}
	return t, nil
}

// allEvidence is the weight from which one of two fits stands alone: the
// other would cost as much again and change nothing.
const allEvidence = 0.99

// mix fits without and, when there is a reference, with it, weighted by
// evidence: a reference that does not help fades out.
func (f *family) mix(at where, y []float64, o SurrogateOptions) (mixture, error) {
	k := f.amplitudes()
	d := data{x: at.x, y: y, l: make([]float64, len(y)*k)}
	for i := range y {
		at.terms(i, d.l[i*k:(i+1)*k])
	}
	alone, err := f.fit(d, o.Grid, o.Robust)
	if err != nil || at.r == nil || len(y) == 0 {
		return mixture{[]*curve{alone}, []float64{1}}, err
	}
	d.r = at.r
	with, err := f.fit(d, o.Grid, o.Robust)
	if err != nil {
		return mixture{}, err
	}
	trust := 1 / (1 + math.Exp(with.score-alone.score))
	switch {
	case trust > allEvidence:
		return mixture{[]*curve{with}, []float64{1}}, nil
	case trust < 1-allEvidence:
		return mixture{[]*curve{alone}, []float64{1}}, nil
	}
	return mixture{[]*curve{alone, with}, []float64{1 - trust, trust}}, nil
}

func whereTime(f *family, x []point, r []float64) where {
	return where{x: x, r: r, terms: func(i int, l []float64) { f.terms(x[i], 0, l) }}
}

// wherePower needs ln time at each point for its speed: batches per second,
// or, where the batch is a knob, samples per second.
func wherePower(f *family, x []point, r []float64, lnTimeTop float64, lnTime []float64) where {
	return where{x: x, r: r, terms: func(i int, l []float64) {
		f.terms(x[i], lnTimeTop-lnTime[i]+math.Ln2*x[i][batchInput], l)
	}}
}

func (t *twin) whereTime(x []point, r []float64) where { return whereTime(t.time.main().family, x, r) }

func (t *twin) wherePower(x []point, r, lnTime []float64) where {
	return wherePower(t.power.main().family, x, r, t.lnTimeTop, lnTime)
}

func (t *twin) meanTime(at where) []float64 {
	out := make([]float64, len(at.x))
	t.time.mean(at, out)
	return out
}

// trust is the weight of the fit that leans on the reference.
func (m mixture) trust() float64 {
	for i, c := range m.curves {
		if c.r != nil {
			return m.weights[i]
		}
	}
	return 0
}

// main is the curve that counts most.
func (m mixture) main() *curve {
	if len(m.curves) == 2 && m.weights[1] > m.weights[0] {
		return m.curves[1]
	}
	return m.curves[0]
}

// outlier tells whether sample i is one by the fit that counts most.
func (m mixture) outlier(i int) bool {
	return len(m.curves) > 0 && m.main().suspect != nil && m.main().suspect[i]
}

// hyper gives the families with the hyper-parameters that were chosen.
func (t *twin) hyper() hyper {
	tuned := func(m mixture) *family {
		if len(m.curves) == 0 {
			return nil // and never asked for
		}
		f := *m.main().family
		f.smooth, f.noise = m.main().sf, m.main().sn
		return &f
	}
	return hyper{tuned(t.time), tuned(t.power)}
}

// posterior is the belief at points.
func (t *twin) posterior(x []point, r residuals) *Posterior {
	n := len(x)
	p := &Posterior{LnTime: make([]float64, n), SdTime: make([]float64, n),
		LnPower: make([]float64, n), SdPower: make([]float64, n), SdPowerByTime: make([]float64, n),
		NoiseTime: t.time.noise(), NoisePower: t.power.noise(), DoF: max(t.n-5, 3)}
	atTime := t.whereTime(x, r.time)
	if len(t.power.curves) == 0 {
		for i := range n {
			p.LnPower[i], p.SdPower[i], p.SdPowerByTime[i] = math.NaN(), math.NaN(), math.NaN()
		}
		parallel(n, func(from, to int) { t.time.posterior(atTime, from, to, p.LnTime[from:to], p.SdTime[from:to]) })
		return p
	}
	atPower, slower, faster := t.wherePower(x, r.power, p.LnTime), make([]float64, n), make([]float64, n)
	atSlower, atFaster := t.wherePower(x, r.power, slower), t.wherePower(x, r.power, faster)
	parallel(n, func(from, to int) {
		t.time.posterior(atTime, from, to, p.LnTime[from:to], p.SdTime[from:to])
		t.power.posterior(atPower, from, to, p.LnPower[from:to], p.SdPower[from:to])
		l := make([]float64, t.power.main().family.amplitudes())
		for i := from; i < to; i++ { // speeds are relative to the top point, whose own doubt the amplitudes take up
			slower[i], faster[i] = p.LnTime[i]+p.SdTime[i], p.LnTime[i]-p.SdTime[i]
			p.SdPowerByTime[i] = math.Abs(t.power.formula(atFaster, i, l)-t.power.formula(atSlower, i, l)) / 2
		}
	})
	return p
}
