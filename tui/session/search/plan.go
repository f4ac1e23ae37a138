package search

import (
	"context"
	"fmt"
	"iter"

	"jtune/optimize"
	"jtune/profiles"
	"jtune/profiles/record"
)

// Plan lets a search choose the steps of a campaign. The search yields a step, waits while it is measured, and
// continues with its row.
type Plan struct {
	Before []record.Row // from an earlier run of the campaign
	Last   record.Row   // of the last step
	ask    func() (profiles.Step, bool)
	stop   func()
	asked  int
}

var _ profiles.Plan = (*Plan)(nil)

// Searching returns the plan of a search, which measures steps by a function.
func Searching(ctx context.Context,
	search func(ctx context.Context, measure func(profiles.Step) (record.Row, error))) *Plan {
	p := &Plan{}
	p.ask, p.stop = iter.Pull(func(yield func(profiles.Step) bool) {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		search(ctx, func(step profiles.Step) (record.Row, error) {
			if !yield(step) {
				cancel()
				return record.Row{}, context.Canceled
			}
			return p.Last, Unusable(p.Last)
		})
	})
	return p
}

// Len is not known.
func (p *Plan) Len() (int, bool) { return 0, false }

// Next returns the step that the search asks for after the last row.
func (p *Plan) Next(done []record.Row) (profiles.Step, bool) {
	if p.asked == 0 {
		p.Before = done
	} else {
		p.Last = done[len(done)-1]
	}
	step, ok := p.ask()
	if ok {
		p.asked++
	}
	return step, ok
}

// End stops the search after passing it the last row.
func (p *Plan) End(of profiles.Summary) {
	if p.asked > 0 && of.New == p.asked {
		p.Next(of.Rows)
	}
	p.stop()
}

// Unusable returns the error of a row without a value; nil for other rows.
func Unusable(row record.Row) error {
	switch {
	case row.Status.Usable():
		return nil
	case row.Status == record.Over:
		return optimize.OverLimit(row.Why)
	}
	return fmt.Errorf("%s: %s", row.Status, row.Why)
}
