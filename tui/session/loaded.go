package session

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"jtune/internal/arrivals"
	"jtune/internal/stats"
	"jtune/learn"
	"jtune/optimize"
	"jtune/profiles"
	"jtune/profiles/record"
	"jtune/profiles/workload"
	"jtune/tegra"
)

// A search under a load predicts the queue from service times (docs/method.md, "Load"). Of a server the answer
// is then tried with requests at that rate. One that breaks the latency is no answer, and the search goes on
// with a lower limit:
//
//	Serving ──► tuneLimit ──► answer ──► requests at the rate ──► Sent ──► meets: the answer
//	   ▲                                                            │
//	   └───────────── latency limit × limit / measured ◄────────────┘

const (
	// longestSend bounds how long requests are sent to try an answer, fewestSent how few they may be.
	longestSend = 5 * time.Minute
	fewestSent  = 20
	// mostAnswers of a search are tried.
	mostAnswers = 3
	// followShare of the rate must be served, by a server that follows it.
	followShare = 0.95
	// tighter is by how much more than what was measured the latency limit is lowered after an answer that broke it.
	tighter = 0.95
	// tightest is the least factor by which it is lowered at a time.
	tightest = 0.5
	// uncounted requests are those whose waiting may have begun before the first that counts.
	uncounted = 2
)

// Sent is what a setting did when requests came at the rate that was asked for.
type Sent struct {
	tegra.Setting
	Serving   *record.Serving
	MeanW     tegra.Val[float64] // waiting included
	LatencyMS tegra.Val[float64] // at the quantile, from the scheduled arrival; absent with too few requests for it
	Why       string             // why it does not meet what was asked for; "" where it does
	Dir       string             // the campaign folder
}

// Meets reports whether it does.
func (s Sent) Meets() bool { return s.Why == "" }

// sends reports whether requests are really sent for what is asked: to a server, at a rate.
func sends(w workload.Workload, a optimize.Ask) bool {
	return w.Serves() && (a.Load.Pattern == arrivals.Uniform || a.Load.Pattern == arrivals.Poisson)
}

// tuneServed searches under a load. Of a server the answer has been tried with real requests.
func (s *Session) tuneServed(ctx context.Context, r TuneRequest, ref *learn.Reference,
	observe func(Event)) (TuneResult, error) {
	asked, err := r.Serving.Ask(r.Limit, s.Seed)
	if err != nil {
		return TuneResult{}, err
	}
	want := r.Workload.Load
	r.Workload.Load = workload.Demand{} // service times are those of one request after the other
	if !sends(r.Workload, asked) {
		return s.tuneLimit(ctx, r, ref, observe)
	}
	want.Rate, want.Arrivals = asked.Load.RatePerS, string(asked.Load.Pattern)
	serving := *r.Serving
	r.Serving = &serving
	var before TuneResult
	for try := 1; ; try++ {
		out, err := s.tuneLimit(ctx, r, ref, observe)
		out.Probes, out.rows = append(before.Probes, out.Probes...), append(before.rows, out.rows...)
		out.Sent, out.Took, out.Ask = before.Sent, out.Took+before.Took, asked
		if n := len(before.Sent); n > 0 && errors.Is(err, optimize.ErrInfeasible) { // by the lower limit
			before.Probes, before.rows, before.Took = out.Probes, out.rows, out.Took
			return before, notServed(asked, before.Sent[n-1])
		}
		if err != nil || out.Served == nil || !out.Feasible {
			return out, err
		}
		begun := s.Clock.Now()
		got, err := s.send(ctx, r, want, asked, out.Setting, observe)
		out.Took += s.Clock.Now() - begun
		if err != nil {
			return out, err
		}
		out.Sent = append(out.Sent, got)
		if got.Meets() {
			return out, nil
		}
		observer(observe).note(fmt.Sprintf("%s with requests at %s: %s", out.Setting.Mode, asked.Load, got.Why))
		late := got.LatencyMS.OK && asked.LatencyMS > 0 && got.LatencyMS.V > asked.LatencyMS
		out.Feasible = false
		if try == mostAnswers || !late {
			return out, notServed(asked, got)
		}
		serving.LatencyMS *= max(tightest, tighter*asked.LatencyMS/got.LatencyMS.V)
		r.Fresh, r.Before, before = false, time.Time{}, out // what was measured is known now
	}
}

// notServed says that no mode meets what was asked for with real requests, and what the last one did.
func notServed(a optimize.Ask, s Sent) error {
	return fmt.Errorf("%w (%v): nearest is %v, where with requests sent at that rate %s", optimize.ErrInfeasible, a,
		s.Setting.Mode, s.Why)
}

// send sends requests at a rate in one setting, as a campaign of its own.
func (s *Session) send(ctx context.Context, r TuneRequest, want workload.Demand, a optimize.Ask, at tegra.Setting,
	observe func(Event)) (Sent, error) {
	w, set := r.Workload, r.Settings
	w.Load = want
	set.Minibatches = requestsFor(a) + uncounted
	takes := time.Duration(float64(set.Minibatches) / want.Rate * float64(time.Second))
	set.ModeTimeout = cmp.Or(set.ModeTimeout, 2*takes+time.Minute) // of a server that does not follow
	observer(observe).note(fmt.Sprintf("%s: %d requests at %s, about %s", at.Mode, set.Minibatches, a.Load,
		roundly(takes)))
	head := s.header(w, record.PlanHeader{Kind: "load", Modes: 1}, nil, set)
	measuring := Measuring{Workload: w, Settings: set, Gate: r.Gate}
	row, dir, err := s.verify(ctx, ProfileRequest{Measuring: measuring}, head, at.Mode, observe)
	out := Sent{Setting: at, Serving: row.Serving, Dir: dir}
	var hot *profiles.HotError
	switch {
	case err != nil && !errors.As(err, &hot):
		return out, err
	case !row.Status.Usable() || row.Serving == nil:
		out.Why = cmp.Or(row.Why, "nothing was measured")
		return out, nil
	}
	out.MeanW = tegra.Finite(row.PowerW)
	out.LatencyMS = latencyAt(row.Serving.Latency, a.Quantile)
	served, least := requestRate(row), followShare*want.Rate
	if a.Load.Pattern == arrivals.Poisson { // so few may have come
		least *= 1 - 3/math.Sqrt(float64(row.Minibatches))
	}
	switch l := out.LatencyMS; {
	case served < least:
		out.Why = fmt.Sprintf("%.4g of %.4g requests per second are served", served, want.Rate)
	case a.LatencyMS > 0 && l.OK && l.V > a.LatencyMS:
		out.Why = fmt.Sprintf("p%.4g is %.4g ms, over %.4g", 100*a.Quantile, l.V, a.LatencyMS)
	case a.PowerAs == optimize.Mean && a.PowerW > 0 && out.MeanW.V > a.PowerW:
		out.Why = fmt.Sprintf("mean power %.4g W, over %.4g", out.MeanW.V, a.PowerW)
	}
	return out, nil
}

// requestRate is how many requests per second were answered.
func requestRate(row record.Row) float64 {
	v := row.Serving
	if !v.ServedPerS.OK || v.Units == 0 {
		return 0
	}
	return v.ServedPerS.V * float64(row.Minibatches) / float64(v.Units)
}

// requestsFor is how many requests are sent for the quantile that is asked for, within longestSend.
func requestsFor(a optimize.Ask) int {
	n := fewestSent
	for a.LatencyMS > 0 && !stats.QuantileHolds(a.Quantile, n) && n < 1<<16 {
		n *= 2
	}
	for n > fewestSent && stats.QuantileHolds(a.Quantile, n-1) {
		n--
	}
	return max(fewestSent, min(n, int(a.Load.MeanRate()*longestSend.Seconds())))
}

// latencyAt is the latency at the next of the recorded quantiles; absent where too few requests tell it.
func latencyAt(l record.Latency, q float64) tegra.Val[float64] {
	switch {
	case l.N == 0 || q > 0.99:
		return tegra.Val[float64]{}
	case q <= 0.5:
		return tegra.Some(l.P50)
	case q <= 0.95:
		return l.SureP95()
	}
	return l.SureP99()
}
