package profiles

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"jtune/internal/stats"
	"jtune/internal/usage"
	"jtune/profiles/record"
	"jtune/tegra"
)

const (
	// maxFailures consecutive failures end a campaign: the modes are not the cause.
	maxFailures = 10
	// restoreTime is how long restoring the initial state may take, even after the campaign's context has ended.
	restoreTime = 30 * time.Second
)

// Campaign measures the modes of a plan and records each.
type Campaign struct {
	Bench      *Bench
	Plan       Plan
	Record     *record.Record // nil: rows are kept in memory only
	Retries    int            // of a failed mode; 0: one, negative: none
	RedoFailed bool           // measure again the modes that failed in earlier runs
	Gate       Gate           // nil: open
}

// HotError ends a campaign on a board that is too hot to measure.
type HotError struct{ Why string }

func (e *HotError) Error() string {
	return fmt.Sprintf("the board is hot: %s; stopped after this mode, what was measured before is kept; let it cool, "+
		"then start again (profile: with %s %s)", e.Why, usage.Resume, usage.RedoFailed)
}

// Gate is called before each mode is measured. It may block, which pauses the campaign. An
// error ends the campaign.
type Gate func(ctx context.Context) error

// End is how a campaign ended.
type End int

// Ends.
const (
	Complete End = iota
	Interrupted
	Broken    // see the error
	Withdrawn // its readings were not of the job, see the error
)

func (e End) String() string {
	return [...]string{"complete", "interrupted", "broken", record.Withdrawn}[e]
}

// Summary is the outcome of a campaign.
type Summary struct {
	End     End
	Rows    []record.Row // of this and earlier runs, in order
	New     int          // rows of this run
	Failed  int          // of New, without a usable result
	Elapsed time.Duration
}

// Run measures until the plan ends, ctx is done, or an error concerns more than one mode. It stops the job and restores
// the board's initial state before it returns. When ctx ends, the mode in progress is not recorded, the error is nil
// and Summary.End is Interrupted.
func (c *Campaign) Run(ctx context.Context) (Summary, error) {
	r := &campaignRun{Campaign: c, began: c.Bench.Clock.Now()}
	if c.Record != nil {
		r.rows = c.Record.Rows()
		for _, row := range r.rows {
			if row.Status.Usable() {
				c.Bench.Known = append(c.Bench.Known, row.Measured)
			}
		}
		if c.Bench.Raw == nil {
			c.Bench.Raw = c.Record
			defer func() { c.Bench.Raw = nil }()
		}
	}
	observe := c.Bench.Observe
	if observe != nil {
		c.Bench.Observe = func(p Progress) { observe(r.place(p)) }
		defer func() { c.Bench.Observe = observe }()
	}
	r.done = slices.Clone(r.rows)
	if c.RedoFailed {
		r.done = slices.DeleteFunc(r.done, func(row record.Row) bool { return !row.Status.Usable() })
	}
	err := r.loop(ctx)
	r.sum.End = Complete
	switch {
	case ctx.Err() != nil:
		r.sum.End, err = Interrupted, onlyFatal(err)
	case isWithdrawn(err):
		r.sum.End = Withdrawn
	case err != nil:
		r.sum.End = Broken
	}
	if restoreErr := r.restore(ctx); restoreErr != nil {
		if r.sum.End = Broken; !errors.Is(err, tegra.ErrGone) ||
			!errors.Is(restoreErr, tegra.ErrGone) { // reported once already
			err = errors.Join(err, restoreErr)
		}
	}
	r.sum.Rows, r.sum.Elapsed = r.rows, c.Bench.Clock.Now()-r.began
	return r.sum, err
}

// onlyFatal drops errors that only report the end of the context.
func onlyFatal(err error) error {
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return nil
	}
	return err
}

// campaignRun is one run of a campaign.
type campaignRun struct {
	*Campaign
	began    time.Duration
	hot      string       // why the board was too hot after the last mode; "" when it was not
	rows     []record.Row // all
	done     []record.Row // rows that the plan sees
	sum      Summary
	failures int    // consecutive
	group    string // of the previous mode
}

func (r *campaignRun) loop(ctx context.Context) error {
	for {
		if err := r.gate(ctx); err != nil {
			return err
		}
		step, ok := r.Plan.Next(r.done)
		if !ok {
			return nil
		}
		if last := r.present(); last.OK {
			step.Raise = Raises(last.V, step.Mode)
		}
		if step.Group != r.group {
			if r.group = step.Group; r.group != "" {
				r.Bench.notify(Progress{Step: step, Line: r.group})
			}
		}
		row, err := r.measure(ctx, step)
		switch {
		case errors.Is(err, errEnded) && ctx.Err() == nil:
			return nil
		case err != nil:
			return err
		}
		if err := r.keep(step, row); err != nil {
			return err
		}
		if r.hot != "" {
			return &HotError{r.hot}
		}
	}
}

func (r *campaignRun) gate(ctx context.Context) error {
	if r.Gate != nil && ctx.Err() == nil {
		if err := r.Gate(ctx); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// present returns the mode that this run applied last.
func (r *campaignRun) present() tegra.Val[tegra.Mode] {
	for i := len(r.rows) - 1; i >= len(r.rows)-r.sum.New; i-- {
		if m := r.rows[i].Applied; m != (tegra.Mode{}) {
			return tegra.Some(m)
		}
	}
	return tegra.Val[tegra.Mode]{}
}

// measure measures a mode and repeats it after an error that may be temporary.
func (r *campaignRun) measure(ctx context.Context, step Step) (record.Row, error) {
	retries := r.Retries
	if retries == 0 {
		retries = 1
	}
	for try := 0; ; try++ {
		row, err := r.once(ctx, step)
		last := row.Status.Usable() || row.Status == record.TimedOut || row.Status == record.Misset ||
			row.Status == record.Over
		if err != nil || last ||
			r.hot != "" || try >= retries {
			if err == nil && !row.Status.Usable() && try > 0 {
				row.Why = fmt.Sprintf("%s (%d tries)", row.Why, try+1)
			}
			return row, err
		}
		r.Bench.notify(
			Progress{Step: step, Line: fmt.Sprintf("%s %s: %s; trying again", step.Mode, row.Status, row.Why)},
		)
	}
}

// once measures a step with the campaign's bench, or with the step's own.
func (r *campaignRun) once(ctx context.Context, step Step) (record.Row, error) {
	v := step.Variant
	if v == nil {
		row, err := r.Bench.measure(ctx, step)
		r.hot = r.Bench.hot
		return row, err
	}
	if v.Bench != r.Bench { // two jobs never run at once
		if err := r.Bench.Close(); err != nil {
			return record.Row{}, err
		}
	}
	v.Bench.Observe, v.Bench.Raw = r.Bench.Observe, r.Bench.Raw
	row, err := v.Bench.measure(ctx, step)
	r.hot = v.Bench.hot
	if row.Extra = v.Columns(); v.Shared {
		return row, err
	}
	return row, errors.Join(err, v.Bench.Close())
}

// keep records the row of a step.
func (r *campaignRun) keep(step Step, row record.Row) error {
	var failed error
	if r.Record != nil {
		// Append may fail after it has recorded the row.
		if failed = r.Record.Append(row); failed != nil && len(r.Record.Rows()) == len(r.rows) {
			return failed
		}
	}
	r.rows, r.done = append(r.rows, row), append(r.done, row)
	r.sum.New++
	r.Bench.notify(Progress{Phase: Finished, Step: step, Row: &row})
	if failed != nil {
		return failed
	}
	if row.Status.Usable() {
		r.failures = 0
		return nil
	}
	r.sum.Failed++
	if row.Status == record.Over { // the board and the job work
		r.failures = 0
		return nil
	}
	if r.failures++; r.failures >= maxFailures {
		return fmt.Errorf(
			"%d modes in a row failed, the last (%s) because: %s; fix this, then resume with %s %s",
			r.failures,
			row.Mode,
			row.Why,
			usage.Resume,
			usage.RedoFailed,
		)
	}
	return nil
}

// restore stops the job and restores the board's initial state, even when ctx has ended.
func (r *campaignRun) restore(ctx context.Context) error {
	r.Bench.notify(Progress{Phase: Restoring})
	err := r.Bench.Close()
	if err != nil {
		err = fmt.Errorf("ending the harness: %w", err)
	}
	if r.Bench.Applier == nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), restoreTime)
	defer cancel()
	if _, restoreErr := r.Bench.Applier.Restore(ctx); restoreErr != nil {
		err = errors.Join(err, fmt.Errorf("restoring the found state: %w", restoreErr))
	}
	return err
}

// place adds the progress of the whole campaign.
func (r *campaignRun) place(p Progress) Progress {
	p.Done = len(r.done)
	if n, known := r.Plan.Len(); known {
		p.Total = n
		p.ETALo, p.ETAHi = Remaining(r.rows, n-p.Done)
	}
	return p
}

// Remaining estimates the time that n more modes take, as a range that holds in about four of five cases if they behave
// like the modes so far. The range is n times the mean, plus or minus 1.28 standard deviations of the sum, including
// the uncertainty of the mean. The deviation starts from a prior of half the mean with the weight of one row.
func Remaining(rows []record.Row, n int) (lo, hi time.Duration) {
	var took []float64
	for _, r := range rows {
		if r.TookS > 0 {
			took = append(took, r.TookS)
		}
	}
	if n <= 0 || len(took) == 0 {
		return 0, 0
	}
	m := stats.Mean(took)
	squares := m * m / 4
	for _, t := range took {
		squares += (t - m) * (t - m)
	}
	known := float64(len(took))
	left := float64(n) * m
	spread := 1.28 * math.Sqrt(squares/known*float64(n)*(1+float64(n)/known))
	span := func(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }
	return span(max(m/2, left-spread)), span(left + spread)
}
