package handover

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"jtune/internal/text"
	"jtune/profiles"
	"jtune/profiles/record"
	"jtune/profiles/workload"
	"jtune/tegra"
	"jtune/tui/session"
	"jtune/tui/session/answers"
	"jtune/tui/session/campaigns"
	"jtune/tui/session/measure"
	"jtune/tui/session/questions"
	"jtune/tui/session/search"
	"jtune/tui/session/task"
	"jtune/tui/session/workloads"
)

// Drift compares a mode today with the measurement of its search.
type Drift struct {
	// Holds: time and power are not higher than then, beyond the noise of readings, and the board was not throttled.
	Holds    bool               `json:"holds"`
	Mode     tegra.Mode         `json:"mode"`
	TimePct  tegra.Val[float64] `json:"time_pct"` // of then; below 0: it takes less; absent: not measured
	PowerPct tegra.Val[float64] `json:"power_pct"`
	MarginC  tegra.Val[float64] `json:"margin_tj_c"` // to the nearest trip point; absent if none is known
	Slowed   bool               `json:"throttled"`
	Since    time.Time          `json:"since"` // date of the search
	Virtual  bool               `json:"virtual"`
	Says     string             `json:"-"`
}

// ErrNoAnswer reports that there is nothing to verify.
var ErrNoAnswer = errors.New("no search on this board has an answer yet; jtune tune starts one")

// VerifyRequest asks to measure an answer again.
type VerifyRequest struct {
	Campaign string           // "": the search whose answer was kept last on this board, else the newest
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
		c, k, err := questions.Find(list, c)
		switch {
		case err == nil && k == nil:
			err = fmt.Errorf("%s: %w", c.Name, questions.ErrNone)
		case err == nil && !same(c):
			err = fmt.Errorf("%s was searched on %s, this is another board", c.Name, c.Header.Device.Name)
		case err == nil:
			a = k.Answers[0]
		}
		return c, a, err
	}
	kept, err := session.LastKept(s)
	if err != nil {
		return c, a, err
	}
	newest := campaigns.Campaign{}
	for _, at := range slices.Backward(list) {
		if at.Err != nil || !same(at) {
			continue
		}
		k, err := questions.Answer(at)
		if err != nil || k == nil {
			continue
		}
		if i := slices.IndexFunc(k.Answers, meets); newest.Dir == "" && i >= 0 {
			newest, a = at, k.Answers[i]
		}
		for _, one := range k.Answers {
			if kept == tegra.Some(one.Mode) {
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
func Verify(ctx context.Context, s *session.Session, r VerifyRequest, observe func(measure.Event)) (Drift, error) {
	c, a, err := ofBoard(s, r.Campaign)
	if err != nil {
		return Drift{}, err
	}
	again, err := task.Repeat(s, c, r.Trust, r.Typed)
	if err != nil {
		return Drift{}, err
	}
	if again.Tune == nil || a.Reading.N == 0 && a.Trial == nil {
		return Drift{}, fmt.Errorf("%s: its answer was not measured, so that there is nothing to compare with", c.Name)
	}
	w := again.Tune.Workload
	if a.Batch > 0 {
		w = w.AtBatch(a.Batch)
	}
	heat, stop := warming(s, a.Mode)
	d, err := remeasured(ctx, s, w, *again.Tune, a, c.Header.Created, observe)
	stop()
	var hot *profiles.HotError
	if errors.As(err, &hot) {
		d, err = tooHot(a, c.Header.Created, hot.Why), nil
	}
	if err == nil {
		d.warm(heat)
	}
	return d, err
}

// remeasured measures the answer again, under its load if it has one.
func remeasured(ctx context.Context, s *session.Session, w workload.Workload, r measure.TuneRequest, a answers.Answer,
	since time.Time, observe func(measure.Event)) (Drift, error) {
	if a.Trial != nil {
		return underLoad(ctx, s, r, a, since, observe)
	}
	row, err := measure.Verify(ctx, s, w, a.Mode, observe)
	switch {
	case err != nil:
		return Drift{}, err
	case row.Status == record.Throttled || row.Status == record.Hot:
		return tooHot(a, since, row.Why), nil
	case !row.Status.Usable():
		return Drift{}, fmt.Errorf("the mode could not be measured: %s: %s", row.Status, row.Why)
	}
	row.Batch = a.Batch
	return drift(a, row, since), nil
}

// tooHot returns the result for a mode that could not be measured because of heat.
func tooHot(a answers.Answer, since time.Time, why string) Drift {
	return Drift{Mode: a.Mode, Since: since, Virtual: a.Virtual, Slowed: true,
		Says: why + ": it cannot be measured as the search did"}
}

// warm adds the distance from the module's thermal limits: a mode that was throttled does not hold.
func (d *Drift) warm(w *warmth) {
	if w.marginC.OK {
		d.MarginC = tegra.Some(math.Round(10*w.marginC.V) / 10)
	}
	switch why := w.fault(); {
	case d.Slowed:
	case why != "":
		d.Holds, d.Slowed, d.Says = false, true, d.Says+"; "+why
	default:
		d.Says += w.words()
	}
}

// underLoad sends the requests of a search again: the mode holds if it still meets the limits. Latency at the quantile
// and mean power are compared with those of the search.
func underLoad(ctx context.Context, s *session.Session, r measure.TuneRequest, a answers.Answer, since time.Time,
	observe func(measure.Event)) (Drift, error) {
	now, err := search.Again(ctx, s, r, a.Setting, observe)
	if err != nil {
		return Drift{}, err
	}
	d := Drift{Holds: now.Meets(), Mode: a.Mode, Since: since, Virtual: a.Virtual}
	words := func(t answers.Trial) string {
		return fmt.Sprintf("p%.4g %s ms, mean %s W", 100*a.Ask.Quantile, value(t.LatencyMS), value(t.MeanW))
	}
	if then := a.Trial; then.LatencyMS.OK && now.LatencyMS.OK {
		pct, _ := changed(then.LatencyMS.V, now.LatencyMS.V, 0)
		d.TimePct = tegra.Some(pct)
	}
	if then := a.Trial; then.MeanW.OK && now.MeanW.OK {
		pct, _ := changed(then.MeanW.V, now.MeanW.V, 0)
		d.PowerPct = tegra.Some(pct)
	}
	d.Says = fmt.Sprintf("with requests at %s: %s now, %s on %s", a.Ask.Load, words(now), words(*a.Trial),
		since.UTC().Format("2006-01-02"))
	if !d.Holds {
		d.Says += ": " + now.Why + ": tune again"
	}
	return d, nil
}

// z95 is the half-width of a 95 % band in standard deviations.
const z95 = 1.96

// drift compares a new reading with those of the search.
func drift(a answers.Answer, row record.Row, since time.Time) Drift {
	then, now := a.Error, answers.ErrorsOf(row.Setting, 1, []record.Row{row})
	if then == (answers.Errors{}) {
		then = answers.ErrorsOf(a.Setting, a.Reading.N, nil)
	}
	time, timeMore := changed(a.Reading.TimeMS, row.TimeMS, math.Hypot(then.Time, now.Time))
	d := Drift{Holds: !timeMore, Mode: a.Mode, TimePct: tegra.Some(time), Since: since, Virtual: a.Virtual}
	d.Says = fmt.Sprintf("%s ms and %s W now, %s ms and %s W on %s: %+.1f %% time",
		text.Of(row.TimeMS), text.Of(row.PowerW), text.Of(a.Reading.TimeMS), text.Of(a.Reading.PowerW),
		since.UTC().Format("2006-01-02"), time)
	if a.Reading.HasPower() && row.HasPower() {
		power, powerMore := changed(a.Reading.PowerW, row.PowerW, math.Hypot(then.Power, now.Power))
		d.Holds, d.PowerPct = d.Holds && !powerMore, tegra.Some(power)
		d.Says += fmt.Sprintf(", %+.1f %% power", power)
	} else {
		d.Says += ", power not compared"
	}
	if !d.Holds {
		d.Says += ", more than readings differ by: tune again"
	}
	return d
}

// changed returns the relative change in percent, and whether it is an increase beyond the error.
func changed(then, now, err float64) (pct float64, more bool) {
	by := math.Log(now / then)
	return math.Round(1000*math.Expm1(by))/10 + 0, by > z95*err
}
