// Package mix evaluates settings under a load of requests, alone or beside training, and searches for the best.
//
// A mix is a sequence of phases that take turns on one GPU in one power mode: waiting and serving a batch of requests,
// or serving and training. Times and energies add, mean power is the mean over time, peak power is the highest of the
// phases. The equations are in docs/method.md, "Load" and "Training beside inference"; strict turns and the bound L =
// b/λ + s come from Fulcrum (its published notebooks), the rest is jtune's.
//
//	Ask, Phase (predictions or measurements) ──► Evaluate ──► Outcome ──► Choose (of predictions)
//	                                                └─► queue (simulated waiting)     Search, Tune (by measuring)
package mix

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"jtune/internal/arrivals"
	"jtune/internal/sorted"
	"jtune/internal/usage"
	"jtune/learn"
	"jtune/tegra"
	"jtune/tegra/metric"
)

// Phase is the prediction or measurement of a unit of work, a batch of requests or a training minibatch, in every
// setting. Training has no batch size: it does not depend on the other phase's. The zero value is no work.
type Phase struct {
	at map[tegra.Mode][]learn.Prediction // by batch size, ascending
}

// NewPhase builds a phase from predictions, or measurements (MeasuredPrediction), of settings.
func NewPhase(preds []learn.Prediction) Phase {
	p := Phase{at: make(map[tegra.Mode][]learn.Prediction, len(preds))}
	for _, v := range preds {
		p.at[v.Mode] = append(p.at[v.Mode], v)
	}
	for _, list := range p.at {
		sorted.By(list, func(a, b learn.Prediction) int { return cmp.Compare(a.Batch, b.Batch) })
	}
	return p
}

// noPhase takes no time and no power.
var noPhase learn.Prediction

// At returns the unit in a setting; false if it is unknown.
func (p Phase) At(a tegra.Setting) (*learn.Prediction, bool) {
	list := p.at[a.Mode]
	i, ok := slices.BinarySearchFunc(list, a.Batch, bySize)
	if !ok {
		return nil, false
	}
	return &list[i], true
}

// bySize compares a prediction's batch size with another.
func bySize(v learn.Prediction, batch int) int { return cmp.Compare(v.Batch, batch) }

// times returns the service times in seconds of batches of up to a.Batch requests: linear between the known sizes
// (launches, and work per request), and at least that of the smallest. factor scales them.
func (p Phase) times(a tegra.Setting, factor float64) []float64 {
	out := make([]float64, a.Batch+1)
	list := p.at[a.Mode]
	for k := range out {
		i, _ := slices.BinarySearchFunc(list, max(1, k), bySize)
		i = min(i, len(list)-1)
		t := list[i].TimeMS
		if lo := max(i-1, 0); list[i].Batch > k && k > list[lo].Batch && lo < i {
			share := float64(k-list[lo].Batch) / float64(list[i].Batch-list[lo].Batch)
			t = list[lo].TimeMS + share*(list[i].TimeMS-list[lo].TimeMS)
		}
		out[k] = factor * t / 1000
	}
	return out
}

// PowerAs is the kind of power that a limit applies to.
type PowerAs string

// Kinds of power of a mix.
const (
	Peak PowerAs = "peak" // highest of the phases: relevant for the supply and over-current protection
	Mean PowerAs = "mean" // over all phases: relevant for battery and cooling
)

// Policies: how training and inference take turns.
const (
	Strict = "strict" // a minibatch starts only if it ends before the next batch is due
	Fill   = "fill"   // training runs whenever no batch is due; a batch may wait for a minibatch
	Free   = "free"   // no turns: both run concurrently; not predicted
)

// Want is the goal among the settings that meet the limits.
type Want string

// Goals.
const (
	LeastPower   Want = "power"    // open loop, alone
	LeastEnergy  Want = "energy"   // per request, including idle time in an open loop
	LeastTime    Want = "time"     // of a batch
	MostRequests Want = "requests" // closed loop
	MostTraining Want = "training" // minibatches per second, beside inference
	MostTau      Want = "tau"      // minibatches per window, as in Fulcrum
)

// mostBusyPoisson is the highest busy share of a server under random arrivals: beyond it the queue is too long to
// simulate.
const mostBusyPoisson = 0.95

// Ask is the requirement for an inference workload under load, alone or beside training.
type Ask struct {
	Goal      metric.Goal // limits of power and service time of a batch, with the margin of predictions and the goal
	PowerAs   PowerAs     // "" means Peak
	LatencyMS float64     // limit on a request's latency at Quantile; 0: none
	Quantile  float64     // 0 to 1; 0 means 0.99
	Load      arrivals.Load
	MaxWait   time.Duration // of a batch that is not full; 0: it waits until full
	// Want is the goal; "": the Limit's, else least power (open loop), most requests (closed), most training (beside
	// it).
	Want   Want
	Policy string // of training; "": the better of strict and fill (Evaluate: Strict)
	// Tau is the most minibatches between two batches, for strict turns; 0: as many as fit.
	Tau int
	// Fulcrum uses that paper's latency bound, b/λ + s, instead of the one that follows from its arrivals, (b−1)/λ + s.
	Fulcrum bool
	Failed  []tegra.Setting `toml:"-"` // did not meet the ask when requests were sent: never answers
	Found   *tegra.Setting  `toml:"-"` // result of a search for this ask, if nothing was measured since
	// Sent are measured latencies at such a load: Corrected corrects calculated ones by their ratio.
	Sent []Sent `toml:"-"`
	off  correction
	// expects ranks mixes of strict turns by the expected whole minibatches instead of those that fit at the median.
	expects bool
	IdleW   float64 // board power while waiting; NaN if unknown
	Seed    uint64
}

// Outcome is the result of a setting under a load.
type Outcome struct {
	tegra.Setting
	Policy       string  // of training; "" without
	Tau          int     // for strict turns: the most minibatches between two batches
	TimeMS       float64 // service time of a batch
	MeanW, PeakW float64 // MeanW is NaN if it depends on an unknown idle power
	LatencyMS    float64 // at the quantile; infinite if the server is overloaded
	ServedPerS   float64
	TrainPerS    float64 // minibatches
	JPerUnit     float64 // per request, of everything including idle time
	BusyJPerUnit float64 // per request, of the batch alone
	IdleShare    float64 // share of the time
	Rho          float64 // busy share of the server under the load; above 1 it is overloaded
	Meets        bool    // within the limits, including the margin

	limits       [4]limit          // see Ask.judge
	serve, train *learn.Prediction // the phases
	excess       float64           // sum over the violated limits, in logarithms
	slowS        float64           // service time and minibatch in seconds, including the margin
	slowTrain    float64
	slowFirst    float64 // as slowS, of the smallest batch known if batches leave after a maximal wait
	peakHigh     float64 // PeakW including the margin
	more         float64 // expected whole minibatches per window beyond Tau, see Ask.expects
	windowS      float64 // between two batches
	worth        float64 // of measuring it, in a search
}

// Check returns an error for a contradictory ask.
func (a *Ask) Check() error {
	if ms := a.LatencyMS; ms < 0 || math.IsNaN(ms) || math.IsInf(ms, 0) {
		return fmt.Errorf("latency limit is %g, must be a positive number", ms)
	}
	if err := a.Goal.Check(); err != nil {
		return err
	}
	if !(a.Quantile >= 0 && a.Quantile <= 1) {
		return fmt.Errorf("quantile is %g, must be between 0 and 1", a.Quantile)
	}
	if a.MaxWait < 0 {
		return fmt.Errorf("maximal wait is %v, must be positive", a.MaxWait)
	}
	if a.PowerAs == Mean && a.Goal.Limits.Harm() && math.IsNaN(a.IdleW) {
		return usage.PowerAs.Errorf("a limit on mean power needs the idle power of the board, which is not known").
			Advise("give %s", usage.IdlePower.Value())
	}
	return a.Load.Check()
}

// MostMS is the limit on the latency; infinite without one.
func (a Ask) MostMS() float64 { return cmp.Or(a.LatencyMS, math.Inf(1)) }

func (a Ask) quantile() float64 { return cmp.Or(a.Quantile, metric.UsualQuantile) }

func (a *Ask) want(training bool) Want {
	switch {
	case a.Want != "":
		return a.Want
	case a.Goal.Objective == metric.Energy:
		return LeastEnergy
	case a.Goal.Objective == metric.Time:
		return MostRequests
	case training:
		return MostTraining
	case a.Load.Open():
		return LeastPower
	}
	return MostRequests
}

// Wants returns the goal of an ask without training.
func (a Ask) Wants() Want { return a.want(false) }

// String describes the limits: "30/s poisson, p99 ≤ 50 ms, power ≤ 30 W".
func (a Ask) String() string {
	out := a.Load.String()
	if a.LatencyMS > 0 {
		out += fmt.Sprintf(", p%.4g ≤ %g ms", 100*a.quantile(), a.LatencyMS)
	}
	for b := range a.Goal.Limits.Each() {
		what := map[*metric.Metric]string{metric.Power: string(cmp.Or(a.PowerAs, Peak)) + " power",
			metric.Time: "batch"}
		out += fmt.Sprintf(", %s ≤ %s", what[b.Metric], b)
	}
	if a.MaxWait > 0 {
		out += fmt.Sprintf(", wait %g ms", float64(a.MaxWait)/float64(time.Millisecond))
	}
	return out
}

// Evaluate returns the result of a setting under the load: batches of infer, with minibatches of train between them. It
// simulates the latency of random arrivals, or of a maximum wait. It returns false if a phase is unknown there, or the
// times of recorded arrivals, which no answer keeps.
func (a Ask) Evaluate(at tegra.Setting, infer, train Phase) (Outcome, bool) {
	if a.Load.Pattern == arrivals.Trace && a.Load.TraceS == nil {
		return Outcome{}, false
	}
	o, ok := a.bound(at, infer, train)
	if ok && a.simulates() && o.Rho <= a.mostBusy() {
		a.simulate(&o, infer)
	}
	return o, ok
}

// simulates reports whether no formula gives the latency.
func (a *Ask) simulates() bool {
	return a.Load.Open() && !a.Fulcrum && (a.Load.Pattern != arrivals.Uniform || a.MaxWait > 0)
}

func (a *Ask) mostBusy() float64 {
	if a.Load.Pattern == arrivals.Poisson || a.Load.Pattern == arrivals.Trace {
		return mostBusyPoisson
	}
	return 1
}

// bound evaluates by the formulas of even arrivals and full batches. If Ask.simulates, its latency is a lower bound, as
// are mean power and energy if batches leave after a maximal wait.
func (a *Ask) bound(at tegra.Setting, infer, train Phase) (Outcome, bool) {
	serve, ok := infer.At(at)
	if !ok || !(serve.TimeMS > 0) {
		return Outcome{}, false
	}
	s, b := serve.TimeMS/1000, float64(max(1, at.Batch))
	o := Outcome{Setting: at, TimeMS: serve.TimeMS, PeakW: serve.PowerW, BusyJPerUnit: serve.PowerW * s / b,
		serve: serve, train: &noPhase}
	o.slowS = s * math.Exp(a.Goal.Margin.Z()*serve.LnTimeSD)
	slowest := 1000 * o.slowS
	o.peakHigh = serve.PowerW * math.Exp(a.Goal.Margin.Z()*serve.LnPowerSD)
	if !a.Load.Open() {
		n := float64(max(1, a.Load.Outstanding))
		if a.Load.Outstanding == arrivals.All {
			n = b
		}
		o.ServedPerS, o.Rho, o.MeanW, o.JPerUnit = min(b, n)/s, 1, serve.PowerW, serve.PowerW*s/min(b, n)
		o.LatencyMS = serve.TimeMS * math.Ceil(n/b)
		a.judge(&o, o.peakHigh, o.LatencyMS*o.slowS/s, slowest)
		return o, true
	}
	rate := a.Load.RatePerS
	window := b / rate
	o.Rho = rate * s / b
	o.ServedPerS = min(rate, b/s)
	if train.at != nil {
		t, ok := train.At(tegra.Setting{Mode: at.Mode})
		if !ok || !(t.TimeMS > 0) {
			return Outcome{}, false
		}
		o.train = t
		o.Policy = cmp.Or(a.Policy, Strict)
		o.PeakW = max(o.PeakW, t.PowerW)
		o.peakHigh = max(o.peakHigh, t.PowerW*math.Exp(a.Goal.Margin.Z()*t.LnPowerSD))
		o.slowTrain = t.TimeMS / 1000 * math.Exp(a.Goal.Margin.Z()*t.LnTimeSD)
	}
	first, serving := serve, s/window
	if a.MaxWait > 0 && a.simulates() {
		first = &infer.at[at.Mode][0]
		if o.Policy == "" && a.Load.Pattern != arrivals.Trace { // whose requests may arrive all at once
			serving = a.leastServing(first, serve, rate)
		}
	}
	o.slowFirst = o.slowS * (first.TimeMS / serve.TimeMS)
	o.LatencyMS = 1000 * (a.wait(b, window) + first.TimeMS/1000)
	slow := 1000 * (a.wait(b, window) + o.slowFirst)
	trained := 0.0 // minibatches per window
	switch room := window - s; {
	case o.Policy == "" || room < 0:
	case o.Policy == Fill:
		trained = room / (o.train.TimeMS / 1000)
		if !a.simulates() {
			o.LatencyMS += o.train.TimeMS
			slow += 1000 * o.slowTrain
		}
	default:
		o.Tau = int(room/(o.train.TimeMS/1000) + 1e-9)
		if a.Tau > 0 {
			o.Tau = min(o.Tau, a.Tau)
		}
		trained = float64(o.Tau)
		if a.expects {
			o.expect(a.Tau, window, s)
		}
	}
	o.windowS = window
	o.LatencyMS *= a.off.factor(0)
	slow *= a.off.factor(a.Goal.Margin.Z())
	o.TrainPerS = trained / window
	a.spend(&o, serving, trained*o.train.TimeMS/1000/window)
	if o.Rho > a.mostBusy() {
		o.LatencyMS = math.Inf(1)
	}
	a.judge(&o, a.judged(&o), slow, slowest)
	return o, true
}

// wait returns the longest wait of a request for its batch, at the quantile, with even arrivals.
func (a *Ask) wait(b, window float64) float64 {
	if a.Fulcrum {
		return window
	}
	if a.simulates() && (a.Load.Pattern != arrivals.Poisson || a.MaxWait > 0 || a.quantile() < 0.9) {
		return 0 // a batch may be full, or leave, at once
	}
	return (math.Ceil(a.quantile()*b-1e-9) - 1) * window / b
}

// spend sets power and energy from the time shares of serving and training.
func (a *Ask) spend(o *Outcome, serving, training float64) {
	serving = min(serving, 1)
	o.IdleShare = max(0, 1-serving-training)
	if o.IdleShare < 1e-9 {
		o.IdleShare = 0
	}
	o.MeanW = serving*o.serve.PowerW + training*o.train.PowerW
	if o.IdleShare > 0 {
		o.MeanW += o.IdleShare * a.IdleW
	}
	o.JPerUnit = o.MeanW / o.ServedPerS
}

// value returns what a goal minimises, and a second quantity for ties.
func (w Want) value(o *Outcome, as PowerAs) (first, second float64) {
	power := o.PeakW
	if as == Mean {
		power = o.MeanW
	}
	switch w {
	case LeastEnergy:
		if math.IsNaN(o.JPerUnit) {
			return o.BusyJPerUnit, o.TimeMS
		}
		return o.JPerUnit, o.TimeMS
	case LeastTime:
		return o.TimeMS, power
	case MostRequests:
		return -o.ServedPerS, power
	case MostTraining:
		if o.more != 0 {
			return -o.TrainPerS - o.more/o.windowS, power
		}
		return -o.TrainPerS, power
	case MostTau:
		return -float64(o.Tau) - o.more, power
	}
	return power, o.TimeMS
}

// compare orders two outcomes that meet the ask, better first.
func (a *Ask) compare(x, y *Outcome, want Want) int {
	x1, x2 := want.value(x, a.PowerAs)
	y1, y2 := want.value(y, a.PowerAs)
	return cmp.Or(cmp.Compare(x1, y1), cmp.Compare(x2, y2))
}

// policies are those that training may follow; without training there is only none.
func (a *Ask) policies(training bool) []string {
	if training && a.Policy == "" {
		return []string{Strict, Fill}
	}
	return []string{a.Policy}
}

// outcomes evaluates settings by the formulas, by turns of every policy, where the phases are known.
func (a Ask) outcomes(settings []tegra.Setting, infer, train Phase) (list []Outcome) {
	for _, a.Policy = range a.policies(train.at != nil) {
		for _, at := range settings {
			if o, ok := a.bound(at, infer, train); ok && !slices.Contains(a.Failed, at) {
				list = append(list, o)
			}
		}
	}
	return list
}

// within returns the outcomes that meet the limits, and the one that exceeds them least. It reuses the list.
func within(list []Outcome) (meets []Outcome, nearest Outcome) {
	nearest = slices.MinFunc(list, func(x, y Outcome) int { return cmp.Compare(x.excess, y.excess) })
	return slices.DeleteFunc(list, func(o Outcome) bool { return !o.Meets }), nearest
}

// Choose returns the settings that meet the ask, best first, among those with known phases. Time or power decides ties,
// then the given order. If the latency is simulated it returns only the best. The error is a *NoSettingError if none
// meets it.
func (a Ask) Choose(settings []tegra.Setting, infer, train Phase) ([]Outcome, error) {
	if err := a.Check(); err != nil {
		return nil, err
	}
	list := a.outcomes(settings, infer, train)
	if len(list) == 0 {
		return nil, errors.New("no predictions to choose from")
	}
	meets, nearest := within(list)
	want := a.want(train.at != nil)
	sorted.Stable(meets, func(x, y Outcome) int { return a.compare(&x, &y, want) })
	if a.simulates() && len(meets) > 0 {
		meets, nearest = a.firstInTime(meets, infer, want)
	}
	switch {
	case len(meets) > 0:
		return meets, nil
	case a.simulates() && nearest.Rho <= a.mostBusy():
		a.simulate(&nearest, infer)
	}
	return nil, &NoSettingError{Ask: a, Nearest: nearest}
}
