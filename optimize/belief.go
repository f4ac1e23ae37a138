package optimize

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"

	"jtune/learn"
	"jtune/tegra"
)

// The state of a search: the posterior of the true time and power of every setting, given all readings (docs/method.md,
// Search rule). A measured setting's is the model's prediction updated by its own readings: a lucky one is shrunk, a
// second one narrows it, a contradicting one widens it.

const (
	// readingSD is the relative error of a reading, in time and in power, before any is repeated.
	readingSD = 0.01
	// priorDoF is how many degrees of freedom the errors have before there are readings: fewer have fatter tails.
	priorDoF = 3
	// farReading is how far a reading may be off before it counts no further in the error of all, in readingSD.
	farReading = 4
)

// belief is the posterior by setting, in logarithms.
type belief struct {
	source         *learn.Belief
	worked         []bool            // settings whose values are worked out
	time, power    []learn.Component // of true values; power assumes the mean time
	lnT, sT        []float64         // of their mixtures
	lnP, sP        []float64
	work           []float64 // share of power in proportion to speed
	errorT, errorP float64   // standard deviation of a reading
	ownT, ownP     float64   // of what a setting is off what its neighbours predict
	tails          *tails
}

// believe returns the posterior after the newest fit.
func (s *search) believe() *belief {
	if s.belief == nil {
		s.belief = s.trueValues()
	}
	return s.belief
}

func (s *search) trueValues() *belief {
	m := s.model.Belief()
	b := &belief{source: m, worked: make([]bool, s.places.Len()), time: m.Time, power: m.Power, lnT: m.LnTime,
		sT: m.SdTime, lnP: m.LnPower, sP: m.SdPower, work: m.Work, tails: newTails(priorDoF + float64(len(s.order)))}
	b.errorT, b.errorP = s.readingErrors()
	b.ownT, b.ownP = own(m.NoiseTime, b.errorT), own(m.NoisePower, b.errorP)
	b.know(s.order)
	for _, o := range s.tooMuch {
		b.know([]int{s.at(o.Setting)})
	}
	fitted := 0
	for _, i := range s.order {
		if !s.fitted(i) {
			continue
		}
		r := s.gauge(i, b)
		time, power := s.model.NoiseFactors(fitted)
		fitted++
		correct(b.time, b.lnT, b.sT, b.ownT, i, r.lnT, r.noiseT*time)
		correct(b.power, b.lnP, b.sP, b.ownP, i, r.lnP, r.noiseP*power)
		b.work[i] *= 1 - weight(b.ownP, r.noiseP*power)
	}
	return b
}

// know works out the predictions of settings: those of true values, with each setting's own part.
func (b *belief) know(list []int) {
	known := func(i int) bool { return b.worked[i] }
	if list = slices.DeleteFunc(slices.Clone(list), known); len(list) == 0 { // most often: each setting's terms ask
		return
	}
	b.source.Evaluate(list)
	for _, i := range list {
		b.worked[i] = true
		widen(b.time, b.sT, i, b.source.ScaleTime, b.ownT)
		widen(b.power, b.sP, i, b.source.ScalePower, b.ownP)
	}
}

func widen(list []learn.Component, sd []float64, i int, scale, own float64) {
	for _, c := range list {
		c.SD[i] = math.Hypot(scale*c.SD[i], own)
	}
	sd[i] = math.Hypot(scale*sd[i], own)
}

// gauged is the mean of a setting's readings, in logarithms, with its variances.
type gauged struct{ lnT, lnP, noiseT, noiseP float64 }

// own returns the standard deviation of a setting's own part in a sample's noise.
func own(noise, reading float64) float64 {
	return math.Sqrt(max(square(noise)-square(reading), square(reading)/4))
}

// weight returns how far the true value of a setting follows its readings, with the variance of their mean.
func weight(own, variance float64) float64 { return square(own) / (square(own) + variance) }

// correct updates a setting's prediction with the mean of its readings.
func correct(list []learn.Component, mean, sd []float64, own float64, i int, ln, variance float64) {
	k := weight(own, variance)
	about := func(mean, sd *float64) {
		neighbours := max(square(*sd)-square(own), 0)
		*mean, *sd = (1-k)**mean+k*ln, math.Sqrt(square(1-k)*neighbours+k*variance)
	}
	for _, c := range list {
		about(&c.Mean[i], &c.SD[i])
	}
	about(&mean[i], &sd[i])
}

// gauge returns what setting i read, with the variances of its own scatter and of all settings' together.
func (s *search) gauge(i int, b *belief) gauged {
	m := s.mean(i)
	r := gauged{lnT: math.Log(m.TimeMS), lnP: math.Log(m.PowerW)}
	list := s.readings[i]
	n := float64(len(list))
	if n == 0 { // of another day
		time, power := s.offset(b.errorT, timeOf), s.offset(b.errorP, powerOf)
		return gauged{
			r.lnT + time.ln,
			r.lnP + power.ln,
			square(b.errorT) + time.variance,
			square(b.errorP) + power.variance,
		}
	}
	scatterT, scatterP := priorDoF*square(b.errorT), priorDoF*square(b.errorP)
	for _, v := range list {
		scatterT += square(math.Log(v.TimeMS) - r.lnT)
		scatterP += square(math.Log(v.PowerW) - r.lnP)
	}
	r.noiseT, r.noiseP = scatterT/(priorDoF+n-1)/n, scatterP/(priorDoF+n-1)/n
	return r
}

// offset is how far readings of another day are off today's.
type offset struct{ ln, variance float64 }

// offset returns the posterior of the offset of what is known, by the settings that were measured again.
func (s *search) offset(reading float64, of func(tegra.Measured) float64) offset {
	weights, sum := 1/square(learn.OffsetSD), 0.0
	for _, i := range s.order {
		if m, ok := s.known[i]; ok && len(s.readings[i]) > 0 {
			w := 1 / (square(reading) + square(reading)/float64(len(s.readings[i])))
			weights, sum = weights+w, sum+w*math.Log(of(s.mean(i))/of(s.drift.Of(m)))
		}
	}
	return offset{sum / weights, 1 / weights}
}

func timeOf(m tegra.Measured) float64 { return m.TimeMS }

func powerOf(m tegra.Measured) float64 { return m.PowerW }

// readingErrors returns the standard deviations of a reading's ln time and ln power, by repeated readings.
func (s *search) readingErrors() (time, power float64) {
	sumT, sumP, dof := priorDoF*square(readingSD), priorDoF*square(readingSD), float64(priorDoF)
	for _, i := range s.order { // in order, as sums of numbers depend on it
		list := s.readings[i]
		if len(list) < 2 {
			continue
		}
		m := s.mean(i)
		for _, v := range list {
			sumT += min(square(math.Log(v.TimeMS/m.TimeMS)), square(farReading*readingSD))
			sumP += min(square(math.Log(v.PowerW/m.PowerW)), square(farReading*readingSD))
		}
		dof += float64(len(list) - 1)
	}
	return math.Sqrt(sumT / dof), math.Sqrt(sumP / dof)
}

// mean returns what a setting read: the mean of two readings, the median of more, or what it read on another day.
func (s *search) mean(i int) tegra.Measured {
	list := s.readings[i]
	if len(list) == 0 {
		return s.drift.Of(s.known[i])
	}
	of := tegra.BySetting(list)[0]
	m := of.Median()
	m.Setting, m.Errors = s.places.At(i), of.Mean().Errors
	return m
}

// told is the mean of the readings of a setting, as an answer tells it.
func (s *search) told(i int) tegra.Mean {
	if len(s.readings[i]) == 0 {
		return tegra.Mean{Measured: s.mean(i)}
	}
	m := tegra.BySetting(s.readings[i])[0].Mean()
	m.Setting = s.places.At(i)
	return m
}

// rise returns by how much ln power grows if a setting is ln faster by x, work being that share of its power.
func rise(work, x float64) float64 { return math.Log1p(work * math.Expm1(x)) }

// tails is Student's distribution of the errors, tabulated.
type tails struct {
	dof        float64
	cdfs, pdfs []float64 // from -far to far
	slabs      []slab    // for integrals
}

type slab struct{ u, w float64 }

const (
	far      = 12.0
	perUnit  = 40
	slabsOf  = 12
	slabsFar = 4.5
)

func newTails(dof float64) *tails {
	d := distuv.StudentsT{Sigma: 1, Nu: dof}
	t := &tails{dof: dof}
	for k := 0; k <= 2*far*perUnit; k++ {
		z := float64(k)/perUnit - far
		t.cdfs, t.pdfs = append(t.cdfs, d.CDF(z)), append(t.pdfs, d.Prob(z))
	}
	sum := 0.0
	for k := range slabsOf {
		u := slabsFar * (2*(float64(k)+0.5)/slabsOf - 1)
		w := d.Prob(u)
		sum += w
		t.slabs = append(t.slabs, slab{u, w})
	}
	for k := range t.slabs {
		t.slabs[k].w /= sum
	}
	return t
}

func (t *tails) at(table []float64, z float64) float64 {
	x := min(max((z+far)*perUnit, 0), float64(len(table)-2))
	k := int(x)
	f := x - float64(k)
	return table[k]*(1-f) + table[k+1]*f
}

func (t *tails) cdf(z float64) float64 { return t.at(t.cdfs, z) }

// below returns E[(most − X) ; X ≤ end] of a variable X.
func (t *tails) below(most, end, mean, sd float64) float64 {
	z := (end - mean) / sd
	if z < -far {
		return 0
	}
	density := t.at(t.pdfs, z) * (t.dof + z*z) / (t.dof - 1)
	return max(0, (most-mean)*t.cdf(z)+sd*density)
}

// quantile returns the deviations that a share of the errors is below.
func (t *tails) quantile(share float64) float64 {
	return distuv.StudentsT{Sigma: 1, Nu: t.dof}.Quantile(share)
}

func square(x float64) float64 { return x * x }

// argmax keeps the first index of the largest value; a second value breaks ties.
type argmax struct {
	index       int
	value, then float64
}

func newArgmax() argmax { return argmax{index: -1} }

func (a *argmax) offer(i int, value, then float64) {
	if a.index < 0 || value > a.value || value == a.value && then > a.then {
		*a = argmax{i, value, then}
	}
}
