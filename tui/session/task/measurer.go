package task

import (
	"context"

	"jtune/profiles/record"
	"jtune/tui/session"
	"jtune/tui/session/measure"
	"jtune/tui/session/pair"
	"jtune/tui/session/run"
	"jtune/tui/session/search"
	"jtune/tui/session/soak"
	"jtune/tui/session/workloads"
)

// Measurer is what tasks need from an open board.
type Measurer interface {
	Tune(ctx context.Context, r measure.TuneRequest, observe func(measure.Event)) (measure.TuneResult, error)
	Profile(ctx context.Context, r measure.ProfileRequest, observe func(measure.Event)) (measure.ProfileResult, error)
	Verify(ctx context.Context, r measure.ModeRequest, observe func(measure.Event)) ([]record.Row, error)
	Run(ctx context.Context, r measure.RunRequest, observe func(measure.Event)) (measure.RunResult, error)
	Pair(ctx context.Context, r pair.Request, observe func(measure.Event)) (pair.Answer, error)
	Soak(ctx context.Context, r soak.Request, observe func(soak.Status)) (soak.Result, error)
}

// Board measures on an open device.
type Board struct {
	*session.Session
	workloads.Jobs
}

var _ Measurer = Board{}

// Tune searches for the best mode, as the command tune does.
func (b Board) Tune(ctx context.Context, r measure.TuneRequest, observe func(measure.Event)) (measure.TuneResult,
	error) {
	return search.Tune(ctx, b.Session, r, observe)
}

// Profile measures the modes that a request selects.
func (b Board) Profile(ctx context.Context, r measure.ProfileRequest,
	observe func(measure.Event)) (measure.ProfileResult, error) {
	return measure.Profile(ctx, b.Session, r, observe)
}

// Verify measures one mode.
func (b Board) Verify(ctx context.Context, r measure.ModeRequest, observe func(measure.Event)) ([]record.Row, error) {
	return measure.Verify(ctx, b.Session, r, observe)
}

// Run runs a workload in the present mode.
func (b Board) Run(ctx context.Context, r measure.RunRequest, observe func(measure.Event)) (measure.RunResult, error) {
	return run.Run(ctx, b.Session, r, observe)
}

// Pair searches for the best mix of two jobs.
func (b Board) Pair(ctx context.Context, r pair.Request, observe func(measure.Event)) (pair.Answer, error) {
	return pair.Search(ctx, b.Session, r, observe)
}

// Soak tests whether a mode can be sustained, as the command soak does.
func (b Board) Soak(ctx context.Context, r soak.Request, observe func(soak.Status)) (soak.Result, error) {
	return soak.Run(ctx, b.Session, r, observe)
}
