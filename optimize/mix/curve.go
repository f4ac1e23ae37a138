package mix

// A screen shows the behaviour of every mode under a load, and simulating each would take minutes. A queue depends only
// on service times, so it is simulated at a grid of service times and interpolated between them in logarithms. If
// partial batches may leave, it also depends on their times, as shares of a full batch's.

import (
	"math"
	"sort"
	"sync"

	"jtune/internal/arrivals"
	"jtune/internal/stats"
	"jtune/optimize/standing"
	"jtune/tegra"
	"jtune/tegra/metric"
)

const (
	curveStep = 0.04 // step between two service times, in logarithms
	curveSpan = 12   // range below the longest service time, in logarithms
	finer     = 1000 // parts of a step in which that time is sought
	// partShare is the resolution of a partial batch's time, as a share of a full one's: these times have many forms,
	// of which few differ visibly.
	partShare = 0.1
)

// LoadCurve is the latency of a load as a function of service time. It is safe for concurrent use.
type LoadCurve struct {
	ask   Ask
	infer Phase
	*simulated
}

// simulated holds the simulations of one load.
type simulated struct {
	at     sync.Map // queued by curveAt
	limits sync.Map // the slowest by limitAt
}

// limitAt is a limit on latency for a batch size, with the longest service time that others allow.
type limitAt struct {
	curveAt
	latencyMS, most float64
	off             correction
}

// curveAt is a service time of a batch size, in steps of its logarithm; parts encodes the times of smaller batches.
type curveAt struct {
	batch, step int
	parts       string
}

// queued is a simulation's result. A latency grows as 1/(1 − busy share of the server), so its logarithm without that
// factor is interpolated.
type queued struct{ lnLatency, busy float64 }

// lnGrowth returns the logarithm of that factor for a service time.
func (c *LoadCurve) lnGrowth(batch int, s float64) float64 {
	return -math.Log(max(0.001, 1-s*c.ask.Load.RatePerS/float64(batch)))
}

// NewLoadCurve returns a curve without simulations.
func (a *Ask) NewLoadCurve(infer Phase) *LoadCurve {
	return &LoadCurve{*a, infer, &simulated{}}
}

// With returns the curve for another ask, reusing simulations if the load is the same.
func (c *LoadCurve) With(a Ask) *LoadCurve {
	next := a.NewLoadCurve(c.infer)
	if c.ask.SameLoad(a) {
		next.simulated = c.simulated
	}
	return next
}

// SameLoad reports whether two asks have the same load and quantile; their limits may differ.
func (a *Ask) SameLoad(b Ask) bool {
	x, y := a.Load, b.Load
	sameTrace := len(x.TraceS) == len(y.TraceS) && (len(x.TraceS) == 0 || &x.TraceS[0] == &y.TraceS[0])
	return sameTrace && x.Pattern == y.Pattern && x.RatePerS == y.RatePerS && x.Outstanding == y.Outstanding &&
		a.MaxWait == b.MaxWait && a.quantile() == b.quantile() && a.Seed == b.Seed
}

// parts returns the times of partial batches as shares of a full one's; nil if all batches are full.
func (c *LoadCurve) parts(at tegra.Setting) []float64 {
	if c.ask.MaxWait == 0 {
		return nil
	}
	at = at.WithBatch(1)
	shares := c.infer.times(at, 1)
	full := shares[at.Batch]
	for k := range shares {
		shares[k] = math.Round(shares[k]/full/partShare) * partShare
	}
	return shares
}

func keyOf(parts []float64) (key string) {
	for _, p := range parts {
		key += string(rune('0' + int(math.Round(p/partShare))))
	}
	return key
}

// point returns the queue at a step.
func (c *LoadCurve) point(batch, step int, parts []float64) queued {
	key := curveAt{batch, step, keyOf(parts)}
	if q, known := c.at.Load(key); known {
		return q.(queued)
	}
	s := math.Exp(float64(step) * curveStep)
	sim := Queueing{Load: c.ask.Load, Batching: arrivals.Batching{Size: batch, MaxWait: c.ask.MaxWait},
		ServeS: make([]float64, batch+1), Seed: c.ask.Seed}
	for k := range sim.ServeS {
		sim.ServeS[k] = s
		if parts != nil {
			sim.ServeS[k] = s * parts[k]
		}
	}
	w := sim.Simulate()
	ln := math.Log(stats.NearestRankOf(w.LatenciesMS, c.ask.quantile()))
	q := queued{ln - c.lnGrowth(batch, s), w.BusyS / w.SpanS}
	c.at.Store(key, q)
	return q
}

// Estimate is Ask.Evaluate without a simulation of this setting: it interpolates latency and energy, and does not judge
// the latency.
func (c *LoadCurve) Estimate(at tegra.Setting) (Outcome, bool) {
	o, ok := c.ask.bound(at, c.infer, Phase{})
	if !ok || !c.ask.simulates() || o.Rho > c.ask.mostBusy() {
		return o, ok
	}
	batch, parts := max(1, at.Batch), c.parts(at)
	place := math.Log(o.TimeMS/1000) / curveStep
	step := int(math.Floor(place))
	lo, hi, share := c.point(batch, step, parts), c.point(batch, step+1, parts), place-float64(step)
	o.LatencyMS = math.Exp(c.lnLatency(batch, parts, place))
	c.ask.spend(&o, lo.busy+share*(hi.busy-lo.busy), 0)
	if o.Meets {
		c.ask.judge(&o, c.ask.judged(&o), 0, 1000*o.slowS)
	}
	return o, true
}

// lnLatency returns the logarithm of the latency at a service time, in steps.
func (c *LoadCurve) lnLatency(batch int, parts []float64, place float64) float64 {
	step := int(math.Floor(place))
	lo, hi, share := c.point(batch, step, parts), c.point(batch, step+1, parts), place-float64(step)
	return lo.lnLatency + share*(hi.lnLatency-lo.lnLatency) + c.lnGrowth(batch, math.Exp(place*curveStep)) +
		c.ask.off.ln
}

// slowest returns the longest service time, in ms, that a batch of the outcome's setting may take under the ask; 0 if
// none is short enough, infinite if any is.
func (c *LoadCurve) slowest(o Outcome) float64 {
	a, b := c.ask, float64(max(1, o.Batch))
	most := math.Inf(1)
	if limit, timed := a.Goal.Limits.On(metric.Time); timed {
		most = limit.Value
	}
	if a.Load.Open() {
		most = min(most, 1000*a.mostBusy()*b/a.Load.RatePerS)
	}
	switch {
	case a.LatencyMS == 0:
		return most
	case !a.Load.Open(): // turns of a batch
		return min(most, a.LatencyMS*o.TimeMS/o.LatencyMS)
	case !a.simulates(): // waiting time plus the batch
		return max(0, min(most, a.LatencyMS/a.off.factor(0)-1000*a.wait(b, b/a.Load.RatePerS)))
	}
	batch, parts := max(1, o.Batch), c.parts(o.Setting)
	key := limitAt{curveAt{batch: batch, parts: keyOf(parts)}, a.LatencyMS, most, a.off}
	if ms, known := c.limits.Load(key); known {
		return ms.(float64)
	}
	least, limit := math.Log(most/1000)/curveStep-curveSpan/curveStep, math.Log(a.LatencyMS)
	const steps = curveSpan / curveStep * finer
	late := sort.Search(steps, func(k int) bool { return c.lnLatency(batch, parts, least+float64(k)/finer) > limit })
	switch ms := 1000 * math.Exp((least+float64(late-1)/finer)*curveStep); late {
	case steps:
	case 0:
		most = 0
	default:
		most = ms
	}
	c.limits.Store(key, most)
	return most
}

// Stand compares a setting with the ask, by the mean of its n readings, or by its prediction if n is 0. Readings come
// from full batches, one after another, so the latency under load is computed from them and no setting is Measured for
// it.
func (c *LoadCurve) Stand(at tegra.Setting, n int) standing.Standing {
	serve, ok := c.infer.At(at)
	if !ok {
		return standing.Standing{State: standing.Unknown}
	}
	s := standing.Stand(metric.Within(c.terms(at).Limits()), *serve, n)
	if s.Worked = n > 0 && c.ask.LatencyMS > 0 && c.ask.Load.Open(); s.Worked && s.State == standing.Measured {
		s.State = standing.Likely
	}
	return s
}
