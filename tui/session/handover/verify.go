package handover

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"jtune/internal/conclusion"
	"jtune/internal/report"
	"jtune/internal/text"
	"jtune/optimize/standing"
	"jtune/profiles"
	"jtune/profiles/record"
	"jtune/profiles/workload"
	"jtune/tegra"
	"jtune/tegra/metric"
	"jtune/tui/session"
	"jtune/tui/session/answers"
	"jtune/tui/session/campaigns"
	"jtune/tui/session/kept"
	"jtune/tui/session/measure"
	"jtune/tui/session/savedanswers"
	"jtune/tui/session/search"
	"jtune/tui/session/task"
	"jtune/tui/session/workloads"
)

// Verification compares a mode today with the limit of its search, and with the measurement then.
type Verification struct {
	Mode     tegra.Mode
	Verdict  standing.Verdict
	Goal     any                // the limit, as in JSON
	Drifted  bool               // time or power is higher than then, beyond the noise of readings
	Slowed   bool               // the board was throttled
	N        int                // readings; under a load, trials
	Now      tegra.Mean         // under a load, the latency at the quantile and the mean power; NaN: not measured
	TimePct  tegra.Val[float64] // of then; below 0: it takes less; absent: not measured
	PowerPct tegra.Val[float64]
	MarginC  tegra.Val[float64] // to the nearest trip point; absent if none is known
	Since    time.Time          // date of the search
	Virtual  bool
	Says     string
}

// Holds reports whether the mode keeps its limit, has not drifted, and was not throttled.
func (v *Verification) Holds() bool {
	return (v.Verdict == standing.NoVerdict || v.Verdict == standing.Keeps) && !v.fails()
}

// fails reports whether anything speaks against the mode, other than that it is undecided.
func (v *Verification) fails() bool { return v.Verdict == standing.Exceeds || v.Drifted || v.Slowed }

// Undecided reports whether the readings do not suffice.
func (v *Verification) Undecided() bool { return v.Verdict == standing.AtLimit && !v.fails() }

// MarshalJSON returns the document of `jtune verify --json`.
func (v *Verification) MarshalJSON() ([]byte, error) {
	return report.Object{{"holds", v.Holds()}, {"verdict", text.Optional(string(v.Verdict))}, {"drift", v.Drifted},
		{"mode", v.Mode}, {"limit", v.Goal}, {"n", v.N}, {"time_ms", tegra.Finite(v.Now.TimeMS)},
		{"power_w", tegra.Finite(v.Now.PowerW)}, {"time_pct", v.TimePct}, {"power_pct", v.PowerPct},
		{"margin_tj_c", v.MarginC}, {"throttled", v.Slowed}, {"since", v.Since}, {"virtual", v.Virtual}}.MarshalJSON()
}

// String is the verdict in words.
func (v *Verification) String() string {
	var words []string
	if v.Verdict != standing.NoVerdict {
		words = append(words, string(v.Verdict))
	}
	if v.Drifted {
		words = append(words, "drifted")
	}
	if v.Slowed {
		words = append(words, "throttled")
	}
	if len(words) == 0 {
		return "as before"
	}
	return strings.Join(words, ", ")
}

// ErrNoAnswer reports that there is nothing to verify.
var ErrNoAnswer = errors.New("no search on this board has an answer yet; jtune tune starts one")

// VerifyRequest asks to measure an answer again.
type VerifyRequest struct {
	Campaign string           // "": the search whose answer was kept last on this board, else the newest
	Limit    metric.Goal      // in place of that of the search; zero: none
	Trust    bool             // run the command in the campaign's file
	Typed    *workloads.Typed // that command, typed again; nil if not
}

// ofBoard returns the requested search on the open board, and one of its answers.
func ofBoard(s *session.Session, name string) (c campaigns.Campaign, a answers.Answer, err error) {
	list, err := campaigns.List(s.Options.Paths)
	if err != nil {
		return c, a, err
	}
	here := s.DeviceHeader()
	same := func(c campaigns.Campaign) bool {
		d := c.Header.Device
		return d.Name == here.Name && d.Virtual == here.Virtual && d.Which == here.Which
	}
	if name != "" {
		if c, err = campaigns.Find(s.Options.Paths, name); err != nil {
			return c, a, err
		}
		c, k, err := savedanswers.Find(list, c)
		switch {
		case err == nil && k == nil:
			err = fmt.Errorf("%s: %w", c.Name, savedanswers.ErrNone)
		case err == nil && !same(c):
			err = fmt.Errorf("%s was searched on %s, this is another board", c.Name, c.Header.Device.Name)
		case err == nil:
			a = k.Answers[0]
		}
		return c, a, err
	}
	last, err := kept.Last(s)
	if err != nil {
		return c, a, err
	}
	newest := campaigns.Campaign{}
	for _, at := range slices.Backward(list) {
		if at.Answer == nil || !same(at) || newest.Dir != "" && at.Answer.More == 0 &&
			tegra.Some(at.Answer.Setting.Mode) != last.Mode { // its file need not be read
			continue
		}
		k, err := savedanswers.Answer(at)
		if err != nil || k == nil {
			continue
		}
		if i := slices.IndexFunc(k.Answers, meets); newest.Dir == "" && i >= 0 {
			newest, a = at, k.Answers[i]
		}
		for _, one := range k.Answers {
			if last.Mode == tegra.Some(one.Mode) {
				return at, one, nil
			}
		}
	}
	if newest.Dir == "" {
		return c, a, ErrNoAnswer
	}
	return newest, a, nil
}

// meets reports whether an answer met its limits: the nearest miss is verified only if the request names its search.
func meets(a answers.Answer) bool { return a.Feasible }

// Verify measures the answer of a search again with its job, and restores the board.
func Verify(ctx context.Context, s *session.Session, r VerifyRequest, observe func(measure.Event)) (v Verification,
	err error) {
	c, a, err := ofBoard(s, r.Campaign)
	if err != nil {
		return v, err
	}
	if err := r.Limit.Told(); err != nil {
		return v, err
	}
	again, err := task.Repeat(s, c, r.Trust, r.Typed)
	if err != nil {
		return v, err
	}
	switch given := r.Limit != (metric.Goal{}); {
	case again.Tune == nil || a.Reading.N == 0 && a.Trial == nil:
		return v, fmt.Errorf("%s: its answer was not measured, so there is nothing to compare with; tune again", c.Name)
	case given && a.Trial != nil:
		return v, fmt.Errorf("%s was searched under a load, whose limits are verified", c.Name)
	case given:
		a.Limit = r.Limit
	}
	w := again.Tune.Workload.AtBatch(a.Batch)
	heat, stop := warming(s, a.Mode)
	v = Verification{Mode: a.Mode, Goal: answers.Limits(a.Limit, a.Ask), Since: c.Header.Created, Virtual: a.Virtual}
	v.Now.TimeMS, v.Now.PowerW = math.NaN(), math.NaN()
	err = v.remeasure(ctx, s, w, *again.Tune, a, observe)
	stop()
	var hot *profiles.HotError
	if errors.As(err, &hot) {
		v.tooHot(hot.Why)
		err = nil
	}
	if err == nil {
		v.warm(heat)
	}
	return v, err
}

// remeasure measures the answer again, under its load if it has one.
func (v *Verification) remeasure(ctx context.Context, s *session.Session, w workload.Workload, r measure.TuneRequest,
	a answers.Answer, observe func(measure.Event)) error {
	if a.Trial != nil {
		return v.underLoad(ctx, s, r, a, observe)
	}
	rows, err := measure.Verify(ctx, s, measure.ModeRequest{Workload: w, Mode: a.Mode, Limit: a.Limit}, observe)
	if err != nil {
		return err
	}
	for _, row := range rows {
		switch {
		case row.Status == record.Throttled || row.Status == record.Hot:
			v.tooHot(row.Why)
			return nil
		case !row.Status.Usable():
			return fmt.Errorf("the mode could not be measured: %s: %s", row.Status, row.Why)
		}
	}
	v.judge(a, record.Usable(rows))
	return nil
}

// tooHot is the result for a mode that could not be measured because of heat.
func (v *Verification) tooHot(why string) {
	v.Slowed, v.Says = true, why+": it cannot be measured as the search did"
}

// warm adds the distance from the module's thermal limits: a mode that was throttled does not hold.
func (v *Verification) warm(w *warmth) {
	if w.marginC.OK {
		v.MarginC = tegra.Some(math.Round(10*w.marginC.V) / 10)
	}
	switch why := w.fault(); {
	case v.Slowed:
	case why != "":
		v.Slowed, v.Says = true, v.Says+"; "+why
	default:
		v.Says += w.words()
	}
}

// underLoad sends the requests of a search again and judges its limits. Latency at the quantile and mean power are
// compared with those of the search.
func (v *Verification) underLoad(ctx context.Context, s *session.Session, r measure.TuneRequest, a answers.Answer,
	observe func(measure.Event)) error {
	now, err := search.Again(ctx, s, r, a.Setting, observe)
	if err != nil {
		return err
	}
	v.N, v.Verdict = now.N, now.Verdict()
	words := func(t answers.Trial) string {
		return fmt.Sprintf("%s ms and %s W", report.Shown(t.LatencyMS), report.Shown(t.MeanW))
	}
	v.Now.TimeMS, v.Now.PowerW = now.LatencyMS.Or(math.NaN()), now.MeanW.Or(math.NaN())
	v.TimePct, v.PowerPct = pctOf(a.Trial.LatencyMS, now.LatencyMS), pctOf(a.Trial.MeanW, now.MeanW)
	v.Says = fmt.Sprintf("%s now, %s on %s, as p%.4g and mean with requests at %s", words(now), words(*a.Trial),
		v.Since.UTC().Format("2006-01-02"), 100*a.Ask.Quantile, a.Ask.Load)
	if why := now.Remark(); why != "" {
		v.Says += ": " + why
	}
	v.Says += whatNext.Say(next{v.fails(), v.Undecided(), false, v.N})
	return nil
}

// z95 is the half-width of a 95 % band in standard deviations.
const z95 = 1.96

// judge compares new readings with the limit and with the readings of the search.
func (v *Verification) judge(a answers.Answer, readings []tegra.Measured) {
	v.N, v.Verdict, v.Now = len(readings), standing.VerdictOf(a.Limit, readings), tegra.MeansOf(readings)[0]
	now, then := metric.Scatter/math.Sqrt(float64(v.N)), metric.Scatter/math.Sqrt(float64(a.Reading.N))
	of := func(own tegra.Val[float64], before float64) float64 { // a reading with a hiccup knows its mean less well
		return math.Hypot(math.Hypot(now, own.Or(0)), max(then, before))
	}
	_, heats := a.Limit.Limits.On(metric.Temperature)
	t := twice{Heats: heats, Since: v.Since.UTC().Format("2006-01-02"), N: v.N, Over: v.Verdict == standing.Exceeds,
		Near: v.Verdict == standing.AtLimit, ThenMS: a.Reading.TimeMS, NowMS: v.Now.TimeMS,
		ErrMS: of(v.Now.Errors.Time, a.Error.Time), ErrW: of(v.Now.Errors.Power, a.Error.Power)}
	t.ThenW = tegra.Val[float64]{V: a.Reading.PowerW, OK: a.Reading.HasPower()}
	t.NowW = tegra.Val[float64]{V: v.Now.PowerW, OK: v.Now.HasPower()}
	v.TimePct, v.PowerPct = pctOf(tegra.Some(t.ThenMS), tegra.Some(t.NowMS)), pctOf(t.ThenW, t.NowW)
	v.Drifted, v.Says = t.drifted(), measuredAgain.Say(t)
}

// twice is a mode measured during a search and again, with the relative errors of the differences; Over and Near are
// the verdict on the limit.
type twice struct {
	Since         string
	N             int `shown:"1 6"`
	Over, Near    bool
	Heats         bool               // a limit is on the steady temperature
	ThenMS, NowMS float64            `turn:"20 30"`
	ThenW, NowW   tegra.Val[float64] `turn:"20 30"`
	ErrMS, ErrW   float64            `turn:"0 0.2"`
}

// drifted reports whether time or power rose by more than readings differ.
func (t twice) drifted() bool {
	return rose(t.ThenMS, t.NowMS, t.ErrMS) || t.ThenW.OK && t.NowW.OK && rose(t.ThenW.V, t.NowW.V, t.ErrW)
}

var measuredAgain = conclusion.New("verify", 8, func(t twice) string {
	watts := func(w tegra.Val[float64]) string { return text.Of(w.Or(math.NaN())) + " W" }
	says := fmt.Sprintf("%s ms and %s now", text.Of(t.NowMS), watts(t.NowW))
	if t.N > 1 {
		says += fmt.Sprintf(" (mean of %d)", t.N)
	}
	says += fmt.Sprintf(", %s ms and %s on %s; since then %+.1f %% time", text.Of(t.ThenMS), watts(t.ThenW), t.Since,
		pctOf(tegra.Some(t.ThenMS), tegra.Some(t.NowMS)).V)
	if pct := pctOf(t.ThenW, t.NowW); pct.OK {
		says += fmt.Sprintf(", %+.1f %% power", pct.V)
	} else {
		says += ", power not compared"
	}
	if t.drifted() {
		says += ", more than readings differ by"
	}
	return says + whatNext.Say(next{t.Over || t.drifted(), t.Near, t.Heats, t.N})
})

// next is what a verification came to.
type next struct {
	Fails, Near bool
	Heats       bool // a limit is on the steady temperature
	N           int  `shown:"1 6"`
}

var whatNext = conclusion.New("verify: what to do", 3, func(n next) string {
	switch {
	case n.Fails:
		return ": tune again"
	case n.Near && n.Heats:
		return ": readings of seconds do not decide a temperature; jtune soak does"
	case n.Near:
		return fmt.Sprintf(": %d readings do not decide; tune with a lower limit to be sure", n.N)
	}
	return ""
})

// pctOf returns the relative change in percent; absent if either is.
func pctOf(then, now tegra.Val[float64]) tegra.Val[float64] {
	if !then.OK || !now.OK {
		return tegra.Val[float64]{}
	}
	return tegra.Finite(math.Round(1000*(now.V/then.V-1))/10 + 0)
}

// rose reports whether a value increased beyond the relative error.
func rose(then, now, err float64) bool { return math.Log(now/then) > z95*err }
