package profiles

import (
	"context"
	"time"
)

// Campaign measures the modes of a plan and records each.
type Campaign struct {
	Bench      *Bench
	Plan       Plan
	Record     *Record // nil: kept in memory alone
	Retries    int     // of a failed mode; 0 takes 1, negative none
	RedoFailed bool    // measure again the modes that failed before
}

// End is how a campaign ended.
type End int

// Ends.
const (
	Complete End = iota
	Interrupted
	Broken // the error tells
)

func (e End) String() string { return [...]string{"complete", "interrupted", "broken"}[e] }

// Summary is the outcome of a campaign.
type Summary struct {
	End     End
	Rows    []Row // of this and earlier runs, in order
	New     int   // of this run
	Failed  int
	Elapsed time.Duration
}

// Run measures until the plan ends, ctx is done, or the device is gone. It
// restores the found state before it returns.
func (c *Campaign) Run(ctx context.Context) (Summary, error) { panic("not yet") }

// Pause makes the campaign wait after the mode in progress; false goes on.
func (c *Campaign) Pause(on bool) { panic("not yet") }
