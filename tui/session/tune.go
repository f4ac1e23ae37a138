package session

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"jtune/learn"
	"jtune/optimize"
	"jtune/profiles"
	"jtune/tegra"
)

// Tune looks for the best mode by measuring on this device, and records every
// measurement in a campaign folder. The device is left as it was found. When
// no mode meets the limit the error wraps optimize.ErrInfeasible and the
// result tells the nearest; on any error it holds what was measured.
func (s *Session) Tune(ctx context.Context, r TuneRequest, observe func(Event)) (TuneResult, error) {
	if err := s.mayChooseSize(r); err != nil {
		return TuneResult{}, err
	}
	if r.Batches != nil && r.Reference == "" {
		r.Reference = "none" // references know one size
	}
	ref, err := s.Options.reference(r.Reference, s.Device.Board())
	if err != nil {
		return TuneResult{}, err
	}
	bench, err := s.bench(ctx, r.Workload, r.Settings, observe)
	if err != nil {
		return TuneResult{}, err
	}
	present := s.PresentMode()
	head := profiles.PlanHeader{Kind: tuneKind, Modes: r.Probes, Source: r.Limit.String(), Batches: r.Batches}
	rec, err := s.record(r.Dir, s.header(r.Workload, head, r.Settings), false)
	if err != nil {
		return TuneResult{}, err
	}
	defer rec.Close()
	bench.NewHarness = s.harness(r.Workload, r.Settings, rec.Log(), 0)
	bench.Raw = rec
	asked := ctx
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	t := &tuning{bench: bench, record: rec, gate: r.Gate, stop: stop, observe: observe, cap: r.Probes}
	bench.Observe = t.progress

	observer(observe).note(s.ofSizes(r.Workload, r.Batches))
	begun := s.Clock.Now()
	found, err := optimize.Tune(ctx, t.measure, optimize.TuneOptions{Limit: r.Limit, Probes: r.Probes, Effort: r.Effort, Strategy: r.Strategy, Rotation: r.Rotation,
		Seed: s.Options.Seed, Space: s.Device.Space(), Batches: r.Batches, Only: s.only(r.Batches), Reference: ref, Observe: t.probe})
	if t.fatal != nil {
		err = t.fatal
		if asked.Err() == nil { // nobody cancelled: the job, the device or the record is broken
			found.Ended = optimize.Failing
		}
	}
	bench.Observe(profiles.Progress{Phase: profiles.Restoring})
	err = errors.Join(dictated(err), bench.Close(), restore(ctx, bench.Applier))
	out := TuneResult{Result: found, Dir: rec.Dir(), Took: s.Clock.Now() - begun}
	s.conclude(&out, r.Workload, ref, present)
	return out, err
}

// mayChooseSize refuses what a search over minibatch sizes cannot do.
func (s *Session) mayChooseSize(r TuneRequest) error {
	switch {
	case r.Batches == nil:
		return nil
	case r.Strategy == optimize.PowerTrain:
		return fmt.Errorf("%w: strategy powertrain knows one minibatch size: give one --batch, or use auto, binary or random", ErrUsage)
	case r.Strategy == optimize.Binary && r.Limit.PowerW == 0:
		return fmt.Errorf("%w: strategy binary over minibatch sizes looks for the most samples per second: it needs --power-limit, with or without --time-limit", ErrUsage)
	}
	return s.takesSizes(r.Workload)
}

// dictated marks the error of a job that turned out to dictate its minibatch
// size as one about what was asked for.
func dictated(err error) error {
	if errors.Is(err, profiles.ErrDictated) {
		return fmt.Errorf("%w: %w", ErrUsage, err)
	}
	return err
}

// ofSizes tells what stands behind the times of other minibatch sizes on a
// virtual board; "" where they are measured, or there is one.
func (s *Session) ofSizes(w profiles.Workload, sizes []int) string {
	if sizes == nil || s.Virtual == nil || s.replays() || s.beside(w) {
		return ""
	}
	return "the virtual board scales the times of other minibatch sizes by slopes that were published for an AGX Xavier: no AGX Orin was measured at them"
}

// only are the settings of those sizes that a replay can answer; nil: all.
func (s *Session) only(sizes []int) []learn.Setting {
	var out []learn.Setting
	for _, a := range s.settings {
		if slices.Contains(sizes, a.Batch) {
			out = append(out, a)
		}
	}
	return out
}

// conclude fits the model of everything measured and compares the answer.
func (s *Session) conclude(out *TuneResult, w profiles.Workload, ref *learn.Reference, present tegra.Val[tegra.Mode]) {
	var measured []tegra.Measured
	for _, p := range out.Probes {
		if p.Err == nil {
			measured = append(measured, p.Measured)
		}
	}
	if len(measured) == 0 {
		return
	}
	var predictor learn.Predictor
	readings := measured
	measured = oncePerSetting(measured)
	sizes := sizesOf(measured)
	board := s.Device.Board()
	m, err := learn.Fit(context.Background(), oneSize(readings), learn.Options{Space: s.Device.Space(), Reference: ref, Seed: s.Options.Seed,
		Provenance: learn.Provenance{Device: board.Name, Workload: w.Name, Virtual: board.Virtual, Replay: board.Replay, Jtune: Version, When: s.Clock.Wall()}})
	if err == nil {
		out.Fitted, predictor = m, m
		switch {
		case m.Batches != nil:
			predictor = m.At(out.Batch)
		case len(sizes) == 1:
			m.Batch = sizes[0]
		}
	}
	out.Versus = Compare(out.Measured, predictor, measured, s.Device.Space(), s.Device.Presets(), present)
}

// PresentMode is the mode the device is in; absent when none expresses it.
func (s *Session) PresentMode() tegra.Val[tegra.Mode] {
	r, err := s.Device.Read()
	if err != nil {
		return tegra.Val[tegra.Mode]{}
	}
	return r.Mode
}

// tuning measures for a search and tells of it.
type tuning struct {
	bench   *profiles.Bench
	record  *profiles.Record
	gate    profiles.Gate
	stop    context.CancelCauseFunc
	observe observer
	done    int
	cap     int
	fatal   error // the device or the record is gone: not about one mode
}

func (t *tuning) measure(ctx context.Context, a learn.Setting) (tegra.Measured, error) {
	if t.gate != nil {
		if err := t.gate(ctx); err != nil {
			return tegra.Measured{}, t.fail(err)
		}
	}
	row, err := t.bench.Measure(ctx, profiles.Step{Mode: a.Mode, Batch: a.Batch})
	if err != nil {
		return tegra.Measured{}, t.fail(err)
	}
	if err := t.record.Append(row); err != nil {
		return tegra.Measured{}, t.fail(fmt.Errorf("recording: %w", err))
	}
	t.done++
	if !row.Status.Usable() {
		return tegra.Measured{}, fmt.Errorf("%s: %s", row.Status, row.Why)
	}
	return row.Measured, nil
}

// fail ends the whole search.
func (t *tuning) fail(err error) error {
	t.fatal = err
	t.stop(err)
	return err
}

func (t *tuning) progress(p profiles.Progress) {
	p.Done, p.Total = t.done, t.cap
	t.observe.progress(p)
}

func (t *tuning) probe(p optimize.Probe, s *learn.Surrogate) {
	if t.observe != nil {
		t.observe(Event{Probe: &p, Surrogate: s})
	}
}
