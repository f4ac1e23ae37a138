package search

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"jtune/internal/arrivals"
	"jtune/internal/stats"
	"jtune/learn"
	"jtune/optimize"
	"jtune/optimize/mix"
	"jtune/profiles"
	"jtune/profiles/record"
	"jtune/profiles/workload"
	"jtune/tegra"
	"jtune/tegra/metric"
	"jtune/tui/session"
	"jtune/tui/session/answers"
	"jtune/tui/session/campaigns"
	"jtune/tui/session/measure"
	"jtune/tui/session/savedanswers"
	"jtune/tui/session/workloads"
)

// A search under a load predicts the queue from service times (docs/method.md, "Load"). Its answer is then tried with
// requests at that rate, sent to the server or passed to the job in batches. If it breaks the latency limit, the search
// continues with a lower one:
//
//	Serving ──► tuneLimit ──► answer ──► requests at the rate ──► Sent ──► meets: the answer
//	   ▲                                                            │
//	   └───────────── latency limit × limit / measured ◄────────────┘
//
// If the server is observed in service, the requests are its users'.

const (
	// longestSend bounds how long requests are sent to try an answer; fewestSent is the least number of them.
	longestSend = 5 * time.Minute
	fewestSent  = 20
	// mostAnswers is how many answers of a search are tried.
	mostAnswers = 3
	// tighter lowers the latency limit by a further factor after an answer that broke it.
	tighter = 0.95
	// tightest is the least factor by which the limit is lowered at a time.
	tightest = 0.5
)

// paced reports whether requests are really sent at the rate of this goal; why says why not, if that is worth saying.
func paced(s *session.Session, w workload.Workload, a mix.Ask) (really bool, why string) {
	switch {
	case !a.Load.Open() || s.Replays():
		return false, ""
	case a.Load.Pattern == arrivals.Trace:
		return false, "requests are not sent at the times of a file"
	case s.Simulated(w) && !workloads.Simulates(w):
		return false, ""
	}
	why = w.UnpacedFault()
	return why == "", why
}

// tuneServed searches under a load and tries the answer with real requests if they can be sent.
func tuneServed(ctx context.Context, s *session.Session, r measure.TuneRequest, ref *learn.Reference,
	observe func(measure.Event)) (measure.TuneResult, error) {
	asked, err := mix.AskOf(r.First(), s.Seed)
	if err != nil {
		return measure.TuneResult{}, err
	}
	r.Ask = asked
	if list, err := campaigns.List(s.Options.Paths); err == nil && !r.Fresh && r.Before.IsZero() {
		b := s.Device.Board()
		r.Ask.Failed, r.Ask.Sent = savedanswers.Sent(list, learn.Provenance{Workload: r.Workload.Name, Device: b.Name,
			Virtual: b.Virtual, Replay: b.Replay}, asked)
	}
	really, why := paced(s, r.Workload, asked)
	if !really {
		if why != "" {
			measure.Observer(observe).Note("the answer is from a calculated queue: " + why)
		}
		return tuneLimit(ctx, s, r, ref, observe)
	}
	return tried(ctx, s, r, ref, asked, observe, trial{
		run: func(out measure.TuneResult) (answers.Trial, error) {
			r.PartOf = out.Began
			return send(ctx, s, r, asked, out.Result.Answers[0].Setting, observe)
		},
		lower: func(r *measure.TuneRequest, got answers.Trial) { // by the ratio of measured to calculated latency
			r.Ask.Sent = append(slices.Clone(r.Ask.Sent), mix.Sent{Setting: got.WithBatch(r.Workload.Batch),
				RatePerS: asked.Load.RatePerS, LatencyMS: got.LatencyMS.V})
		}})
}

// Again tries a setting with the requests of a search, as the search tried its answer.
func Again(ctx context.Context, s *session.Session, r measure.TuneRequest, at tegra.Setting,
	observe func(measure.Event)) (answers.Trial, error) {
	asked, err := mix.AskOf(r.First(), s.Seed)
	if err != nil {
		return answers.Trial{}, err
	}
	if really, why := paced(s, r.Workload, asked); !really {
		return answers.Trial{}, fmt.Errorf("%w: requests cannot be sent here: %s", tegra.ErrUnsupported,
			cmp.Or(why, "the answer is from a calculated queue"))
	}
	return twice(asked, r.Workload, func() (answers.Trial, error) {
		return send(ctx, s, r, asked, at, observe)
	})
}

// twice tries a setting, and tries it again if it met the limits: one reading of a quantile is not reliable.
func twice(a mix.Ask, w workload.Workload, try func() (answers.Trial, error)) (answers.Trial, error) {
	got, err := try()
	if err != nil || !got.Meets() || !got.LatencyMS.OK {
		return got, err
	}
	again, err := try()
	return got.And(again, a, w), err
}

// tuneWatched searches on the traffic of a server's users by the mean latency, because a few requests give no more. If
// the server also counts requests by latency, the answer is then observed until there are enough for the quantile.
func tuneWatched(ctx context.Context, s *session.Session, r measure.TuneRequest, ref *learn.Reference,
	observe func(measure.Event)) (measure.TuneResult, error) {
	if len(r.Limits) > 1 {
		measure.Observer(observe).Note("with several limits the answers meet the mean latency only: the " +
			"quantile is checked for a single limit")
		return tuneLimit(ctx, s, r, ref, observe)
	}
	asked := mix.Ask{LatencyMS: r.Watched.LatencyMS, Quantile: cmp.Or(r.Watched.Quantile, metric.UsualQuantile)}
	return tried(ctx, s, r, ref, asked, observe, trial{
		run: func(out measure.TuneResult) (answers.Trial, error) {
			at := out.Result.Answers[0].Setting
			if v := out.Serving(at); v == nil || v.Requests == 0 {
				return answers.Trial{Setting: at, Users: true,
					Unsure: fmt.Sprintf("this server counts only the mean latency: whether p%.4g is within "+
						"%.4g ms is unknown", 100*asked.Quantile, asked.LatencyMS)}, nil
			}
			r.PartOf = out.Began
			return send(ctx, s, r, asked, at, observe)
		},
		lower: func(r *measure.TuneRequest, got answers.Trial) {
			l := r.Limits[0]
			most := l.Of(metric.Time) * max(tightest, tighter*asked.LatencyMS/got.LatencyMS.V)
			l.Limits = l.Limits.And(metric.Time.Max(most))
			r.Limits = []metric.Goal{l}
		}})
}

// trial is how the answer of a search is tried, and how the limit is lowered after an answer that was too slow.
type trial struct {
	run   func(measure.TuneResult) (answers.Trial, error)
	lower func(r *measure.TuneRequest, late answers.Trial)
}

// tried searches until a tried answer meets the limits.
func tried(ctx context.Context, s *session.Session, r measure.TuneRequest, ref *learn.Reference, asked mix.Ask,
	observe func(measure.Event), t trial) (measure.TuneResult, error) {
	var before measure.TuneResult
	for try := 1; ; try++ {
		out, err := tuneLimit(ctx, s, r, ref, observe)
		out.After(before)
		out.Ask = asked
		if n := len(before.Sent); n > 0 && errors.Is(err, optimize.ErrInfeasible) { // no mode meets the lowered limit
			before.Probes, before.Rows, before.Took = out.Probes, out.Rows, out.Took
			return before, notServed(asked, before.Sent[n-1])
		}
		if err != nil || !out.Result.Answers[0].Feasible {
			return out, err
		}
		found := &out.Result.Answers[0]
		begun := s.Clock.Now()
		got, err := twice(asked, r.Workload, func() (answers.Trial, error) { return t.run(out) })
		out.Took += s.Clock.Now() - begun
		if err != nil {
			return out, err
		}
		out.Sent = append(out.Sent, got)
		if got.Unsure != "" {
			measure.Observer(observe).Note(fmt.Sprintf("%s: %s", found.Mode, got.Unsure))
		}
		if got.Meets() {
			return out, nil
		}
		measure.Observer(observe).Note(fmt.Sprintf("%s with requests at %s: %s", found.Mode, asked.Load, got.Why))
		late := got.LatencyMS.OK && asked.LatencyMS > 0 && got.LatencyMS.V > asked.LatencyMS
		found.Feasible = false
		if try == mostAnswers || !late {
			return out, notServed(asked, got)
		}
		r.Ask.Failed = append(slices.Clone(r.Ask.Failed), got.WithBatch(r.Workload.Batch))
		t.lower(&r, got)
		r, before = goingOn(r, out), out
	}
}

// notServed returns the error that no mode meets the limits with real requests; it describes the last trial.
func notServed(a mix.Ask, s answers.Trial) error {
	how := "with requests sent at that rate"
	if s.Users {
		how = "with the requests of its users"
	}
	return fmt.Errorf("%w (%v): nearest is %v, where %s %s", optimize.ErrInfeasible, a, s.Setting.Mode, how, s.Why)
}

// send sends requests at a rate in one setting, as a separate campaign; or it waits for those of a server's users.
func send(ctx context.Context, s *session.Session, r measure.TuneRequest, a mix.Ask, at tegra.Setting,
	observe func(measure.Event)) (answers.Trial, error) {
	w, set := r.Workload.AtBatch(at.Batch), r.Settings
	w.Load = workloads.DemandOf(a, w)
	set.Requests = requestsFor(a)
	takes, about := longestSend, "at most "+measure.Roundly(longestSend)
	if a.Load.Open() {
		takes = time.Duration(float64(set.Requests) / a.Load.RatePerS * float64(time.Second))
		about = "about " + measure.Roundly(takes)
	}
	set.ModeTimeout = cmp.Or(set.ModeTimeout, 2*takes+time.Minute) // for a server that cannot keep up
	measure.Observer(observe).Note(fmt.Sprintf("%s: %d requests %s, %s", at.Mode, set.Requests, comingText(a), about))
	head := campaigns.HeaderOf(s, w, record.PlanHeader{Kind: campaigns.LoadKind, Modes: 1, PartOf: r.PartOf},
		nil, set)
	measuring := measure.Measuring{Workload: w, Settings: set, Gate: r.Gate}
	row, dir, err := measure.MeasureOne(ctx, s, measure.ProfileRequest{Measuring: measuring}, head, at.Mode, observe)
	out := answers.TrialOf(row, at, a, w)
	out.Dir = dir
	var hot *profiles.HotError
	switch {
	case err != nil && !errors.As(err, &hot):
		return out, err
	case row.Status == record.Failed || row.Status == record.Misset || row.Status == record.Rejected: // of no limit
		return out, fmt.Errorf("the mode could not be measured: %s: %s", row.Status, row.Why)
	}
	return out, nil
}

// comingText says how requests arrive.
func comingText(a mix.Ask) string {
	if a.Load.Open() {
		return "at " + a.Load.String()
	}
	return "of its users"
}

// requestsFor returns how many requests the quantile of the limit needs, within longestSend.
func requestsFor(a mix.Ask) int {
	n := fewestSent
	for a.LatencyMS > 0 && !stats.QuantileHolds(a.Quantile, n) && n < 1<<16 {
		n *= 2
	}
	for n > fewestSent && stats.QuantileHolds(a.Quantile, n-1) {
		n--
	}
	if a.Load.Open() {
		n = min(n, int(a.Load.RatePerS*longestSend.Seconds()))
	}
	return max(fewestSent, n)
}
