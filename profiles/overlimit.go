package profiles

import (
	"context"
	"fmt"
	"time"

	"jtune/profiles/record"
	"jtune/telemetry"
)

// A mode that draws more than its step allows is ended after two seconds by the rails: what it would tell more is not
// worth the heat.
const (
	overSpan    = time.Second // of samples that are all above
	overFalling = 0.97        // below this share of the first of them the power still falls from the mode before
)

// overWatch looks at the samples of a mode that is ended above that many watts; 0: never.
type overWatch struct {
	mostW float64
	above []telemetry.Sample // the newest samples in a row that are above
}

// overLimit is why a mode was ended: the mean of the samples that were above.
type overLimit struct {
	powerW float64
	after  time.Duration // that the mode was in force
}

func (e *overLimit) Error() string {
	return fmt.Sprintf("ended after %.0f s: %.0f W", e.after.Seconds(), e.powerW)
}

// add takes a sample of a mode in force since a moment. It is not nil when the mode must end.
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

// tooMuch ends a mode that draws more than its step allows: the mode before it comes back, as the job goes on.
func (m *measurement) tooMuch(ctx context.Context, over *overLimit) (*fault, error) {
	if _, err := m.b.Applier.Revert(ctx); err != nil {
		return nil, fmt.Errorf("mode %s was %w, and the mode before could not be restored: %w", m.step.Mode, over, err)
	}
	return &fault{status: record.Over, why: over.Error(), over: over}, nil
}
