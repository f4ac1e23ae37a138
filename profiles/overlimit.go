package profiles

import (
	"context"
	"fmt"
	"time"

	"jtune/profiles/record"
	"jtune/telemetry"
)

// A mode that draws more than its step allows is ended after two seconds of rail readings: measuring longer is not
// worth the heat.
const (
	overSpan    = time.Second // of samples that are all above the limit
	overFalling = 0.97        // below this share of the first of them, power is still falling from the previous mode
)

// overWatch checks the samples of a mode that ends above mostW watts; 0: never.
type overWatch struct {
	mostW float64
	above []telemetry.Sample // the newest consecutive samples above the limit
}

// overLimit is the error of an ended mode: the mean of the samples above the limit.
type overLimit struct {
	powerW float64
	after  time.Duration // since the mode was applied
}

func (e *overLimit) Error() string {
	return fmt.Sprintf("ended after %.0f s: %.0f W", e.after.Seconds(), e.powerW)
}

// add takes a sample of a mode applied at since. It returns non-nil when the mode must end.
func (w *overWatch) add(s telemetry.Sample, since time.Duration) *overLimit {
	p := s.PowerW()
	if w.mostW == 0 || !p.OK || p.V <= w.mostW {
		w.above = nil
		return nil
	}
	w.above = append(w.above, s)
	for s.T-w.above[0].T >= 3*overSpan/2 {
		w.above = w.above[1:]
	}
	first := w.above[0]
	if s.T-first.T < overSpan-slack || p.V < overFalling*first.PowerW().V {
		return nil
	}
	sum := 0.0
	for _, s := range w.above {
		sum += s.PowerW().V
	}
	return &overLimit{powerW: record.RoundW(sum / float64(len(w.above))), after: s.T - since}
}

// tooMuch ends a mode that draws more than its step allows: it restores the previous mode, because the job continues.
func (m *measurement) tooMuch(ctx context.Context, over *overLimit) (*fault, error) {
	if _, err := m.b.Applier.Revert(ctx); err != nil {
		return nil, fmt.Errorf("mode %s was %w, and the mode before could not be restored: %w", m.step.Mode, over, err)
	}
	return &fault{status: record.Over, why: over.Error(), over: over}, nil
}
