package pair

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"jtune/internal/arrivals"
	"jtune/internal/stats"
	"jtune/internal/usage"
	"jtune/optimize"
	"jtune/optimize/mix"
	"jtune/profiles/harness"
	"jtune/profiles/harness/turns"
	"jtune/profiles/workload"
	"jtune/tegra"
	"jtune/tegra/metric"
	"jtune/tui/session"
	"jtune/tui/session/measure"
)

const (
	// switches is how many switches are timed in each direction, after an untimed one.
	switches = 3
	// turnsAfterSwitch is how many turns are awaited: the first ends the switch, and the median of the others is the
	// normal duration of a turn.
	turnsAfterSwitch = 6
)

// separate predicts the pair with a mode for each job, and measures the cost of switching between them.
func (p *pairSearch) separate(ctx context.Context) error {
	alone := p.ask
	alone.Policy, alone.Tau, alone.Goal.Margin = "", 0, metric.UsualMargin
	infer, train, settings := p.phases.Infer, p.phases.Train, p.options(alone).Settings()
	if p.r.At != nil || p.r.measuresAlone() {
		return usage.Errorf("separate modes need predictions: search by %s auto, not in one setting", usage.Strategy)
	}
	free, ok := alone.Separate(settings, infer, train, 0)
	if !ok {
		p.observe.Note("separate modes: no two modes meet the limits")
		return nil
	}
	p.stage(measure.PairSwitches, p.ask)
	cost, err := switchCost(ctx, p.s, p.r, p.ask, free)
	if err != nil {
		return fmt.Errorf("switching between %s and %s: %w", p.s.Device.Space().Format(free.Train),
			p.s.Device.Space().Format(free.Infer.Mode), err)
	}
	if found, ok := alone.Separate(settings, infer, train, cost); ok {
		p.found.Separate = &found
	} else {
		p.observe.Note(fmt.Sprintf("separate modes: a switch takes %.0f ms: no two modes meet the limits", 1000*cost))
	}
	return nil
}

// switchCost measures, in seconds, how long a mode switch takes while both jobs are loaded: from setting the mode to
// the end of the first turn in it, less the duration of such a turn. The device is restored.
func switchCost(ctx context.Context, s *session.Session, r Request, ask mix.Ask,
	of mix.Separate) (cost float64,
	err error) {
	g, err := s.Guard(ctx)
	if err != nil {
		return 0, err
	}
	jobs := workload.Pair{Train: r.Train, Infer: r.Infer}
	job, err := jobs.NewHarness(measure.HarnessOptions(s, r.Settings, ""),
		turns.Options{Turns: arrivals.Turns{Fill: true},
			Load: ask.Load, Seed: ask.Seed})(ctx, of.Infer.Batch)
	if err != nil {
		return 0, err
	}
	defer func() {
		_, restored := g.Restore(context.WithoutCancel(ctx))
		err = errors.Join(err, job.Stop(context.WithoutCancel(ctx)), restored)
	}()
	pair := job.(*turns.Pair)
	var costs []float64
	for i := range 2 * (1 + switches) {
		mode, part, name := of.Train, turns.TrainAlone, harness.JobTrain
		if i%2 == 1 {
			mode, part, name = of.Infer.Mode, turns.ServeAlone, harness.JobInfer
		}
		began := s.Clock.Now()
		if err := setMode(ctx, g, mode); err != nil {
			return 0, err
		}
		pair.Share(part)
		first, turn, err := firstTurn(ctx, pair, name, s.Clock.Now())
		if err != nil {
			return 0, err
		}
		if i > 1 {
			costs = append(costs, max(0, (first-began-turn).Seconds()))
		}
	}
	return stats.Median(costs), nil
}

func setMode(ctx context.Context, g tegra.Applier, mode tegra.Mode) error {
	applied, err := g.Apply(ctx, tegra.Request{Mode: mode})
	return cmp.Or(err, applied.Mismatch())
}

// firstTurn returns when the first turn of a job that began after a moment ended, and how long the later turns take.
func firstTurn(ctx context.Context, pair *turns.Pair, job string, after time.Duration) (first, turn time.Duration,
	err error) {
	var times []float64
	for n := 0; n < turnsAfterSwitch; {
		e, err := pair.Next(ctx)
		switch {
		case err != nil:
			return 0, 0, err
		case e.Kind == harness.Gone:
			return 0, 0, errors.New(e.Message)
		case e.Job != job || !e.Timed() || e.Began() < after:
			continue
		}
		if n++; n == 1 {
			first = e.T
			continue
		}
		times = append(times, e.TimeMS)
	}
	return first, time.Duration(stats.Median(times) * float64(time.Millisecond)), nil
}

// Hours are a part of the day between two times of day, past midnight if To is not after From.
type Hours struct{ From, To time.Duration }

// ParseHours parses hours such as 22:00-07:00.
func ParseHours(text string) (h Hours, err error) {
	from, to, ok := strings.Cut(text, "-")
	begin, err := time.Parse(timeOfDay, from)
	if to == "24:00" {
		to = "0:00"
	}
	end, endErr := time.Parse(timeOfDay, to)
	if !ok || err != nil || endErr != nil {
		return h, usage.Errorf("%q: want hours such as 07:00-22:00", text)
	}
	midnight := time.Date(0, 1, 1, 0, 0, 0, 0, time.UTC)
	if h = (Hours{begin.Sub(midnight), end.Sub(midnight)}); h.From == h.To {
		return h, usage.Errorf("%q starts and ends at the same time: give 24 hours as two parts", text)
	}
	return h, nil
}

const timeOfDay = "15:04"

// has reports whether a time of day is within the hours.
func (h Hours) has(at time.Duration) bool {
	if h.From < h.To {
		return at >= h.From && at < h.To
	}
	return at >= h.From || at < h.To
}

// PairHours are the hours in which the board serves and trains. At other times it stays unchanged.
type PairHours struct{ Serve, Train Hours }

// check rejects overlapping hours.
func (h PairHours) check() error {
	if h.Serve.has(h.Train.From) || h.Train.has(h.Serve.From) {
		return usage.ServeAt.Errorf("%s and %s overlap", usage.ServeAt, usage.TrainAt)
	}
	return nil
}

// next returns the time until the next hours begin.
func (h PairHours) next(at time.Duration) time.Duration {
	const day = 24 * time.Hour
	until := func(begin time.Duration) time.Duration { return (begin-at+day-1)%day + 1 }
	return min(until(h.Serve.From), until(h.Train.From))
}

// PairByHours sets the mode of training or inference by the time of day, each the best for its job alone within the
// limits, until ctx ends or it has set `most` modes (0: no end). The device is restored.
func PairByHours(ctx context.Context, s *session.Session, r Request, hours PairHours, most int,
	observe func(measure.Event)) (err error) {
	if err := errors.Join(mayPair(s, r), hours.check()); err != nil {
		return err
	}
	ask, err := mix.AskOf(r.Question, s.Seed)
	if err != nil {
		return err
	}
	rows := &pairSearch{s: s, r: r, ask: ask, observe: observe}
	if rows.train, rows.infer, err = pairRows(ctx, s, r, observe); err != nil {
		return err
	}
	o := rows.options(ask)
	infer, train, err := mix.Phases(o)
	if err != nil {
		return err
	}
	serves, err := ask.Choose(o.Settings(), infer, mix.Phase{})
	if err != nil {
		return err
	}
	apart, ok := ask.Separate(o.Settings(), infer, train, 0)
	if !ok {
		return fmt.Errorf("no mode of the training stays within %g W: %w", ask.Goal.Of(metric.Power),
			optimize.ErrInfeasible)
	}
	g, err := s.Guard(ctx)
	if err != nil {
		return err
	}
	defer func() {
		_, restored := g.Restore(context.WithoutCancel(ctx))
		err = errors.Join(err, restored)
	}()
	for n := 0; most == 0 || n < most; {
		now := s.Clock.Wall()
		at := time.Duration(now.Hour())*time.Hour + time.Duration(now.Minute())*time.Minute +
			time.Duration(now.Second())*time.Second + time.Duration(now.Nanosecond())
		mode, words := tegra.Mode{}, ""
		switch {
		case hours.Serve.has(at):
			mode, words = serves[0].Mode, fmt.Sprintf("%s, batches of %d", r.Infer.Name, serves[0].Batch)
		case hours.Train.has(at):
			mode, words = apart.Train, r.Train.Name
		}
		if words != "" {
			if err := setMode(ctx, g, mode); err != nil {
				return err
			}
			n++
			measure.Observer(observe).Note(fmt.Sprintf("%s: %s for %s", now.Format(timeOfDay),
				s.Device.Space().Format(mode), words))
		}
		if n == most && most > 0 {
			break
		}
		if err := s.Clock.Sleep(ctx, hours.next(at)); err != nil {
			return nil // stopped by the user
		}
	}
	return nil
}
