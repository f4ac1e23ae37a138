package measure

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"jtune/internal/text"
	"jtune/internal/units"
	"jtune/profiles/harness"
	"jtune/profiles/harness/detect"
	"jtune/profiles/record"
	"jtune/profiles/workload"
	"jtune/tegra"
	"jtune/telemetry"
	"jtune/tui/session"
	"jtune/tui/session/workloads"
)

// Whole is the cost of a command from start to end.
type Whole struct {
	WallS   float64            `json:"wall_s"`
	EnergyJ tegra.Val[float64] `json:"energy_j"`
	MeanW   tegra.Val[float64] `json:"mean_w"`
	Error   tegra.Val[float64] `json:"-"` // relative standard error of EnergyJ and MeanW
	PeakW   tegra.Val[float64] `json:"peak_w"`
	Rails   []RailWhole        `json:"rails"`
	// means of the clocks in GHz
	CPU       tegra.Val[float64] `json:"cpu_ghz"`
	GPU       tegra.Val[float64] `json:"gpu_ghz"`
	EMC       tegra.Val[float64] `json:"emc_ghz"`
	Throttled tegra.Val[bool]    `json:"throttled"`
}

// RailWhole is the share of one rail.
type RailWhole struct {
	telemetry.RailPeaks
	EnergyJ tegra.Val[float64] `json:"energy_j"`
}

const (
	// trialLook is how often a trial checks the output it has read.
	trialLook = 2 * time.Second
	// leastRun is the least duration of a run that counts as one reading: it has ten power samples.
	leastRun = 2 * time.Second
)

// Understand starts a user's command in the present mode and reads its output until it knows which lines count steps,
// or until the command ends; then one run is one reading. It returns the workload with the result. Workloads whose
// output format is known are returned unchanged.
func Understand(ctx context.Context, s *session.Session, w workload.Workload,
	observe Observer) (_ workload.Workload, err error) {
	if !w.Own || len(w.Command) == 0 || w.Serves() || w.Elsewhere != nil || w.Per != "" || s.Simulated(w) ||
		w.Pattern != "" && w.Kind != "" {
		return w, nil
	}
	if err := workloads.CanRun(s, w); err != nil {
		return w, err
	}
	EndOrphans(s, w, observe)
	trial := w
	trial.ToEnd = true
	begun := time.Now()
	h, err := NewHarness(s, trial, record.Settings{}, "", 0, 0)(ctx, 0)
	if err != nil {
		return w, err
	}
	defer func() {
		if stopErr := h.Stop(context.WithoutCancel(ctx)); err == nil {
			err = stopErr // another job must not run beside it
		}
	}()
	steps, said := 0, false
	for {
		e, err := next(ctx, h)
		if took := time.Since(begun); !said && steps == 0 && took >= unseenAfter {
			said = true
			observe.Note(unseen(w, h, took))
		}
		switch {
		case err == nil && e.Kind == harness.Note:
			observe.Note(e.Message)
		case err == nil && e.Summary != nil, errors.Is(err, io.EOF):
			return ended(w, h, time.Since(begun), observe)
		case err == nil && e.Timed():
			if steps++; steps >= 3 {
				return understood(w, h), nil
			}
		case errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil:
			if err := TooLong(h, time.Since(begun), w.Patience); err != nil {
				return w, err
			}
		case err != nil:
			return w, err
		}
	}
}

// next waits up to trialLook for the next event.
func next(ctx context.Context, h harness.Harness) (harness.Event, error) {
	ctx, cancel := context.WithTimeout(ctx, trialLook)
	defer cancel()
	return h.Next(ctx)
}

// understood returns the workload with the detected reading of its steps.
func understood(w workload.Workload, h harness.Harness) workload.Workload {
	if d, ok := h.(harness.Detecting); ok {
		if r, err, ok := d.Detected(); ok && err == nil {
			return workloads.Learned(w, r)
		}
	}
	return w
}

// ended returns the workload of a command that ends by itself: each of its runs is a reading.
func ended(w workload.Workload, h harness.Harness, took time.Duration,
	observe Observer) (workload.Workload, error) {
	d, ok := h.(harness.Detecting)
	if !ok {
		return w, nil
	}
	r, err, ok := d.Detected()
	if !ok { // events of the protocol
		return w, nil
	}
	var unread *harness.NotUnderstood
	if errors.As(err, &unread) && unread.Undecided.Kind == detect.Disagree {
		return w, err
	}
	what := "the whole run is read"
	if err == nil {
		w, what = workloads.Learned(w, r), harness.Reads(r)
	}
	if took < leastRun {
		return w, fmt.Errorf("%w: %s ended after %s: a run is one reading and must take at least %s to measure "+
			"power; let it do more, or repeat it: sh -c 'for i in 1 2 3 4 5 6 7 8; do COMMAND; done'",
			harness.ErrNotUnderstood, text.OneLine(w.Command[0]), units.Span(took), units.Span(leastRun))
	}
	w.Kind, w.Per = workload.Inference, workload.PerRun
	if w.Batch == workload.Own("", nil).Batch {
		w.Batch = 1
	}
	observe.Note(fmt.Sprintf("%s ends by itself after %.3g s: each mode is one run, so 12 modes take about %s; %s",
		w.Name,
		took.Seconds(), units.Span(12*took), what))
	return w, nil
}

// unseenAfter is the time without a first step after which a trial says so: within a minute.
const unseenAfter = 55 * time.Second

// unseen returns what a command printed instead of steps, and what to do.
func unseen(w workload.Workload, h harness.Harness, took time.Duration) string {
	lines := 0
	if d, ok := h.(harness.Detecting); ok {
		_, err, _ := d.Detected()
		if unread, ok := errors.AsType[*harness.NotUnderstood](err); ok {
			lines = unread.Undecided.Lines
		}
	}
	return harness.Unseen(text.OneLine(w.Command[0]), lines, took, cmp.Or(w.Patience, harness.StartLimit))
}

// TooLong returns the error of a command that keeps running and prints nothing that counts its steps, or has printed
// nothing for patience; 0: harness.StartLimit.
func TooLong(h harness.Harness, took, patience time.Duration) error {
	d, ok := h.(harness.Detecting)
	if !ok {
		return nil
	}
	_, err, _ := d.Detected()
	var unread *harness.NotUnderstood
	if errors.As(err, &unread) &&
		harness.Hopeless(unread.Undecided, took, patience) {
		return err
	}
	return nil
}
