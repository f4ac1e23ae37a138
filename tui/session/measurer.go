package session

import (
	"context"

	"jtune/profiles/record"
	"jtune/profiles/workload"
	"jtune/tegra"
)

// Measurer is what tasks ask of an open board.
type Measurer interface {
	Tune(ctx context.Context, r TuneRequest, observe func(Event)) (TuneResult, error)
	Profile(ctx context.Context, r ProfileRequest, observe func(Event)) (ProfileResult, error)
	Verify(ctx context.Context, w workload.Workload, m tegra.Mode, observe func(Event)) (record.Row, error)
	Run(ctx context.Context, r RunRequest, observe func(Event)) (RunResult, error)
	Pair(ctx context.Context, r PairSearch, observe func(Event)) (PairFound, error)
}

// Board measures on an open device.
type Board struct{ *Session }

var _ Measurer = Board{}

// Tune searches for the best mode, as the command tune does.
func (b Board) Tune(ctx context.Context, r TuneRequest, observe func(Event)) (TuneResult, error) {
	return b.Session.Tune(ctx, r, observe)
}

// Profile measures the modes that a request selects.
func (b Board) Profile(ctx context.Context, r ProfileRequest, observe func(Event)) (ProfileResult, error) {
	return b.Session.Profile(ctx, r, observe)
}

// Verify measures one mode.
func (b Board) Verify(ctx context.Context, w workload.Workload, m tegra.Mode, observe func(Event)) (record.Row, error) {
	return b.Session.Verify(ctx, w, m, observe)
}

// Run runs a workload in the present mode.
func (b Board) Run(ctx context.Context, r RunRequest, observe func(Event)) (RunResult, error) {
	return b.Session.Run(ctx, r, observe)
}

// Pair looks for the best mix of two jobs.
func (b Board) Pair(ctx context.Context, r PairSearch, observe func(Event)) (PairFound, error) {
	return b.Session.Pair(ctx, r, observe)
}
